"""The raw HTTP/2 client leaves a window closed until told otherwise, and says in what form a stream ended."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.wire.http2 import Http2Connection
from conformance.wire.http2_going_away import GoawayFilter, GoingAway
from conformance.wire.http2_grpc import Deframer, FramingError, framed, status_of
from conformance.wire.http2_stream import Ended, Http2Stream
from conformance.wire.recorder import Recorder, recording
from conformance.wire.transcript import Code, Status

Behaviour = Callable[[Iterator[bytes], grpc.ServicerContext], Iterator[bytes]]
Serve = Callable[..., Http2Connection]

METHOD = "/any.Service/Talk"
SOON_S = 10.0
ACK, END_STREAM, END_HEADERS = 1, 1, 4


class AnyStream(grpc.GenericRpcHandler):
    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes]:
        del handler_call_details
        return grpc.stream_stream_rpc_method_handler(self.behaviour)


class Server:
    def __init__(self, behaviour: Behaviour) -> None:
        self.server = grpc.server(
            ThreadPoolExecutor(4),
            handlers=[AnyStream(behaviour)],
            options=[("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", -1)],
        )
        self.address = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.server.start()


@pytest.fixture
def opened() -> Iterator[contextlib.ExitStack]:
    with contextlib.ExitStack() as stack:
        yield stack


@pytest.fixture
def connect(opened: contextlib.ExitStack) -> Serve:
    def start(behaviour: Behaviour, **options: object) -> Http2Connection:
        server = Server(behaviour)
        opened.callback(lambda: server.server.stop(None).wait())
        connection = Http2Connection(server.address, **options)  # type: ignore[arg-type]
        opened.callback(connection.close)
        return connection

    return start


def echo(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
    del context
    yield b"started"
    yield from requests


def data_of(stream: Http2Stream) -> bytes | None:
    frame = stream.receive(SOON_S)
    return None if frame is None else frame.data


def test_messages_of_any_size_go_out_and_come_back(connect: Serve) -> None:
    stream = connect(echo, stream_window=1 << 30).open(METHOD)
    assert data_of(stream) == b"started"
    for size in (0, 1, 16_384, 300_000):
        assert stream.send(bytes(size))
        assert data_of(stream) == bytes(size)
    stream.half_close()
    assert stream.wait_ended(SOON_S)
    assert (stream.status, stream.how) == (Status(code=Code.OK), Ended.TRAILERS)
    with pytest.raises(RuntimeError, match="have been ended"):
        stream.send(b"late")


def test_no_message_comes_through_a_closed_window_until_it_is_opened(connect: Serve) -> None:
    connection = connect(echo, stream_window=0)
    stream = connection.open(METHOD)
    stream.send(b"x" * 1000)
    assert stream.receive(0.2) is None
    assert [each.what for each in stream.happened] in ([], ["headers"])
    stream.open_window(12)
    assert data_of(stream) == b"started"
    stream.open_window(500)
    assert stream.receive(0.2) is None, "half of a message is no message"
    stream.open_window(505)
    assert data_of(stream) == b"x" * 1000
    stream.half_close()
    assert stream.wait_ended(SOON_S), "a status needs no window"


def test_a_status_waits_behind_data_that_a_closed_window_holds_back(connect: Serve) -> None:
    def fail(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        del requests
        yield b"x" * 100_000
        context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "you do not read")

    stream = connect(fail, stream_window=1000).open(METHOD)
    assert not stream.wait_ended(0.3)
    stream.open_window(1 << 20)
    assert stream.wait_ended(SOON_S)
    assert stream.status == Status(code=Code.RESOURCE_EXHAUSTED, message="you do not read")
    assert len(data_of(stream) or b"") == 100_000


def test_a_closed_window_holds_up_no_other_stream(connect: Serve) -> None:
    def flood(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        del context
        count = int(next(requests))
        for _ in range(count):
            yield b"x" * 50_000

    connection = connect(flood, stream_window=0)
    unread, read = connection.open(METHOD), connection.open(METHOD)
    unread.send(b"100")
    read.open_window(1 << 30)
    read.send(b"100")
    assert read.wait_ended(SOON_S)
    assert len(read.call.received) == 100
    assert unread.call.received == ()


def test_trailers_without_an_answer_are_told_apart(connect: Serve) -> None:
    def refuse(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        del requests
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, "bad \u00fc%")
        yield b""

    stream = connect(refuse).open(METHOD)
    assert stream.wait_ended(SOON_S)
    assert stream.status == Status(code=Code.INVALID_ARGUMENT, message="bad \u00fc%")
    assert stream.how is Ended.TRAILERS_ONLY


def test_a_token_travels_and_is_not_in_the_record(connect: Serve) -> None:
    def tell(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        del requests
        yield str(dict(context.invocation_metadata())["authorization"]).encode()

    with recording(Recorder()) as recorder:
        stream = connect(tell, token="hunter2hunter2").open(METHOD)  # noqa: S106 - made up
        assert data_of(stream) == b"Bearer hunter2hunter2"
        assert stream.wait_ended(SOON_S)
    (kept,) = recorder.streams
    assert kept.request_metadata == (("authorization", "<redacted>"),)
    assert "hunter2" not in str(recorder.to_json())
    assert kept.how == "trailers behind an answer"


def test_a_cancelled_stream_is_local_and_leaves_the_connection_alone(connect: Serve) -> None:
    connection = connect(echo)
    first, second = connection.open(METHOD), connection.open(METHOD)
    assert data_of(first) == b"started"
    first.cancel()
    assert first.status is not None
    assert (first.status.local, first.how) == (True, Ended.HERE)
    assert data_of(second) == b"started"
    connection.close()
    assert second.how is Ended.HERE
    with pytest.raises(RuntimeError, match="cannot be used any more"):
        connection.open(METHOD)


def test_a_graceful_stop_shows_the_status_that_comes_behind_the_goaway(opened: contextlib.ExitStack) -> None:
    stopping = threading.Event()

    def until_stopped(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        del requests
        yield b"started"
        stopping.wait(SOON_S)
        context.abort(grpc.StatusCode.UNAVAILABLE, "stopping")

    server = Server(until_stopped)
    connection = Http2Connection(server.address)
    opened.callback(connection.close)
    stream = connection.open(METHOD)
    assert data_of(stream) == b"started"
    stopped = server.server.stop(SOON_S)
    stopping.set()
    assert stream.wait_ended(SOON_S)
    assert stream.status == Status(code=Code.UNAVAILABLE, message="stopping")
    assert stream.how is Ended.TRAILERS
    stopped.wait()


def frame(kind: int, flags: int, number: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", number) + payload


def field(name: str, value: str) -> bytes:
    return b"\x00" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


GRPC_200 = b"\x88" + field("content-type", "application/grpc")
HEADERS = frame(1, END_HEADERS, 1, GRPC_200)
SCRIPTS: dict[str, tuple[bytes, Ended, int | None]] = {
    "reset": (HEADERS + frame(3, 0, 1, struct.pack(">I", 11)), Ended.RESET, 11),
    "reset behind the status": (
        frame(1, END_HEADERS | END_STREAM, 1, GRPC_200 + field("grpc-status", "8")) + frame(3, 0, 1, bytes(4)),
        Ended.TRAILERS_ONLY,
        None,
    ),
    "no trailers": (HEADERS + frame(0, END_STREAM, 1, framed(b"hi")), Ended.NO_STATUS, None),
    "cut inside a message": (
        HEADERS + frame(0, 0, 1, framed(b"hi")[:-1]) + frame(1, 5, 1, field("grpc-status", "0")),
        Ended.BAD_FRAMING,
        None,
    ),
    "compressed": (HEADERS + frame(0, 0, 1, b"\x01" + framed(b"hi")[1:]), Ended.BAD_FRAMING, None),
    "not taken": (frame(7, 0, 0, struct.pack(">II", 0, 0)), Ended.GOING_AWAY, None),
    "no HTTP/2": (b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", Ended.CONNECTION_LOST, None),
    "closed": (b"", Ended.CONNECTION_LOST, None),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_form_of_an_end_is_known(opened: contextlib.ExitStack, name: str) -> None:
    script, how, error_code = SCRIPTS[name]
    listener = opened.enter_context(socket.create_server(("127.0.0.1", 0)))

    def serve() -> None:
        peer, _ = listener.accept()
        with peer:
            received = b""
            while frame(1, END_HEADERS, 1)[3:9] not in received:
                received += peer.recv(65_536)
            peer.sendall(frame(4, 0, 0) + frame(4, ACK, 0) + script)
            if script:
                peer.settimeout(SOON_S)
                with contextlib.suppress(OSError):
                    while peer.recv(65_536):
                        pass

    serving = threading.Thread(target=serve)
    serving.start()
    opened.callback(serving.join)
    connection = Http2Connection(f"127.0.0.1:{listener.getsockname()[1]}")
    opened.callback(connection.close)
    stream = connection.open(METHOD)
    assert stream.wait_ended(SOON_S)
    assert (stream.how, stream.error_code) == (how, error_code)
    assert stream.status is not None
    assert stream.status.local is (how is not Ended.TRAILERS_ONLY)


def test_no_connection_is_an_os_error() -> None:
    with pytest.raises(OSError, match="refused"):
        Http2Connection("127.0.0.1:1")


@given(st.lists(st.binary(max_size=40)), st.integers(1, 7))
def test_messages_survive_any_cutting_of_their_bytes(messages: list[bytes], step: int) -> None:
    data, deframer = b"".join(map(framed, messages)), Deframer()
    got = [message for at in range(0, len(data), step) for message in deframer.feed(data[at : at + step])]
    assert (got, deframer.unfinished) == (messages, 0)


def test_a_compressed_message_is_refused() -> None:
    with pytest.raises(FramingError, match="compression flag 1"):
        Deframer().feed(b"\x01\0\0\0\0")


@given(st.integers(0, 9), st.integers(1, 30))
def test_a_goaway_is_taken_out_wherever_the_bytes_are_cut(error_code: int, step: int) -> None:
    data, parts, goaways = HEADERS + frame(7, 0, 0, struct.pack(">II", 5, error_code) + b"why") + HEADERS, b"", []
    goaway_filter = GoawayFilter()
    for at in range(0, len(data), step):
        for part in goaway_filter.feed(data[at : at + step]):
            if isinstance(part, GoingAway):
                goaways.append(part)
            else:
                parts += part
    assert parts == HEADERS + HEADERS
    assert goaways == [GoingAway(last_stream=5, error_code=error_code)]


def test_a_status_is_read_as_grpc_writes_it() -> None:
    read = status_of([("grpc-status", "5"), ("grpc-message", "a%20b%C3%BC"), ("grpc-status-details-bin", "CAM")])
    assert read == Status(code=Code.NOT_FOUND, message="a b\u00fc", details_bin=b"\x08\x03")
    assert status_of([("grpc-status", "99")]) == Status(code=Code.UNKNOWN)
    assert status_of([("grpc-status", "abc")]) is None
    assert status_of([]) is None
