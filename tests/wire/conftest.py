"""A real gRPC server for the wire tests: it answers every method with the handler that a test gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import grpc
import pytest

Handler = Callable[[bytes, grpc.ServicerContext], bytes]


class AnyMethod(grpc.GenericRpcHandler):
    def __init__(self, handler: Handler) -> None:
        self.handler = handler

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes]:
        del handler_call_details
        return grpc.unary_unary_rpc_method_handler(self.handler)


class Serving:
    def __init__(self, handler: Handler, port: int) -> None:
        self.server = grpc.server(
            ThreadPoolExecutor(8),
            handlers=[AnyMethod(handler)],
            options=[("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", -1)],
        )
        self.port = self.server.add_insecure_port(f"127.0.0.1:{port}")
        self.server.start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def stop(self) -> None:
        self.server.stop(None).wait()


@pytest.fixture
def serve() -> Iterator[Callable[..., Serving]]:
    with ExitStack() as opened:

        def start(handler: Handler, port: int = 0) -> Serving:
            serving = Serving(handler, port)
            opened.callback(serving.stop)
            return serving

        yield start
