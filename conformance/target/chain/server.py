"""The HTTP side of the stub: a thread per connection, kept alive between requests, in bounded number."""

from __future__ import annotations

import socket
import sys
import threading
import traceback
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any

from conformance.target.chain.answers import ClosedSocket, Garbage, HttpStatus
from conformance.target.chain.rpc import Failing

LOOPBACK = "127.0.0.1"
MOST_CONNECTIONS = 128
MOST_BODY_BYTES = 8 * 1024 * 1024
IDLE_S = 60.0
_JOIN_S = 10.0
_LONGEST_LINE = 1024

Respond = Callable[[bytes], bytes | Failing]


class ChainServer(ThreadingHTTPServer):
    """Serves on a free port of the loopback address. `problems` are failures of the stub itself, which must not be."""

    daemon_threads = True
    request_queue_size = MOST_CONNECTIONS

    def __init__(self, respond: Respond) -> None:
        self.respond = respond
        self.problems: list[str] = []
        self._open: set[socket.socket] = set()
        self._workers: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._accepting = threading.Thread(target=self.serve_forever, args=(0.05,), name="chain-stub", daemon=True)
        super().__init__((LOOPBACK, 0), _Handler)

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self.server_address[1])

    def start(self) -> None:
        """Begin to serve."""
        self._accepting.start()

    def stop(self) -> None:
        """Cut all connections and stop; returns when every thread is done."""
        if self._accepting.ident is not None:
            self.shutdown()
            self._accepting.join(_JOIN_S)
        self.server_close()
        with self._lock:
            connections, threads = tuple(self._open), tuple(self._workers)
        for connection in connections:
            _cut(connection)
        for thread in threads:
            thread.join(_JOIN_S)

    def server_bind(self) -> None:
        """Bind without asking a name server who this is."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = LOOPBACK, self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as the base class has it
        """Give a connection a thread of its own, or close it when there are too many."""
        thread = threading.Thread(target=self.process_request_thread, args=(request, client_address), daemon=True)
        with self._lock:
            full = len(self._open) >= MOST_CONNECTIONS
            if not full:
                self._open.add(request)
                self._workers = [*(other for other in self._workers if other.is_alive()), thread]
                thread.start()
        if full:
            self.shutdown_request(request)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401 - as the base class has it
        """Close a connection and forget it."""
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as the base class has it
        """Keep what went wrong, unless it was only the connection."""
        if not isinstance(sys.exc_info()[1], OSError):
            self.problems.append(traceback.format_exc())


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = IDLE_S
    server: ChainServer

    def do_POST(self) -> None:
        """Answer one request."""
        body = self._body()
        if body is None:
            return
        answer = self.server.respond(body)
        match answer:
            case ClosedSocket():
                self.close_connection = True
            case HttpStatus(status=status):
                self._send(status, b"out of order\n", "text/plain")
            case Garbage(body=garbage):
                self._send(HTTPStatus.OK, garbage, "application/json")
            case _:
                self._send(HTTPStatus.OK, answer, "application/json")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class has it
        """Write no log."""

    def _body(self) -> bytes | None:
        """Read the body of a request, whole or in chunks; refuse it and give None when it is too long or not stated."""
        refused = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        try:
            if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
                body = self._chunks()
            else:
                length = _size(self.headers["Content-Length"] or "", 10)
                body = self.rfile.read(length) if length <= MOST_BODY_BYTES else None
        except ValueError:
            body, refused = None, HTTPStatus.BAD_REQUEST
        if body is None:
            self.close_connection = True
            self._send(refused, b"", "text/plain")
        return body

    def _chunks(self) -> bytes | None:
        """Read a body in chunks; None for one that is too long."""
        body = b""
        while size := _size(self.rfile.readline(_LONGEST_LINE).split(b";")[0].decode("ascii"), 16):
            if len(body) + size > MOST_BODY_BYTES:
                return None
            body += self.rfile.read(size)
            self.rfile.readline(_LONGEST_LINE)
        while self.rfile.readline(_LONGEST_LINE).strip():
            pass  # trailers
        return body

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response_only(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        # one write for all: two would wait for an acknowledgement in between
        self._headers_buffer: list[bytes] = [*self._headers_buffer, b"\r\n", body]
        self.flush_headers()


def _size(text: str, base: int) -> int:
    """Read a length. Raises ValueError for what is none."""
    size = int(text, base)
    if size < 0:
        raise ValueError("a negative length")
    return size


def _cut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it is closed already
