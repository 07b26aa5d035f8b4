"""Peers for the target tests: a scripted gRPC backend, and the command line of a small adapter program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import grpc
import pytest

from conformance.target.limits import Limits
from conformance.target.node import Node
from conformance.wire.channel import Connection

# By bare method name: the bytes to answer, or the function that answers or aborts.
Handler = Callable[[bytes, grpc.ServicerContext], bytes]
Answers = Mapping[str, bytes | Handler]


class Scripted(grpc.GenericRpcHandler):
    def __init__(self, answers: Answers) -> None:
        self.answers = answers

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        answer = self.answers.get(handler_call_details.method.rsplit("/", 1)[-1])
        if answer is None:
            return None

        def handle(request: bytes, context: grpc.ServicerContext) -> bytes:
            return answer if isinstance(answer, bytes) else answer(request, context)

        return grpc.unary_unary_rpc_method_handler(handle)


@pytest.fixture
def serve() -> Iterator[Callable[[Answers], str]]:
    """Start real gRPC servers with scripted answers; gives the address of each."""
    with ExitStack() as opened:

        def start(answers: Answers) -> str:
            server = grpc.server(
                ThreadPoolExecutor(4), handlers=[Scripted(answers)], options=[("grpc.so_reuseport", 0)]
            )
            port = server.add_insecure_port("127.0.0.1:0")
            server.start()
            opened.callback(lambda: server.stop(None).wait())
            return f"127.0.0.1:{port}"

        yield start


@pytest.fixture
def node_over(serve: Callable[[Answers], str]) -> Iterator[Callable[..., Node]]:
    """Return a node over a server with scripted answers."""
    with ExitStack() as opened:

        def make(answers: Answers, *, limits: Limits | None = None, deadline_s: float = 20.0) -> Node:
            node = Node(Connection(serve(answers), fresh=True), limits or Limits(), deadline_s=deadline_s)
            opened.callback(node.close)
            return node

        yield make


@pytest.fixture
def adapter_argv() -> Callable[..., list[str]]:
    """Return the argv of the fake adapter with the options given."""

    def make(*options: str) -> list[str]:
        return [sys.executable, str(Path(__file__).with_name("fake_adapter.py")), *options]

    return make
