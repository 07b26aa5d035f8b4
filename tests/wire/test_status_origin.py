"""Which statuses this side made up, measured against a scripted HTTP/2 peer that does what no honest server does."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from conformance.wire.channel import Connection
from conformance.wire.transcript import Code, Status

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, CONTINUATION = 0, 1, 3, 4, 6, 7, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1
PREFACE_BYTES = 24
LARGEST_FRAME = 16_000

Script = Callable[[socket.socket, int], object]


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def length(count: int) -> bytes:
    if count < 127:
        return bytes([count])
    out, count = bytearray([127]), count - 127
    while count >= 128:
        out.append(count % 128 | 128)
        count >>= 7
    return bytes([*out, count])


def header(name: str, value: str) -> bytes:
    """One HPACK literal without indexing, so that no table has to be kept."""
    return b"\x00" + length(len(name)) + name.encode() + length(len(value)) + value.encode()


def status(code: object, message: str | None = None) -> bytes:
    return header("grpc-status", str(code)) + (b"" if message is None else header("grpc-message", message))


def message(data: bytes = b"hi") -> bytes:
    return b"\x00" + struct.pack(">I", len(data)) + data


def send(*frames: tuple[int, int, bytes]) -> Script:
    return lambda peer, stream: peer.sendall(b"".join(frame(kind, flags, stream, body) for kind, flags, body in frames))


def reset(code: int) -> tuple[int, int, bytes]:
    return RST_STREAM, 0, struct.pack(">I", code)


def go_away(peer: socket.socket, stream: int) -> None:
    del stream
    peer.sendall(frame(GOAWAY, 0, 0, struct.pack(">II", 0, 0)))
    peer.shutdown(socket.SHUT_RDWR)


GRPC_200 = b"\x88" + header("content-type", "application/grpc")
STARTED = (HEADERS, END_HEADERS, GRPC_200)
LAST = END_HEADERS | END_STREAM


@dataclass
class ScriptedPeer:
    """Speaks enough HTTP/2 to receive requests, then runs the script with the socket and the stream's number."""

    script: Script
    listener: socket.socket
    requests: int = 0
    header_blocks: list[bytes] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.listener.getsockname()[1]}"

    def accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer: socket.socket) -> None:
        with peer, contextlib.suppress(OSError, EOFError):
            receive(peer, PREFACE_BYTES)
            peer.sendall(frame(SETTINGS, 0, 0))
            while True:
                head = receive(peer, 9)
                payload = receive(peer, int.from_bytes(head[:3], "big"))
                kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
                if kind in {SETTINGS, PING} and not flags & ACK:
                    peer.sendall(frame(kind, ACK, 0, payload if kind == PING else b""))
                elif kind == HEADERS:
                    self.header_blocks.append(payload)
                elif kind == DATA and flags & END_STREAM:
                    self.requests += 1
                    self.script(peer, stream)


def receive(peer: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = peer.recv(count - len(data))
        if not more:
            raise EOFError
        data += more
    return data


@pytest.fixture
def scripted() -> Iterator[Callable[[Script], ScriptedPeer]]:
    with contextlib.ExitStack() as opened:

        def start(script: Script) -> ScriptedPeer:
            listener = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
            peer = ScriptedPeer(script, listener)
            accepting = threading.Thread(target=peer.accept)
            accepting.start()
            opened.callback(accepting.join)
            opened.callback(listener.shutdown, socket.SHUT_RDWR)  # wakes the accept, which a close would not
            return peer

        yield start


def call(address: str, *, deadline_s: float = 20.0) -> Status:
    with contextlib.closing(Connection(address, fresh=True)) as connection:
        return connection.unary("/any.Service/Method", b"request", deadline_s=deadline_s).status


@pytest.mark.parametrize("code", [code for code in Code if code is not Code.OK])
def test_a_status_in_trailers_was_received(scripted: Callable[[Script], ScriptedPeer], code: Code) -> None:
    script = send(STARTED, (HEADERS, LAST, status(int(code), "told so")))
    assert call(scripted(script).address) == Status(code=code, message="told so", local=False)


@pytest.mark.parametrize("code", [code for code in Code if code is not Code.OK])
@pytest.mark.parametrize("text", ["told so", None])
def test_a_status_without_a_response_was_received(
    scripted: Callable[[Script], ScriptedPeer], code: Code, text: str | None
) -> None:
    script = send((HEADERS, LAST, GRPC_200 + status(int(code), text)))
    assert call(scripted(script).address) == Status(code=code, message=text or "", local=False)


RECEIVED: dict[str, tuple[Script, Code]] = {
    "status, then a reset without error": (
        send(STARTED, (HEADERS, LAST, status(11, "long")), reset(0)),
        Code.OUT_OF_RANGE,
    ),
    "status behind a message": (send(STARTED, (DATA, 0, message()), (HEADERS, LAST, status(3))), Code.INVALID_ARGUMENT),
    "a text like the library's, with a code it never makes": (
        send((HEADERS, LAST, GRPC_200 + status(11, "Stream removed (no)"))),
        Code.OUT_OF_RANGE,
    ),
    "grpc-status beside an HTTP error": (
        send((HEADERS, LAST, header(":status", "503") + header("content-type", "application/grpc") + status(9, "m"))),
        Code.FAILED_PRECONDITION,
    ),
    "a code that does not exist": (send((HEADERS, LAST, GRPC_200 + status(99, "odd"))), Code.UNKNOWN),
}


@pytest.mark.parametrize("name", RECEIVED)
def test_a_status_that_came_over_the_wire_is_not_local(scripted: Callable[[Script], ScriptedPeer], name: str) -> None:
    script, code = RECEIVED[name]
    seen = call(scripted(script).address)
    assert (seen.code, seen.local) == (code, False)


LOCAL: dict[str, tuple[Script, Code]] = {
    "end of stream behind a message": (send(STARTED, (DATA, END_STREAM, message())), Code.UNKNOWN),
    "end of stream in the headers": (send((HEADERS, LAST, GRPC_200)), Code.UNKNOWN),
    "trailers without a status": (send(STARTED, (HEADERS, LAST, header("x-other", "1"))), Code.UNKNOWN),
    "a status that is no number": (send((HEADERS, LAST, GRPC_200 + status("abc"))), Code.INTERNAL),
    "HTTP 401": (send((HEADERS, LAST, header(":status", "401"))), Code.UNAUTHENTICATED),
    "HTTP 403": (send((HEADERS, LAST, header(":status", "403"))), Code.PERMISSION_DENIED),
    "HTTP 404 with a body": (
        send((HEADERS, END_HEADERS, header(":status", "404")), (DATA, END_STREAM, b"not here")),
        Code.UNIMPLEMENTED,
    ),
    "HTTP 503": (send((HEADERS, LAST, header(":status", "503"))), Code.UNAVAILABLE),
    "a page of HTML": (
        send((HEADERS, END_HEADERS, b"\x88" + header("content-type", "text/html")), (DATA, END_STREAM, b"<html>hello")),
        Code.UNKNOWN,
    ),
    "the connection closes": (lambda peer, _: peer.shutdown(socket.SHUT_RDWR), Code.UNAVAILABLE),
    "going away, then closed": (
        go_away,
        Code.UNAVAILABLE,
    ),
    "something else than HTTP/2": (lambda peer, _: peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n"), Code.INTERNAL),
    "compressed against our wish": (
        send(STARTED, (DATA, 0, b"\x01" + message()[1:]), (HEADERS, LAST, status(0))),
        Code.INTERNAL,
    ),
}


@pytest.mark.parametrize("name", LOCAL)
def test_a_status_that_nobody_sent_is_local(scripted: Callable[[Script], ScriptedPeer], name: str) -> None:
    script, code = LOCAL[name]
    seen = call(scripted(script).address)
    assert (seen.code, seen.local) == (code, True)


RESETS = {0: Code.INTERNAL, 1: Code.INTERNAL, 2: Code.INTERNAL, 3: Code.INTERNAL, 7: Code.UNAVAILABLE}
RESETS |= {8: Code.CANCELLED, 11: Code.RESOURCE_EXHAUSTED, 12: Code.PERMISSION_DENIED, 13: Code.INTERNAL}


@pytest.mark.parametrize(("reset_code", "code"), RESETS.items())
@pytest.mark.parametrize(
    "before", [(), (STARTED,), (STARTED, (DATA, 0, message()))], ids=["bare", "headers", "message"]
)
def test_a_reset_stream_is_local_and_is_not_tried_again(
    scripted: Callable[[Script], ScriptedPeer],
    reset_code: int,
    code: Code,
    before: tuple[tuple[int, int, bytes], ...],
) -> None:
    peer = scripted(send(*before, reset(reset_code)))
    seen = call(peer.address)
    assert (seen.code, seen.local, peer.requests) == (code, True, 1)


def test_silence_until_the_deadline_is_local(scripted: Callable[[Script], ScriptedPeer]) -> None:
    seen = call(scripted(lambda _peer, _stream: None).address, deadline_s=0.2)
    assert (seen.code, seen.local) == (Code.DEADLINE_EXCEEDED, True)


def test_a_peer_that_never_finishes_connecting_is_local() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        seen = call(f"127.0.0.1:{listener.getsockname()[1]}", deadline_s=0.2)
    assert (seen.code, seen.local) == (Code.DEADLINE_EXCEEDED, True)


def test_a_refused_connection_is_local() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    seen = call(f"127.0.0.1:{port}")
    assert (seen.code, seen.local) == (Code.UNAVAILABLE, True)


def test_a_status_as_long_as_hundreds_of_kilobytes_arrives_whole(scripted: Callable[[Script], ScriptedPeer]) -> None:
    block = status(3) + header("x-long", "a" * 300_000)
    parts = [block[at : at + LARGEST_FRAME] for at in range(0, len(block), LARGEST_FRAME)]
    kinds = [(HEADERS, END_STREAM), *[(CONTINUATION, 0)] * (len(parts) - 2), (CONTINUATION, END_HEADERS)]
    script = send(STARTED, *((kind, flags, part) for (kind, flags), part in zip(kinds, parts, strict=True)))
    assert call(scripted(script).address) == Status(code=Code.INVALID_ARGUMENT, message="", local=False)


def test_ok_without_a_message_is_ok_with_no_response(scripted: Callable[[Script], ScriptedPeer]) -> None:
    peer = scripted(send(STARTED, (HEADERS, LAST, status(0))))
    with contextlib.closing(Connection(peer.address)) as connection:
        ended = connection.unary("/any.Service/Method", b"request")
    assert (ended.status, ended.response) == (Status(code=Code.OK), None)


def test_no_compression_is_offered_for_responses(scripted: Callable[[Script], ScriptedPeer]) -> None:
    peer = scripted(send(STARTED, (HEADERS, LAST, status(0))))
    call(peer.address)
    assert b"gzip" not in peer.header_blocks[0]
    assert b"deflate" not in peer.header_blocks[0]
    assert b"te" in peer.header_blocks[0], "the header block is readable without Huffman decoding"
