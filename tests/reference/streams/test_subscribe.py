from __future__ import annotations

import os
from contextlib import closing

import grpc
import pytest

from conformance.pb import backend_pb2 as pb
from tests.reference.harness import OverWire, field, fresh_group, group_message, ids, publish, query, welcome
from tests.reference.streams.calls import (
    TOO_HIGH,
    Code,
    Endpoint,
    Subscribe,
    end_of,
    endpoint,
    in_order,
    open_subscribe,
    ping,
    query_of,
    update,
)


def stored(wire: OverWire, group_id: bytes, count: int) -> list[int]:
    return ids(publish(wire, *[group_message(group_id, os.urandom(8)) for _ in range(count)])) if count else []


def test_history_and_live_rows_arrive_once_and_in_order_whatever_the_cursor(wire: OverWire) -> None:
    (a_id, a), (b_id, b), (c_id, c) = fresh_group(), fresh_group(), fresh_group()
    history, short, late = stored(wire, a_id, 250), stored(wire, b_id, 3), stored(wire, c_id, 1)
    stream = Subscribe(wire)
    assert stream.interval_ms == 30_000
    targets = stream.update(1, {b: 0, a: history[9], c: late[0] + 1000})
    assert list(targets.items()) == [(b, short[-1]), (a, history[-1]), (c, late[0])]
    found = stream.collect(243)
    assert found == {a: history[10:], b: short}
    for n in range(20):
        live = stored(wire, a_id, n % 3) + stored(wire, b_id, 1)
        assert in_order(stream.collect(len(live))) == live
    assert stream.settle(7) == {}
    stream.cancel()


def test_an_envelope_on_a_stream_is_the_one_a_query_shows(wire: OverWire) -> None:
    key, (group_id, topic) = os.urandom(32), fresh_group()
    publish(wire, welcome(key), group_message(group_id, b"\0\xff" * 300, content_type=3))
    stream = Subscribe(wire)
    stream.update(1, {b"\1" + key: 0, topic: 0})
    shown = list(stream.frame().messages.envelopes)
    assert shown == list(query(wire, b"\1" + key, topic).envelopes)
    stream.cancel()


def test_updates_sent_at_once_are_acknowledged_one_by_one_in_order(wire: OverWire) -> None:
    topics = [fresh_group()[1] for _ in range(50)]
    stream = Subscribe(wire)
    stream.send(*[update(n * n, {topic: 0}) for n, topic in enumerate(topics, 1)], ping(2**64 - 1), ping(0))
    assert [stream.applied() for _ in topics] == [(n * n, {topic: 0}) for n, topic in enumerate(topics, 1)]
    assert [stream.frame().pong.nonce for _ in range(2)] == [2**64 - 1, 0]
    stream.send(update(2**64 - 1))
    assert stream.applied() == (2**64 - 1, {})
    stream.cancel()


def test_adds_and_removes_are_idempotent_and_a_later_add_starts_anew(wire: OverWire) -> None:
    (a_id, a), (b_id, b) = fresh_group(), fresh_group()
    history = stored(wire, a_id, 5)
    stream = Subscribe(wire)
    assert stream.update(1, {a: history[2]}, [b]) == {a: history[-1]}
    assert stream.collect(2) == {a: history[3:]}
    assert stream.update(2, {b: 0, a: 0}) == {b: 0}
    assert stream.settle(1) == {}
    assert stream.update(3, {a: 2**63 - 1}) == {}
    history += stored(wire, a_id, 1)
    assert stream.collect(1) == {a: history[-1:]}
    assert stream.update(4, removes=[a]) == {}
    history += stored(wire, a_id, 2)
    other = stored(wire, b_id, 1)
    assert stream.collect(1) == {b: other}
    assert stream.settle(2) == {}
    assert stream.update(5, {a: history[4]}) == {a: history[-1]}
    assert stream.collect(3) == {a: history[5:]}
    stream.cancel()


def test_nothing_of_a_topic_follows_the_acknowledgement_of_its_removal(wire: OverWire) -> None:
    group_id, topic = fresh_group()
    history = stored(wire, group_id, 600)
    stream = Subscribe(wire)
    for number in range(1, 20, 2):
        stream.send(update(number, {topic: history[number]}), update(number + 1, removes=[topic]))
        assert stream.applied() == (number, {topic: history[-1]})
        found: dict[bytes, list[int]] = {}
        while (frame := stream.frame()).HasField("messages"):
            found.setdefault(topic, []).extend(e.meta.cursor.sequence_id for e in frame.messages.envelopes)
        assert (frame.applied.id, list(frame.applied.added_targets)) == (number + 1, [])
        delivered = found.get(topic, [])
        assert delivered == history[number + 1 :][: len(delivered)]
    assert stream.settle(1) == {}
    stream.cancel()


A, B = fresh_group()[1], fresh_group()[1]
INVALID = {
    "an id of zero": update(0, {A: 0}),
    "the same id": update(5, {A: 0}),
    "a lower id": update(4, {A: 0}),
    "a topic twice in adds": update(6, [query_of(A), query_of(B), query_of(A, 3)]),
    "a topic twice in removes": update(6, removes=[A, B, A]),
    "a topic in both": update(6, {A: 0, B: 0}, [A]),
    "an unknown kind in adds": update(6, {A: 0, b"\x09" + bytes(16): 0}),
    "a short topic in removes": update(6, {A: 0}, [A[:-1]]),
    "an absent topic": update(6, [query_of(A), pb.TopicQuery()]),
    "a cursor out of range": update(6, {A: 0, B: TOO_HIGH}),
    "nothing": b"",
    "only an unknown field": field(99, b"x"),
    "no message": b"\x0a\xff",
}


@pytest.mark.parametrize("bad", INVALID.values(), ids=INVALID)
def test_an_invalid_update_ends_the_stream_after_the_answers_before_it_and_changes_nothing(
    wire: OverWire, bad: bytes
) -> None:
    stored(wire, A[1:], 1)
    stream = Subscribe(wire)
    stream.send(update(5), ping(3), bad, update(7, {B: 0}), ping(4))
    code, frames = stream.end()
    assert code == Code.INVALID_ARGUMENT
    assert [frame.WhichOneof("response") for frame in frames] == ["applied", "pong"]


def test_bounds_are_met_exactly_and_not_passed(tmp_path_factory: pytest.TempPathFactory) -> None:
    limits = {"max_update_adds": 3, "max_update_removes": 2, "max_stream_topics": 4, "max_request_bytes": 2000}
    limits |= {"max_envelope_bytes": 1000, "max_response_bytes": 1400}
    topics = [fresh_group()[1] for _ in range(9)]
    with endpoint(tmp_path_factory.mktemp("bounds"), limits=limits) as small:

        def ends(*frames: bytes) -> Code:
            stream = Subscribe(small.wire)
            stream.send(*frames)
            stream.half_close()
            return stream.end()[0]

        full = (update(1, dict.fromkeys(topics[:3], 0)), update(2, {topics[3]: 0}))
        swap = update(3, dict.fromkeys(topics[4:6], 0), topics[:2])
        assert ends(*full, swap, update(4, {topics[2]: 0, topics[3]: 0})) == Code.OK
        assert ends(update(1, dict.fromkeys(topics[:4], 0))) == Code.INVALID_ARGUMENT
        assert ends(update(1, removes=topics[:2])) == Code.OK
        assert ends(update(1, removes=topics[:3])) == Code.INVALID_ARGUMENT
        assert ends(*full, update(3, {topics[4]: 0})) == Code.INVALID_ARGUMENT
        assert ends(*full, update(3, {topics[4]: 0}, [topics[5]])) == Code.INVALID_ARGUMENT
        padded = update(1, {A: 0})
        padding = 2000 - len(padded) - 4
        assert len(padded + field(99, b"x" * padding)) == 2000
        assert ends(padded + field(99, b"x" * padding)) == Code.OK
        assert ends(padded + field(99, b"x" * (padding + 1))) == Code.OUT_OF_RANGE


def test_an_applied_that_is_too_long_fails_the_stream(tmp_path_factory: pytest.TempPathFactory) -> None:
    with endpoint(
        tmp_path_factory.mktemp("tight"), limits={"max_envelope_bytes": 200, "max_response_bytes": 456}
    ) as tight:
        stream = Subscribe(tight.wire)
        stream.send(update(1, {fresh_group()[1]: 0 for _ in range(19)}))
        assert len(stream.applied()[1]) == 19
        stream.send(update(2, {fresh_group()[1]: 0 for _ in range(30)}))
        assert stream.end() == (Code.RESOURCE_EXHAUSTED, [])


def test_a_frame_holds_what_fits_and_a_row_that_fits_no_frame_ends_the_stream(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("long")
    group_id, topic = fresh_group()
    with endpoint(folder) as wide:
        sequence = [
            ids(publish(wide.wire, group_message(group_id, bytes(size))))[0] for size in (50, 60, 70, 500, 10, 20)
        ]
    with endpoint(folder, limits={"max_envelope_bytes": 200, "max_response_bytes": 456}) as tight:
        stream = Subscribe(tight.wire)
        stream.update(1, {topic: 0})
        code, frames = stream.end()
        assert code == Code.RESOURCE_EXHAUSTED
        assert all(frame.ByteSize() <= 456 for frame in frames)
        delivered = [e.meta.cursor.sequence_id for frame in frames for e in frame.messages.envelopes]
        assert delivered == sequence[:3]


@pytest.mark.parametrize("compression", [grpc.Compression.Gzip, grpc.Compression.Deflate])
def test_a_compressed_stream_is_unimplemented(wire: OverWire, compression: grpc.Compression) -> None:
    request = update(1, {fresh_group()[1]: 0}) + field(99, b"x" * 4000)
    call = open_subscribe(wire, iter([request]), timeout=10, compression=compression)
    code, frames = end_of(call, pb.SubscribeResponse)
    assert code == Code.UNIMPLEMENTED
    assert not [frame for frame in frames if frame.HasField("applied")]


def test_one_topic_on_many_streams_reaches_each(served: Endpoint) -> None:
    group_id, topic = fresh_group()
    history = stored(served.wire, group_id, 2)
    with closing(OverWire(served.address)) as wire:
        streams = [Subscribe(wire) for _ in range(50)]
        for stream in streams:
            stream.update(1, {topic: history[0]})
        live = history[1:] + stored(served.wire, group_id, 3)
        for stream in streams:
            assert stream.collect(4) == {topic: live}
            stream.cancel()


def test_a_stream_with_many_topics_hears_of_every_one(wire: OverWire) -> None:
    groups = [fresh_group() for _ in range(5000)]
    stream = Subscribe(wire)
    targets = stream.update(1, {topic: 0 for _, topic in groups})
    assert targets == {topic: 0 for _, topic in groups}
    chosen = groups[::500]
    for group_id, topic in chosen:
        live = stored(wire, group_id, 1)
        assert stream.collect(1) == {topic: live}
    stream.cancel()
