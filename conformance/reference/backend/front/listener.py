"""The listening port: tells HTTP/2 from HTTP/1.1 by the first bytes, and passes HTTP/2 through."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

HTTP2 = b"PRI"  # how the preface of HTTP/2 begins, and no method of HTTP/1.1 that is used here
CHUNK_BYTES = 1 << 16
BACKLOG = 1024
BIND_AGAIN_S = 0.05

Address = tuple[str, int]


class Pages(Protocol):
    """Who serves the connections of pages."""

    def takes(self, connection: socket.socket, beginning: bytes) -> bool:
        """Whether a connection is that of a page."""

    def serve(self, connection: socket.socket) -> None:
        """Serve one."""

    def native(self, data: bytes) -> bytes:
        """Return what a client of gRPC sent as it goes on."""


class Listener:
    """Listens on one address in front of the gRPC server at `backend`; `pages` serves what is not for that."""

    def __init__(self, backend: Address, pages: Pages) -> None:
        self._backend = backend
        self._pages = pages
        self._socket = socket.socket()

    def open(self, address: Address, patience_s: float = 0.0) -> int:
        """Listen, and return the port; OSError when it stays taken for `patience_s` seconds."""
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        end = time.monotonic() + patience_s
        while True:
            try:
                self._socket = socket.create_server(address, family=family, backlog=BACKLOG)
            except OSError:
                if time.monotonic() >= end:
                    raise
                time.sleep(BIND_AGAIN_S)
            else:
                return int(self._socket.getsockname()[1])

    def serve(self) -> None:
        """Serve each connection on a thread of its own until `close`."""
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve_one, args=(connection,), daemon=True).start()

    def close(self) -> None:
        """Take no further connection."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _serve_one(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            beginning = connection.recv(len(HTTP2), socket.MSG_PEEK | socket.MSG_WAITALL)
            if not beginning:
                return
            if self._pages.takes(connection, beginning):
                self._pages.serve(connection)
            else:
                self._pass_through(connection)

    def _pass_through(self, client: socket.socket) -> None:
        with socket.create_connection(self._backend) as server:
            server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            back = threading.Thread(target=_copy, args=(server, client), daemon=True)
            back.start()
            _copy(client, server, self._pages.native)
            back.join()


def _copy(source: socket.socket, sink: socket.socket, change: Callable[[bytes], bytes] | None = None) -> None:
    """Hand bytes on until the source ends; a connection that breaks on one side is broken on the other."""
    try:
        while data := source.recv(CHUNK_BYTES):
            sink.sendall(change(data) if change else data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
