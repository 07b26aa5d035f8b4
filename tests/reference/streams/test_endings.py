from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import grpc
import pytest

from conformance.reference.backend.backend import Backend
from conformance.reference.backend.failure import Code as Status
from conformance.reference.backend.failure import Failure
from conformance.reference.backend.store import Store, View
from conformance.reference.backend.streams.output import Output
from conformance.reference.backend.streams.service import Streams
from conformance.reference.backend.streams.stream import Stream
from conformance.reference.backend.streams.subscribe import SubscribeStream
from tests.reference.harness import OverWire, fresh_group, group_message, ids, publish
from tests.reference.streams.calls import Code, Endpoint, Static, Subscribe, endpoint, ping, pong, update

WAIT_S = 10.0


def eventually(condition: Callable[[], object]) -> None:
    end, tick = time.monotonic() + WAIT_S, threading.Event()
    while not condition():
        assert time.monotonic() < end, "what was waited for did not come"
        tick.wait(0.005)


def open_streams(served: Endpoint) -> list[Stream]:
    return [stream for stream in served.backend.streams.tail._streams.copy() if isinstance(stream, Stream)]


def is_left(served: Endpoint) -> bool:
    """Whether no stream and no registration of one is left."""
    tail = served.backend.streams.tail
    return not tail._streams and not tail._watchers


@contextmanager
def narrow(address: str) -> Iterator[OverWire]:
    """A connection that takes 64 KiB of a stream that is not read."""
    wire = OverWire(address)
    wire.channel.close()
    wire.channel = grpc.insecure_channel(
        address,
        options=[
            ("grpc.max_receive_message_length", -1),
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.http2.bdp_probe", 0),
        ],
    )
    with closing(wire):
        yield wire


def test_a_half_close_ends_the_stream_after_the_answers_owed(tmp_path: Path) -> None:
    (group_id, topic), (_, other) = fresh_group(), fresh_group()
    with endpoint(tmp_path, timers={"keepalive_ms": 30}) as served:
        history = ids(publish(served.wire, *[group_message(group_id, bytes([n]) * 9000) for n in range(200)]))
        idle, quiet, busy, asked = (Subscribe(served.wire) for _ in range(4))
        idle.half_close()
        assert idle.end() == (Code.OK, [])
        quiet.send(update(1, {other: 0}), ping(8), pong(1))
        quiet.half_close()
        code, frames = quiet.end()
        assert code == Code.OK
        assert [frame.WhichOneof("response") for frame in frames if not frame.HasField("ping")] == ["applied", "pong"]
        busy.send(update(1, {topic: 0}))
        while not busy.frame().HasField("messages"):
            pass
        busy.half_close()
        code, frames = busy.end()
        assert code == Code.OK
        found = [e.meta.cursor.sequence_id for frame in frames for e in frame.messages.envelopes]
        assert found == [sequence_id for sequence_id in history if sequence_id in found]
        assert asked.frame().HasField("ping")
        asked.half_close()
        assert asked.end() == (Code.OK, [])
        eventually(lambda: is_left(served))


def test_a_cancelled_stream_leaves_nothing_behind(tmp_path: Path) -> None:
    topics = {fresh_group()[1]: 0 for _ in range(20)}
    with endpoint(tmp_path) as served:
        streams = [Subscribe(served.wire) for _ in range(5)] + [Static(served.wire, topics) for _ in range(5)]
        for stream in streams[:5]:
            assert isinstance(stream, Subscribe)
            stream.update(1, topics)
        eventually(lambda: len(open_streams(served)) == 10)
        for stream in streams:
            stream.cancel()
        eventually(lambda: is_left(served))
        eventually(lambda: "requests of a stream" not in [thread.name for thread in threading.enumerate()])


def test_a_shutdown_ends_every_stream_unavailable_at_once_and_opens_none(tmp_path: Path) -> None:
    group_id, topic = fresh_group()
    with endpoint(tmp_path) as served, narrow(served.address) as wire, ThreadPoolExecutor(2) as pool:
        publish(served.wire, *[group_message(group_id, bytes([n]) * 9000) for n in range(200)])
        idle, static, busy = Subscribe(served.wire), Static(served.wire, {topic: 2**62}), Subscribe(wire)
        busy.send(update(1, {topic: 0}))
        served.backend.hold.arm()
        held = pool.submit(publish, served.wire, group_message(group_id, b"held"))
        eventually(served.backend.hold.is_holding)
        stopping = pool.submit(served.server.stop, 20)
        assert idle.end() == (Code.UNAVAILABLE, [])
        assert static.end() == (Code.UNAVAILABLE, [])
        assert busy.end()[0] == Code.UNAVAILABLE
        with pytest.raises(grpc.RpcError) as late:
            Subscribe(served.wire)
        assert late.value.code() == Code.UNAVAILABLE
        assert not stopping.done()
        served.backend.hold.release()
        held.result(10)
        stopping.result(10)


class Overflowing(Backend):
    """A small output bound."""

    class _Streams(Streams):
        class _Output(Output):
            bound_bytes = 3_000_000
            stalled_s = 0.05

        output_class = _Output

    streams_class = _Streams


@pytest.mark.parametrize(("build", "megabytes"), [(Overflowing, 5), (Backend, 25)], ids=["small", "published"])
def test_a_reader_that_stops_is_ended_after_a_prefix_and_no_other(
    tmp_path: Path, build: type[Backend], megabytes: int
) -> None:
    group_id, topic = fresh_group()
    with endpoint(tmp_path, build) as served, narrow(served.address) as wire:
        slow, static, reading = Subscribe(wire), Static(served.wire, {topic: 0}), Subscribe(served.wire)
        slow.update(1, {topic: 0})
        reading.update(1, {topic: 0})
        live = []
        size = megabytes * 40_000
        for n in range(25):
            live += ids(publish(served.wire, group_message(group_id, os.urandom(size - 1) + bytes([n]))))
            assert reading.collect(1) == static.collect(1) == {topic: live[-1:]}
        eventually(lambda: any(stream._failed for stream in open_streams(served)))
        code, frames = slow.end()
        assert code == Code.RESOURCE_EXHAUSTED
        found = [e.meta.cursor.sequence_id for frame in frames for e in frame.messages.envelopes]
        assert found == live[: len(found)]
        assert len(found) < len(live)
        assert reading.settle(1) == {}
        static.cancel()
        reading.cancel()


def test_a_reader_that_pauses_over_history_gets_all_of_it(tmp_path: Path) -> None:
    group_id, topic = fresh_group()
    with endpoint(tmp_path, Overflowing) as served, narrow(served.address) as wire:
        history = [ids(publish(served.wire, group_message(group_id, os.urandom(100_000))))[0] for _ in range(12)]
        stream = Subscribe(wire)
        stream.update(1, {topic: 0})
        (sending,) = open_streams(served)
        eventually(lambda: sending.parts.output.is_stalled(time.monotonic()))
        history += ids(publish(served.wire, group_message(group_id, b"live")))
        assert stream.collect(13) == {topic: history}
        stream.cancel()


class Failing(Backend):
    """A store whose copy can be made unreachable."""

    class _Store(Store):
        is_down = False

        @contextmanager
        def copy(self) -> Iterator[View]:
            if self.is_down:
                raise Failure(Status.UNAVAILABLE, "the store is not reachable")
            with super().copy() as view:
                yield view

    store_class = _Store


def test_streams_end_unavailable_when_the_store_fails_and_open_again_after_it(tmp_path: Path) -> None:
    group_id, topic = fresh_group()
    with endpoint(tmp_path, Failing) as served:
        store = served.backend.store
        assert isinstance(store, Failing._Store)
        idle, static = Subscribe(served.wire), Static(served.wire, {topic: 0})
        store.is_down = True
        assert idle.end() == (Code.UNAVAILABLE, [])
        assert static.end() == (Code.UNAVAILABLE, [])
        with pytest.raises(grpc.RpcError) as caught:
            Subscribe(served.wire)
        assert caught.value.code() == Code.UNAVAILABLE
        store.is_down = False
        stored = ids(publish(served.wire, group_message(group_id)))
        again = Subscribe(served.wire)
        assert again.update(1, {topic: 0}) == {topic: stored[0]}
        assert again.collect(1) == {topic: stored}
        again.cancel()


def test_a_broken_part_ends_its_stream_internal_and_tells_the_client_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(Backend):
        class _Streams(Streams):
            class _Subscribe(SubscribeStream):
                def on_pong(self, nonce: int) -> None:
                    raise ZeroDivisionError("inner secret")

            subscribe_class = _Subscribe

        streams_class = _Streams

    with endpoint(tmp_path, Broken) as served:
        stream = Subscribe(served.wire)
        stream.send(pong(1))
        assert stream.end() == (Code.INTERNAL, [])
        assert "secret" not in stream.call.details()
    assert "inner secret" in caplog.text
