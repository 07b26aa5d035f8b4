"""A node of a chain that really runs what it is asked to run."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.reference.identity.evm import World, run


@contextmanager
def running_node(world: World, *, head: int = 1) -> Iterator[str]:
    """Serve a chain of one second a block; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            name, parameters = asked["method"], asked["params"]
            answer: object
            if name == "eth_blockNumber":
                answer = hex(head)
            elif name == "eth_getBlockByNumber":
                number = head if parameters[0] == "latest" else int(parameters[0], 16)
                answer = {"number": hex(number), "timestamp": hex(number)} if number <= head else None
            else:
                assert name == "eth_call"
                assert int(parameters[1], 16) <= head
                answer = "0x" + run(bytes.fromhex(parameters[0]["data"][2:]), world).hex()
            body = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
