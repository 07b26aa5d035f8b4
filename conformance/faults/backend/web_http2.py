"""A variation whose gRPC-Web is served over HTTP/2 alone: the contract names no version (API-285)."""

from __future__ import annotations

import socket
from collections.abc import Mapping

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import h2.settings

from conformance.faults.backend.publish_parts import clauses
from conformance.faults.backend.web import bridged
from conformance.faults.registry import Variant
from conformance.reference.backend.front.web import CHUNK_BYTES, Exchange, Headers, Web

_PREFACE_BYTES, _FRAME_HEADER_BYTES, _SETTING_BYTES = 24, 9, 6
_CONCURRENT_STREAMS = int(h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS)
_GRPC_BINARY = 0xFE03  # what only libraries of gRPC say

Request = tuple[str, str, Mapping[str, str], bytes]


class Http2Exchange(Exchange):
    """Requests and replies of one HTTP/2 connection, one after the other."""

    def __init__(self, connection: socket.socket) -> None:
        super().__init__(connection)
        self._socket = connection
        self._h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="latin-1"))
        self._h2.initiate_connection()
        self._headers: dict[int, dict[str, str]] = {}
        self._bodies: dict[int, bytearray] = {}
        self._whole: list[int] = []
        self._number = 0

    def request(self) -> Request | None:
        """Wait for the next request that is whole."""
        while not self._whole:
            if not self._receive():
                return None
        self._number = self._whole.pop(0)
        headers, body = self._headers.pop(self._number), bytes(self._bodies.pop(self._number))
        plain = {name: value for name, value in headers.items() if not name.startswith(":")}
        return headers[":method"], headers[":path"], plain, body

    def begin(self, headers: Headers) -> None:
        """Begin a reply."""
        self.begun = True
        self._h2.send_headers(self._number, [(":status", "200"), *headers])
        self._flush()

    def send(self, piece: bytes) -> None:
        """Send a piece of the body as the windows of the client allow."""
        rest = memoryview(piece)
        while rest:
            room = min(self._h2.local_flow_control_window(self._number), self._h2.max_outbound_frame_size, len(rest))
            if room > 0:
                self._h2.send_data(self._number, bytes(rest[:room]))
                rest = rest[room:]
                self._flush()
            elif not self._receive():
                raise OSError("the client has gone")

    def end(self) -> None:
        """End the body."""
        self._h2.end_stream(self._number)
        self._flush()

    def reply(self, status: int, headers: Headers) -> None:
        """Reply without a body."""
        lower = [(name.lower(), value) for name, value in headers]
        self._h2.send_headers(self._number, [(":status", str(status)), *lower], end_stream=True)
        self._flush()

    def next(self) -> bool:
        """Make ready for the next request."""
        self.begun = False
        return True

    def _receive(self) -> bool:
        data = self._socket.recv(CHUNK_BYTES)
        for event in self._h2.receive_data(data) if data else ():
            if isinstance(event, h2.events.RequestReceived) and event.stream_id:
                self._headers[event.stream_id] = {str(name): str(value) for name, value in event.headers or ()}
                self._bodies[event.stream_id] = bytearray()
            elif isinstance(event, h2.events.DataReceived) and event.stream_id:
                self._bodies[event.stream_id] += event.data or b""
                self._h2.acknowledge_received_data(event.flow_controlled_length or 0, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded) and event.stream_id in self._headers:
                self._whole.append(event.stream_id)
        self._flush()
        return bool(data)

    def _flush(self) -> None:
        self._socket.sendall(self._h2.data_to_send())


class Http2Only(Web):
    """Tells a page by the settings it begins with: it limits the streams of a server."""

    def takes(self, connection: socket.socket, beginning: bytes) -> bool:
        """Look at the settings of HTTP/2, and take every other connection to close it."""
        if not super().takes(connection, beginning):
            head = connection.recv(_PREFACE_BYTES + _FRAME_HEADER_BYTES, socket.MSG_PEEK | socket.MSG_WAITALL)
            length = int.from_bytes(head[_PREFACE_BYTES : _PREFACE_BYTES + 3], "big")
            whole = connection.recv(len(head) + length, socket.MSG_PEEK | socket.MSG_WAITALL)[len(head) :]
            numbers = {int.from_bytes(whole[at : at + 2], "big") for at in range(0, len(whole), _SETTING_BYTES)}
            return _CONCURRENT_STREAMS in numbers and _GRPC_BINARY not in numbers
        return True

    def exchange(self, connection: socket.socket) -> Exchange:
        """Speak HTTP/2."""
        return Http2Exchange(connection)

    def serve(self, connection: socket.socket) -> None:
        """Close a connection that is not HTTP/2, or breaks its rules."""
        if connection.recv(3, socket.MSG_PEEK) == b"PRI":
            try:
                super().serve(connection)
            except h2.exceptions.ProtocolError:
                return


VARIANTS: tuple[Variant, ...] = (
    Variant(
        id="V49",
        says="gRPC-Web is served over HTTP/2 alone",
        clauses=clauses("282.a 282.b 282.c 285.a 285.b 285.c 285.d 285.e"),
        build=bridged(Http2Only),
        kind="variation",
    ),
)
