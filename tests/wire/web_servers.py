"""Servers that speak what a test writes: HTTP/1.1 with any reply, and HTTP/2 alone."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import h2.config
import h2.connection
import h2.events

from conformance.wire.grpc_web_frames import CONTENT_TYPE

LONGEST_FRAME = 16_384

Answer = Callable[[BaseHTTPRequestHandler, bytes], None]


def trailers(*lines: str) -> bytes:
    """Encode a frame of trailers."""
    body = "".join(f"{line}\r\n" for line in lines).encode()
    return b"\x80" + len(body).to_bytes(4, "big") + body


class Http1:
    """Answers every POST with what a function writes; it begins with the status line and says the body's length."""

    def __init__(self, answer: Answer) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                with suppress(OSError):
                    answer(self, self.rfile.read(int(self.headers["content-length"])))

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it has above
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def replying(body: bytes = b"", *, status: int = 200, length: int | None = None, **headers: str) -> Answer:
    """Answer with this body; underscores in names of headers stand for dashes."""

    def answer(handler: BaseHTTPRequestHandler, _request: bytes) -> None:
        handler.send_response(status)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        for name, value in ({"content-type": CONTENT_TYPE} | named).items():
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(body) if length is None else length))
        handler.end_headers()
        handler.wfile.write(body)
        handler.close_connection = length is not None

    return answer


class Http2Only:
    """Echoes the message of every call over HTTP/2, and closes a connection that begins otherwise.

    `between` is called between the message and the end of the answer.
    """

    def __init__(self, between: Callable[[], object] = lambda: None) -> None:
        self.between = between
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        body: dict[int, bytes] = {}
        with connection, suppress(OSError):
            if connection.recv(3, socket.MSG_PEEK) != b"PRI":
                return
            http.initiate_connection()
            while data := connection.recv(65_536):
                for event in http.receive_data(data):
                    if isinstance(event, h2.events.DataReceived) and event.stream_id and event.data:
                        body[event.stream_id] = body.get(event.stream_id, b"") + event.data
                        http.acknowledge_received_data(len(event.data), event.stream_id)
                    elif isinstance(event, h2.events.StreamEnded) and event.stream_id:
                        self._answer(connection, http, event.stream_id, body.get(event.stream_id, b""))
                connection.sendall(http.data_to_send())

    def _answer(self, connection: socket.socket, http: h2.connection.H2Connection, number: int, request: bytes) -> None:
        http.send_headers(number, [(":status", "200"), ("content-type", CONTENT_TYPE)])
        for start in range(0, len(request), LONGEST_FRAME):
            http.send_data(number, request[start : start + LONGEST_FRAME])
        connection.sendall(http.data_to_send())
        self.between()
        http.send_data(number, trailers("grpc-status: 0"), end_stream=True)
