"""A stream sends what it is told when it is told, ends its requests only then, and keeps every message in order."""

from __future__ import annotations

import contextlib
import json
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest

from conformance.wire.channel import Connection
from conformance.wire.recorder import Recorder, recording
from conformance.wire.stream import Respond, Stream, open_stream
from conformance.wire.transcript import Code, Status

Behaviour = Callable[[Iterator[bytes], grpc.ServicerContext], Iterator[bytes]]
Serve = Callable[[Behaviour], Connection]

METHOD = "/any.Service/Talk"
SOON_S = 10.0


class AnyStream(grpc.GenericRpcHandler):
    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes]:
        del handler_call_details
        return grpc.stream_stream_rpc_method_handler(self.behaviour)


@pytest.fixture
def serve() -> Iterator[Serve]:
    with contextlib.ExitStack() as opened:

        def start(behaviour: Behaviour) -> Connection:
            server = grpc.server(ThreadPoolExecutor(4), handlers=[AnyStream(behaviour)])
            port = server.add_insecure_port("127.0.0.1:0")
            server.start()
            opened.callback(lambda: server.stop(None).wait())
            connection = Connection(f"127.0.0.1:{port}", fresh=True, token="hunter2hunter2")  # noqa: S106 - made up
            opened.callback(connection.close)
            return connection

        yield start


@contextlib.contextmanager
def opened(connection: Connection, request: bytes | None = None, respond: Respond | None = None) -> Iterator[Stream]:
    stream = open_stream(connection, METHOD, request=request, respond=respond)
    try:
        yield stream
    finally:
        stream.close()


def data_of(stream: Stream) -> bytes | None:
    frame = stream.receive(SOON_S)
    return None if frame is None else frame.data


def echo(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
    del context
    yield b"started"
    for request in requests:
        yield b"echo " + request
    yield b"bye"


def test_a_message_comes_before_anything_was_sent(serve: Serve) -> None:
    with opened(serve(echo)) as stream:
        assert data_of(stream) == b"started"
        assert stream.call.frames[0].data == b"started"
        assert stream.status is None


def test_the_requests_end_only_when_told(serve: Serve) -> None:
    with opened(serve(echo)) as stream:
        stream.send(b"one")
        assert [data_of(stream), data_of(stream)] == [b"started", b"echo one"]
        assert stream.receive(0.1) is None
        assert stream.status is None
        stream.half_close()
        assert [data_of(stream), data_of(stream)] == [b"bye", None]
        assert stream.wait_ended(SOON_S)
        assert stream.status == Status(code=Code.OK)


def test_nothing_can_be_sent_behind_a_half_close(serve: Serve) -> None:
    with opened(serve(echo)) as stream:
        stream.half_close()
        stream.half_close()
        with pytest.raises(RuntimeError, match="have been ended"):
            stream.send(b"late")


def test_a_request_makes_it_a_server_stream(serve: Serve) -> None:
    with opened(serve(echo), request=b"all") as stream:
        assert [data_of(stream) for _ in range(4)] == [b"started", b"echo all", b"bye", None]


def test_a_message_sent_stands_before_its_answer_and_times_never_run_back(serve: Serve) -> None:
    with opened(serve(echo)) as stream:
        for number in range(50):
            stream.send(b"%d" % number)
        stream.half_close()
        assert stream.wait_ended(SOON_S)
        call = stream.call
    places = {(frame.sent, frame.data): place for place, frame in enumerate(call.frames)}
    assert all(places[True, b"%d" % n] < places[False, b"echo %d" % n] for n in range(50))
    assert call.half_closed_at is not None
    assert all(not frame.sent for frame in call.frames[call.half_closed_at :])
    times = [call.started_ns, *(frame.at_ns for frame in call.frames), call.ended_ns or 0]
    assert times == sorted(times)


def test_a_status_of_the_target_was_received_with_its_message(serve: Serve) -> None:
    def refuse(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        yield b"started"
        next(requests)
        context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, "no pong")

    with opened(serve(refuse)) as stream:
        stream.send(b"x")
        assert stream.wait_ended(SOON_S)
        assert stream.status == Status(code=Code.DEADLINE_EXCEEDED, message="no pong", local=False)
        assert [data_of(stream), data_of(stream)] == [b"started", None]


def test_messages_that_came_before_the_end_are_not_lost_by_it(serve: Serve) -> None:
    def flood(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        del requests
        for number in range(300):
            yield b"%d" % number
        context.abort(grpc.StatusCode.UNAVAILABLE, "stopping")

    with opened(serve(flood)) as stream:
        assert stream.wait_ended(SOON_S)
        assert [data_of(stream) for _ in range(301)] == [*(b"%d" % number for number in range(300)), None]


def test_a_cancelled_stream_ends_here_and_at_the_target(serve: Serve) -> None:
    gone = threading.Event()

    def wait(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        context.add_callback(gone.set)
        yield b"started"
        yield from requests

    with opened(serve(wait)) as stream:
        assert data_of(stream) == b"started"
        stream.cancel()
        assert stream.wait_ended(SOON_S)
        assert stream.status is not None
        assert (stream.status.code, stream.status.local) == (Code.CANCELLED, True)
        assert stream.call.cancelled_at == 1
        assert gone.wait(SOON_S)


def test_a_local_deadline_is_local(serve: Serve) -> None:
    stream = open_stream(serve(echo), METHOD, deadline_s=0.2)
    assert stream.wait_ended(SOON_S)
    assert stream.status is not None
    assert (stream.status.code, stream.status.local) == (Code.DEADLINE_EXCEEDED, True)
    stream.close()


def test_no_time_limit_travels_unless_asked_for(serve: Serve) -> None:
    left: queue.SimpleQueue[float | None] = queue.SimpleQueue()

    def tell(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        left.put(context.time_remaining())
        yield from requests

    with opened(serve(tell)):
        remaining = left.get(timeout=SOON_S)
    assert remaining is None or remaining > 1e9


def test_an_answer_is_sent_by_the_reader_without_its_user(serve: Serve) -> None:
    def ask(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        del context
        yield b"ping"
        yield b"other"
        yield b"got " + next(requests)

    with opened(serve(ask), respond=lambda data: b"pong" if data == b"ping" else None) as stream:
        assert stream.wait_ended(SOON_S)
        assert [frame.data for frame in stream.call.received] == [b"ping", b"other", b"got pong"]
        assert [frame.data for frame in stream.call.frames if frame.sent] == [b"pong"]


def test_a_refused_connection_ends_the_stream_locally() -> None:
    with contextlib.closing(Connection("127.0.0.1:1", fresh=True)) as connection, opened(connection) as stream:
        assert stream.wait_ended(SOON_S)
        assert stream.status is not None
        assert stream.status.local


def test_a_closed_connection_ends_its_streams(serve: Serve) -> None:
    connection = serve(echo)
    with opened(connection) as stream:
        assert data_of(stream) == b"started"
        connection.close()
        assert stream.wait_ended(SOON_S)
        assert stream.status is not None
        assert stream.status.local
    with pytest.raises(RuntimeError, match="has been closed"):
        open_stream(connection, METHOD)


def test_no_thread_is_left_behind(serve: Serve) -> None:
    connection = serve(echo)
    with opened(connection) as stream:
        assert data_of(stream) == b"started"
    assert not [thread for thread in threading.enumerate() if thread.name == f"reader of {METHOD}"]


def test_a_stream_is_in_the_transcript_without_its_secret_and_within_the_budget(serve: Serve) -> None:
    connection = serve(echo)
    with recording(Recorder(budget_bytes=3000)) as recorder, opened(connection) as stream:
        stream.send(b"hunter2hunter2")
        stream.send(b"x" * 5000)
        stream.half_close()
        assert stream.wait_ended(SOON_S)
        assert len(stream.call.frames[-2].data) == 5005, "the user of the stream gets it whole"
    (kept,) = recorder.streams
    assert kept.status == Status(code=Code.OK)
    assert kept.half_closed_at == stream.call.half_closed_at
    assert sum(len(frame.data) for frame in kept.frames) < 3000 + 2 * 1024
    shown = json.loads(json.dumps(recorder.to_json()))["streams"][0]
    assert "hunter2" not in json.dumps(shown)
    assert "aHVudGVyMg" not in json.dumps(shown)
    assert shown["request_metadata"] == [["authorization", "<redacted>"]]
    assert [frame["length"] for frame in shown["frames"] if frame["direction"] == "sent"] == [14, 5000]
    assert [frame.get("truncated", False) for frame in shown["frames"] if frame["length"] > 5000] == [True]
