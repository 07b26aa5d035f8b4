"""The verbs of a stream say what a client does; a wait ends with what came, or tells why it did not."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest

from conformance.oracle.frames import findings
from conformance.pb import backend_pb2 as pb
from conformance.target.errors import Undecided
from conformance.target.limits import Limits
from conformance.target.node import Node, Position
from conformance.target.stream_ends import Late, UnexpectedEnd, UnexpectedFrame
from conformance.target.stream_pace import Pace, pace_of
from conformance.wire.channel import Connection
from conformance.wire.transcript import Code, Meta

Talk = Callable[[Iterator[bytes], grpc.ServicerContext], Iterator[bytes]]
Serve = Callable[[Talk], Node]

A, B = bytes(16) + b"a", bytes(16) + b"b"
HEAD = {A: 7, B: 8, b"": 0}
STARTED = pb.SubscribeResponse(started=pb.SubscribeResponse.Started(keepalive_interval_ms=300)).SerializeToString()


def messages(*rows: tuple[bytes, int]) -> bytes:
    response = pb.SubscribeResponse()
    for topic, number in rows:
        entry = response.messages.envelopes.add()
        entry.meta.topic.topic, entry.meta.cursor.sequence_id, entry.meta.message_hash.sha256 = topic, number, bytes(32)
        entry.envelope.group_message.data = b"data %d" % number
    return response.SerializeToString()


def applied(number: int, *targets: tuple[bytes, int]) -> bytes:
    response = pb.SubscribeResponse()
    response.applied.id = number
    for topic, through in targets:
        response.applied.added_targets.add(topic=pb.Topic(topic=topic), through_sequence_id=through)
    return response.SerializeToString()


def ping(nonce: int) -> bytes:
    return pb.SubscribeResponse(ping=pb.Ping(nonce=nonce)).SerializeToString()


def honest(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
    """Applies every Update with a target of its own for each topic, delivers it, and answers Pings."""
    del context
    yield STARTED
    for data in requests:
        request = pb.SubscribeRequest.FromString(data)
        if request.HasField("update"):
            topics = [query.topic.topic for query in request.update.adds]
            yield applied(request.update.id, *((topic, HEAD[topic]) for topic in topics))
            if topics:
                yield messages(*((topic, HEAD[topic]) for topic in topics))
        elif request.HasField("ping"):
            yield pb.SubscribeResponse(pong=pb.Pong(nonce=request.ping.nonce)).SerializeToString()


class Backend(grpc.GenericRpcHandler):
    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        self.lives = True

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes]:
        if handler_call_details.method.endswith("GetConfiguration"):
            return grpc.unary_unary_rpc_method_handler(lambda _request, _context: b"")
        return grpc.stream_stream_rpc_method_handler(self.talk)


@pytest.fixture
def serve() -> Iterator[Serve]:
    with contextlib.ExitStack() as opened:

        def start(talk: Talk) -> Node:
            server = grpc.server(ThreadPoolExecutor(8), handlers=[Backend(talk)], options=[("grpc.so_reuseport", 0)])
            address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
            server.start()
            opened.callback(lambda: server.stop(None).wait())
            node = Node(Connection(address, fresh=True), Limits())
            opened.callback(node.close)
            return node

        yield start


def test_a_stream_reads_like_prose(serve: Serve) -> None:
    with serve(honest).subscribe() as stream:
        assert stream.started().interval_ms == 300
        targets = stream.applied(stream.add(A, Position(B, 3))).targets
        assert [(target.topic, target.through) for target in targets] == [(A, 7), (B, 8)]
        stream.until(A, 7)
        assert [row.meta.sequence_id for row in stream.rows_of(B)] == [8]
        assert (
            stream.rows[0].envelope
            == pb.ClientEnvelope(group_message=pb.GroupMessage(data=b"data 7")).SerializeToString()
        )
        assert stream.applied(stream.remove(A)).targets == ()
        stream.round_trip()
        stream.half_close()
        assert stream.end().code is Code.OK
        assert findings(stream.call) == ()


def test_the_raw_http2_stream_has_the_same_verbs(serve: Serve) -> None:
    with serve(honest).subscribe_unread(window_bytes=500) as stream:
        stream.started()
        stream.applied(stream.add(A))
        stream.until(A, 7)
        for _ in range(20):
            stream.add(B)
        stream.patience_s = 0.3
        with pytest.raises(Late, match="has waited 0"):
            stream.applied(21)
        stream.patience_s = 10.0
        stream.read_on()
        stream.applied(21)
        stream.half_close()
        assert stream.end().code is Code.OK


def test_positions_stand_on_the_wire_as_they_are_given(serve: Serve) -> None:
    with serve(honest).subscribe() as stream:
        stream.update(adds=[A, Position(B, 0), Position(None, 5)], removes=[b"x"], id=9)
        (frame,) = (frame for frame in stream.frames if frame.sent)
        stream.add()
        stream.applied(10)
    update = pb.SubscribeRequest.FromString(frame.data).update
    assert [(query.HasField("topic"), query.HasField("cursor")) for query in update.adds] == [
        (True, False),
        (True, True),
        (False, True),
    ]
    assert (update.id, update.removes[0].topic) == (9, b"x")


def test_a_static_stream_has_targets_and_keepalives(serve: Serve) -> None:
    def static(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        request = pb.SubscribeStaticRequest.FromString(next(requests))
        started = pb.SubscribeStaticResponse()
        started.started.keepalive_interval_ms = 5
        for query in request.topics:
            started.started.targets.add(topic=query.topic, through_sequence_id=query.cursor.sequence_id)
        yield started.SerializeToString()
        row = pb.SubscribeStaticResponse()
        row.messages.envelopes.add(meta=pb.EnvelopeMeta(topic=pb.Topic(topic=A), cursor=pb.Cursor(sequence_id=4)))
        yield row.SerializeToString()
        for _ in range(2):
            yield pb.SubscribeStaticResponse(keepalive=pb.SubscribeStaticResponse.Keepalive()).SerializeToString()
        while context.is_active():
            threading.Event().wait(0.01)

    with serve(static).subscribe_static(A, Position(B, 9)) as stream:
        assert [(target.topic, target.through) for target in stream.started().targets] == [(A, 0), (B, 9)]
        stream.until(A, 4)
        assert stream.kept_alive(2).at_ns >= stream.kept_alive(1).at_ns
        assert stream.rows[0].meta.absent == {"message_hash"}
        assert stream.rows[0].envelope is None
        assert stream.watch(0.05)
        stream.cancel()
        assert not stream.watch(10.0)


def test_pings_are_answered_while_the_test_does_something_else(serve: Serve) -> None:
    got: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def ask(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        del context
        yield ping((1 << 64) - 1)
        got.put(next(requests))
        yield STARTED
        yield from requests

    with serve(ask).subscribe() as stream:
        assert pb.SubscribeRequest.FromString(got.get(timeout=10)).pong.nonce == (1 << 64) - 1
        assert stream.pinged().nonce == (1 << 64) - 1
        assert findings(stream.call)[0].reason == "not-started-first"


def test_pings_are_left_alone_when_told_so(serve: Serve) -> None:
    def ask(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        del context
        yield ping(5)
        yield STARTED
        assert pb.SubscribeRequest.FromString(next(requests)).pong.nonce == 6
        yield messages((A, 1))
        yield from requests

    with serve(ask).subscribe(answer_pings=False) as stream:
        assert stream.pinged().nonce == 5
        stream.pong(6)
        stream.until(A, 1)


def silent(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
    del context
    yield from requests


def test_what_does_not_come_while_the_endpoint_lives_is_late(serve: Serve) -> None:
    with serve(silent).subscribe() as stream:
        stream.patience_s = 0.2
        with pytest.raises(Late, match=r"has waited 0\.[5-9] s for Started; the stream is open") as caught:
            stream.started()
        assert caught.value.reason == "liveness"


def test_what_comes_at_the_last_moment_is_not_late(serve: Serve) -> None:
    asked = threading.Event()

    def slow(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        del requests, context
        asked.wait(10)
        yield STARTED

    node = serve(slow)
    with node.subscribe() as stream:
        stream.patience_s = 0.1
        alive = stream._alive

        def answer_then_start() -> bool:
            asked.set()
            return alive()

        stream._alive = answer_then_start  # type: ignore[method-assign]
        assert stream.started().interval_ms == 300


def test_an_endpoint_that_answers_nothing_decides_nothing() -> None:
    with contextlib.closing(Connection("127.0.0.1:1", fresh=True)) as connection:
        node = Node(connection, Limits())
        with node.subscribe() as stream, pytest.raises(Undecided, match="not by the target"):
            stream.started()
        with pytest.raises(Undecided, match="No HTTP/2 connection"):
            node.subscribe_unread()


def test_a_hung_endpoint_decides_nothing(serve: Serve) -> None:
    with serve(silent).subscribe() as stream:
        stream.patience_s, stream._alive = 0.1, lambda: False  # type: ignore[method-assign]
        with pytest.raises(Undecided, match="answers no other call either"):
            stream.started()


def ending(code: grpc.StatusCode) -> Talk:
    def talk(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        yield STARTED
        next(requests)
        context.abort(code, "because\n of it")

    return talk


def test_an_end_with_a_code_of_the_contract_is_unexpected(serve: Serve) -> None:
    with serve(ending(grpc.StatusCode.INVALID_ARGUMENT)).subscribe() as stream:
        with pytest.raises(UnexpectedEnd, match='ended with INVALID_ARGUMENT "because of it" before Applied 1'):
            stream.applied(stream.add(A))
        assert stream.end().code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize("code", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNAUTHENTICATED])
def test_an_end_that_tells_of_the_environment_decides_nothing(serve: Serve, code: grpc.StatusCode) -> None:
    with serve(ending(code)).subscribe() as stream, pytest.raises(Undecided, match="of the environment"):
        stream.applied(stream.add(A))


def test_what_came_before_the_end_counts(serve: Serve) -> None:
    def talk(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        del requests
        yield STARTED
        yield messages((A, 1))
        context.abort(grpc.StatusCode.UNAVAILABLE, "gone")

    with serve(talk).subscribe() as stream:
        assert stream.end().code is Code.UNAVAILABLE
        stream.until(A, 1)
        stream.started()


def test_an_end_of_our_own_making_is_no_status(serve: Serve) -> None:
    with serve(honest).subscribe() as stream:
        stream.started()
        stream.cancel()
        with pytest.raises(Undecided, match="before any status of the target"):
            stream.end()


def test_a_frame_that_is_no_message_is_a_finding(serve: Serve) -> None:
    def talk(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        del context
        yield b"\xff\xff"
        yield from requests

    with serve(talk).subscribe() as stream, pytest.raises(UnexpectedFrame, match="2 bytes of no SubscribeResponse"):
        stream.started()


def test_an_envelope_delivered_anew_is_waited_for_anew(serve: Serve) -> None:
    with serve(honest).subscribe() as stream:
        stream.add(A)
        stream.until(A, 7)
        stream.remove(A)
        stream.add(A)
        stream.until(A, 7, times=2)
        assert [row.meta.sequence_id for row in stream.rows_of(A)] == [7, 7]
        assert isinstance(stream.rows[0].meta, Meta)


def test_patience_grows_with_what_was_seen() -> None:
    pace = Pace()
    assert pace.patience_s == 12.0
    for waited_s in (0.1, 2.0, 3.0):
        pace.learn(waited_s)
    assert pace.patience_s == 40.0
    with contextlib.closing(Connection("127.0.0.1:1", fresh=True)) as connection:
        assert pace_of(connection) is pace_of(connection)
