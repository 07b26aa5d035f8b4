"""gRPC-Web over HTTP/1.1: each call is made on the gRPC server, and its frames are handed on as they come."""

from __future__ import annotations

import base64
import binascii
import socket
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import h11

from conformance.reference.backend.front import cors
from conformance.reference.backend.front.frames import (
    COMPRESSED,
    Fields,
    FramingError,
    frame,
    message_of,
    seconds_of,
    status_fields,
    trailer_frame,
)
from conformance.reference.backend.front.listener import HTTP2

if TYPE_CHECKING:
    import grpc

CHUNK_BYTES = 1 << 16
CONTENT_TYPE = "application/grpc-web+proto"
CONTENT_TYPES = {CONTENT_TYPE, "application/grpc-web"}
INVALID_ARGUMENT, UNIMPLEMENTED = 3, 12
NO_CONTENT, BAD_METHOD, BAD_TYPE = 204, 405, 415

# Headers that speak of this connection or of the page, and not to the method that is called.
_OWN = {"host", "connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "origin", "referer"}
_OWN |= {"user-agent", "x-user-agent", "x-grpc-web", "grpc-timeout", "grpc-encoding"}
_OWN_PREFIXES = ("content-", "accept", "access-control-", "sec-", "grpc-accept-", "proxy-")

Headers = tuple[tuple[str, str], ...]


class Web:
    """Makes the calls of HTTP/1.1 connections on the gRPC server at HOST:PORT."""

    def __init__(self, backend: str) -> None:
        self._backend = backend
        self._made: grpc.Channel | None = None

    def takes(self, connection: socket.socket, beginning: bytes) -> bool:
        """Whether a connection, whose first bytes are given and still to be read, is that of a page."""
        del connection
        return beginning != HTTP2

    def exchange(self, connection: socket.socket) -> Exchange:
        """Return what speaks HTTP on a connection."""
        return Exchange(connection)

    def serve(self, connection: socket.socket) -> None:
        """Serve the requests of one connection until it ends."""
        exchange = self.exchange(connection)
        while (request := exchange.request()) is not None:
            method, path, headers, body = request
            allowed = self.preflight(headers) if cors.is_preflight(method, headers) else None
            if allowed is not None:
                exchange.reply(NO_CONTENT, allowed)
            elif method != "POST":
                exchange.reply(BAD_METHOD, (("allow", "POST, OPTIONS"), *self.common(headers)))
            elif headers.get("content-type", "").partition(";")[0].strip() not in CONTENT_TYPES:
                exchange.reply(BAD_TYPE, self.common(headers))
            else:
                self._call(exchange, path, headers, body)
            if not exchange.next():
                return

    def preflight(self, headers: Mapping[str, str]) -> Headers | None:
        """Return the headers that answer a preflight; None to treat it as any other request."""
        return cors.preflight_headers(headers)

    def common(self, headers: Mapping[str, str]) -> Headers:
        """Return the headers of every reply that has a message or only a request error."""
        return cors.reply_headers(headers)

    def failed(self, headers: Mapping[str, str]) -> Headers:
        """Return the headers of a reply that has no message but its status."""
        return cors.reply_headers(headers)

    def serves(self, path: str) -> bool:
        """Whether a method may be called over gRPC-Web: every one may."""
        del path
        return True

    def trailers(self, fields: Fields) -> Fields:
        """Return the trailers as the client gets them."""
        return fields

    def handed_on(self, frames: Iterator[bytes]) -> Iterator[bytes]:
        """Return the frames as they go out: each as soon as it is there."""
        return frames

    def native(self, data: bytes) -> bytes:
        """Return what a client of HTTP/2 sent as it goes on to the gRPC server."""
        return data

    def options(self) -> Sequence[tuple[str, int]]:
        """Channel arguments of the calls."""
        return (
            ("grpc.max_receive_message_length", -1),
            ("grpc.max_send_message_length", -1),
            ("grpc.enable_retries", 0),
            ("grpc.enable_http_proxy", 0),
        )

    def end(self, exchange: Exchange, headers: Mapping[str, str], fields: Fields) -> None:
        """End a reply: behind its messages with a frame of trailers, or with its headers alone if it has none."""
        if exchange.begun:
            exchange.send(trailer_frame(fields))
            exchange.end()
        else:
            exchange.reply(200, (("content-type", CONTENT_TYPE), *self.failed(headers), *fields))

    def _call(self, exchange: Exchange, path: str, headers: Mapping[str, str], body: bytes) -> None:
        try:
            flags, message = message_of(body)
        except FramingError as error:
            self._end(exchange, headers, status_fields(INVALID_ARGUMENT, str(error), ()))
            return
        if flags & COMPRESSED or not self.serves(path):
            self._end(exchange, headers, status_fields(UNIMPLEMENTED, "this is not supported", ()))
            return
        method: grpc.UnaryStreamMultiCallable[bytes, bytes] = self._channel().unary_stream(path)
        call = method(message, timeout=seconds_of(headers.get("grpc-timeout")), metadata=_metadata(headers))
        try:
            for out in self.handed_on(frame(0, reply) for reply in _replies(call)):
                if not exchange.begun:
                    exchange.begin((("content-type", CONTENT_TYPE), *self.common(headers)))
                exchange.send(out)
        finally:
            call.cancel()  # nobody reads on when sending has failed; a call that has ended stays as it is
        trailing = [(pair[0], pair[1]) for pair in call.trailing_metadata() or ()]
        self._end(exchange, headers, status_fields(call.code().value[0], call.details() or "", trailing))

    def _end(self, exchange: Exchange, headers: Mapping[str, str], fields: Fields) -> None:
        self.end(exchange, headers, self.trailers(fields))

    def _channel(self) -> grpc.Channel:
        import grpc  # noqa: PLC0415 - most fronts never see a gRPC-Web call, and begin sooner without it

        if self._made is None:
            self._made = grpc.insecure_channel(self._backend, options=self.options())
        return self._made


class Exchange:
    """Requests and replies of one HTTP/1.1 connection."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._http = h11.Connection(h11.SERVER)
        self.begun = False

    def request(self) -> tuple[str, str, Mapping[str, str], bytes] | None:
        """Wait for the next request: method, path, headers by lower-case name, body. None at the end."""
        request: h11.Request | None = None
        body: list[bytes] = []
        try:
            while not isinstance(event := self._event(), h11.EndOfMessage):
                if isinstance(event, h11.Request):
                    request = event
                elif isinstance(event, h11.Data):
                    body.append(bytes(event.data))
                else:
                    return None
        except h11.RemoteProtocolError as error:
            self.reply(error.error_status_hint, (("connection", "close"),))
            return None
        if request is None:
            return None
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in request.headers}
        return request.method.decode("latin-1"), request.target.decode("latin-1"), headers, b"".join(body)

    def begin(self, headers: Headers) -> None:
        """Begin a reply whose body comes in pieces."""
        self.begun = True
        self._send(h11.Response(status_code=200, headers=_encoded(headers)))

    def send(self, piece: bytes) -> None:
        """Send a piece of the body at once."""
        self._send(h11.Data(data=piece))

    def end(self) -> None:
        """End the body."""
        self._send(h11.EndOfMessage())

    def reply(self, status: int, headers: Headers) -> None:
        """Reply without a body."""
        length = () if status == NO_CONTENT else (("content-length", "0"),)
        self._send(h11.Response(status_code=status, headers=_encoded((*headers, *length))))
        self.end()

    def next(self) -> bool:
        """Make ready for the next request; False when the connection cannot carry one."""
        self.begun = False
        if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            return False
        self._http.start_next_cycle()
        return True

    def _event(self) -> object:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if self._http.they_are_waiting_for_100_continue:
                self._send(h11.InformationalResponse(status_code=100, headers=[]))
            self._http.receive_data(self._connection.recv(CHUNK_BYTES))
        return event

    def _send(self, event: h11.Event) -> None:
        data = self._http.send(event)
        if data:
            self._connection.sendall(data)


def _replies(call: Iterator[bytes]) -> Iterator[bytes]:
    import grpc  # noqa: PLC0415 - as above

    try:
        yield from call
    except grpc.RpcError:
        return  # the status is read from the call


def _encoded(headers: Headers) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]


def _metadata(headers: Mapping[str, str]) -> tuple[tuple[str, str | bytes], ...]:
    """Return what the headers say to the method: everything that is not about the connection or the page."""
    metadata: list[tuple[str, str | bytes]] = []
    for name, value in headers.items():
        if name in _OWN or name.startswith(_OWN_PREFIXES):
            continue
        if not name.endswith("-bin"):
            metadata.append((name, value))
            continue
        try:
            metadata.append((name, base64.b64decode(value + "=" * (-len(value) % 4), validate=True)))
        except binascii.Error:
            continue  # no value at all
    return tuple(metadata)
