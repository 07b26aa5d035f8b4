from __future__ import annotations

import os

import pytest

from conformance.pb import backend_pb2 as pb
from tests.reference.harness import OverWire, field, fresh_group, group_message, ids, publish, query
from tests.reference.streams.calls import (
    TOO_HIGH,
    Code,
    Static,
    endpoint,
    in_order,
    open_static,
    query_of,
    refused,
    static_request,
)


def test_started_has_a_target_for_each_topic_in_request_order_and_everything_follows(wire: OverWire) -> None:
    groups = [fresh_group() for _ in range(6)]
    stored: dict[bytes, list[int]] = {topic: [] for _, topic in groups}
    for group_id, topic in [groups[n] for n in (4, 0, 2, 0)]:
        stored[topic] += ids(publish(wire, *[group_message(group_id, os.urandom(4)) for _ in range(70)]))
    (_, first), (_, skipped) = groups[0], groups[2]
    cursors = dict.fromkeys(stored, 0) | {first: stored[first][99], skipped: stored[skipped][-1]}
    stream = Static(wire, cursors)
    assert stream.started.keepalive_interval_ms == 30_000
    assert list(stream.targets.items()) == [(topic, (found or [0])[-1]) for topic, found in stored.items()]
    assert stream.collect(110) == {first: stored[first][100:], groups[4][1]: stored[groups[4][1]]}
    live = [ids(publish(wire, group_message(group_id, b"live")))[0] for group_id, _ in groups]
    assert in_order(stream.collect(6)) == live
    frame = query(wire, first, cursor=live[0] - 1).envelopes
    again = Static(wire, {first: live[0] - 1})
    assert list(again.frame().messages.envelopes) == list(frame)
    again.cancel()
    stream.cancel()


A, B = fresh_group()[1], fresh_group()[1]
INVALID = {
    "no topics": b"",
    "a topic twice": static_request([query_of(A), query_of(B), query_of(A)]),
    "a topic twice with two cursors": static_request([query_of(A, 1), query_of(A, 2)]),
    "an unknown kind": static_request([query_of(A), query_of(b"\x05" + bytes(16))]),
    "a short topic": static_request([query_of(A[:-1])]),
    "an absent topic": static_request([query_of(A), pb.TopicQuery()]),
    "a cursor out of range": static_request([query_of(A, TOO_HIGH)]),
    "no message": b"\x0a\xff",
}


@pytest.mark.parametrize("request_", INVALID.values(), ids=INVALID)
def test_an_invalid_request_is_refused_before_any_frame(wire: OverWire, request_: bytes) -> None:
    assert refused(open_static(wire, request_)) == Code.INVALID_ARGUMENT


def test_a_cursor_at_its_bound_and_an_absent_one_are_accepted(wire: OverWire) -> None:
    group_id, topic = fresh_group()
    stored = ids(publish(wire, group_message(group_id)))
    call = open_static(wire, static_request([query_of(B, TOO_HIGH - 1), pb.TopicQuery(topic=pb.Topic(topic=topic))]))
    started, messages = (pb.SubscribeStaticResponse.FromString(next(call)) for _ in range(2))
    assert [target.through_sequence_id for target in started.started.targets] == [0, stored[0]]
    assert [envelope.meta.cursor.sequence_id for envelope in messages.messages.envelopes] == stored
    call.cancel()


def test_bounds_of_a_static_request(tmp_path_factory: pytest.TempPathFactory) -> None:
    limits = {"max_static_topics": 12, "max_envelope_bytes": 100, "max_response_bytes": 356, "max_request_bytes": 700}
    topics = [fresh_group()[1] for _ in range(30)]
    with endpoint(tmp_path_factory.mktemp("bounds"), limits=limits) as small:
        fits = static_request([query_of(topic) for topic in topics[:12]])
        stream = open_static(small.wire, fits)
        assert pb.SubscribeStaticResponse.FromString(next(stream)).HasField("started")
        stream.cancel()
        too_many = static_request([query_of(topic) for topic in topics[:13]])
        assert refused(open_static(small.wire, too_many)) == Code.INVALID_ARGUMENT
        padded = fits + field(99, bytes(700 - len(fits) - 4))
        assert len(padded) == 700
        assert refused(open_static(small.wire, padded + b"\0")) == Code.OUT_OF_RANGE
        next(stream := open_static(small.wire, padded))
        stream.cancel()
    limits |= {"max_static_topics": 30, "max_request_bytes": 2000}
    with endpoint(tmp_path_factory.mktemp("started"), limits=limits) as small:
        too_long = static_request([query_of(topic) for topic in topics])
        assert refused(open_static(small.wire, too_long)) == Code.RESOURCE_EXHAUSTED
