"""What the front of the embedded backend adds to a unary call: a bare grpcio echo, asked directly and through it."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

import grpc

from conformance.reference.backend.front.front import Front
from conformance.reference.backend.front.web import Web

CALLS = 1000
ROUNDS = 5
ECHO = """
import grpc
from concurrent.futures import ThreadPoolExecutor

class Echo(grpc.GenericRpcHandler):
    def service(self, call):
        return grpc.unary_unary_rpc_method_handler(lambda request, context: request)

server = grpc.server(ThreadPoolExecutor(8), handlers=[Echo()])
print(server.add_insecure_port("127.0.0.1:0"), flush=True)
server.start()
server.wait_for_termination()
"""


def main() -> None:
    """Print the milliseconds of a call each way, the median of several rounds taken in turn."""
    with subprocess.Popen([sys.executable, "-c", ECHO], stdout=subprocess.PIPE) as echo:  # noqa: S603 - the text above
        output = echo.stdout
        port = int(output.readline()) if output is not None else 0
        front = Front()
        through = front.start("127.0.0.1:0", f"127.0.0.1:{port}", Web, 0.0)
        rounds = [(_round(port), _round(through)) for _ in range(ROUNDS)]
        front.stop()
        echo.kill()
    bare, fronted = (statistics.median(each) for each in zip(*rounds, strict=True))
    print(f"unary call, {CALLS} x {ROUNDS}: bare grpcio echo {bare:.3f} ms, through the front {fronted:.3f} ms")


def _round(port: int) -> float:
    options = (("grpc.use_local_subchannel_pool", 1),)
    with grpc.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/echo/Echo")
        call(b"x" * 100)
        start = time.monotonic()
        for _ in range(CALLS):
            call(b"x" * 100)
        return (time.monotonic() - start) / CALLS * 1000


if __name__ == "__main__":
    main()
