"""The parts of a stream that know neither the store nor the network."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from conformance.pb import backend_pb2 as pb
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.settings import Limits
from conformance.reference.backend.streams.buckets import Buckets, TokenBucket
from conformance.reference.backend.streams.checks import RequestChecks
from conformance.reference.backend.streams.frames import MessagesFrame
from conformance.reference.backend.streams.keepalive import Challenge, Idle
from conformance.reference.backend.streams.output import Output
from conformance.reference.backend.streams.subscription import Subscription
from conformance.reference.backend.topics import Topics
from tests.reference.streams.calls import query_of

LIMITS = Limits(max_update_adds=3, max_update_removes=3, max_stream_topics=4)
TOPICS = [bytes(16) + bytes([n]) for n in range(6)]

topics = st.sampled_from(TOPICS)
updates = st.builds(
    lambda number, adds, removes: pb.SubscribeRequest.Update(
        id=number, adds=[query_of(*add) for add in adds], removes=[pb.Topic(topic=topic) for topic in removes]
    ),
    st.integers(0, 12),
    st.lists(st.tuples(topics, st.integers(0, 5)), max_size=4),
    st.lists(topics, max_size=4),
)


def is_valid(update: pb.SubscribeRequest.Update, last_id: int, registered: Sequence[bytes]) -> bool:
    """The rules once more, told from the whole update."""
    adds = [query.topic.topic for query in update.adds]
    removes = [topic.topic for topic in update.removes]
    return (
        update.id > last_id
        and len(adds) <= 3
        and len(removes) <= 3
        and sorted(adds + removes) == sorted({*adds, *removes})
        and len({*registered, *adds} - {*removes}) <= 4
    )


@given(st.lists(updates, max_size=8))
def test_updates_register_what_they_add_and_an_invalid_one_changes_nothing(
    sequence: list[pb.SubscribeRequest.Update],
) -> None:
    checks = RequestChecks(bounds=Bounds(LIMITS), topics=Topics())
    subscription = Subscription()
    last_id, expected = 0, dict[bytes, int]()
    for update in sequence:
        valid = is_valid(update, last_id, list(expected))
        event(f"valid: {valid}")
        if not valid:
            with pytest.raises(Failure) as caught:
                checks.update(update, subscription)
            assert caught.value.code == Code.INVALID_ARGUMENT
        else:
            checks.update(update, subscription)
            change = subscription.apply(update)
            new = {q.topic.topic: q.cursor.sequence_id for q in update.adds if q.topic.topic not in expected}
            gone = [topic.topic for topic in update.removes if topic.topic in expected]
            assert [(added.topic, added.cursor) for added in change.added] == list(new.items())
            assert [removed.topic for removed in change.removed] == gone
            last_id = update.id
            expected = {topic: cursor for topic, cursor in (expected | new).items() if topic not in gone}
        assert subscription.last_id == last_id
        assert {topic: held.cursor for topic, held in subscription.registered.items()} == expected


@given(st.integers(1, 5), st.integers(1, 5), st.lists(st.integers(0, 20), max_size=40))
def test_a_bucket_admits_exactly_what_its_burst_and_rate_allow(rate: int, burst: int, tenths: list[int]) -> None:
    bucket = TokenBucket(rate=rate, burst=burst, now=0.0)
    now, units = 0, burst * 10  # tenths of a token, so that the model is exact
    for step in tenths:
        now += step
        units = min(burst * 10, units + step * rate)
        admitted = bucket.take(now / 10 + 1e-9)
        assert admitted == (units >= 10) or abs(units - 10) < 1
        units -= 10 * admitted


def test_buckets_are_apart() -> None:
    buckets = Buckets(Limits(max_update_burst=2, max_ping_burst=1), 0.0)
    buckets.update(0.0)
    buckets.update(0.0)
    buckets.ping(0.0)
    for spend in (buckets.update, buckets.ping):
        with pytest.raises(Failure) as caught:
            spend(0.01)
        assert caught.value.code == Code.RESOURCE_EXHAUSTED
        spend(5.0)


def test_only_the_nonce_of_the_open_challenge_answers_it_and_its_wait_begins_when_it_is_taken() -> None:
    challenge = Challenge(2.0)
    challenge.taken(0.0)
    assert challenge.due_at() is None
    assert [challenge.ask(), challenge.is_open, challenge.due_at()] == [1, True, None]
    challenge.taken(10.0)
    challenge.taken(11.0)
    challenge.answer(0)
    challenge.answer(2)
    assert [challenge.due_at(), challenge.is_missed(11.9), challenge.is_missed(12.0)] == [12.0, False, True]
    challenge.answer(1)
    assert [challenge.is_open, challenge.due_at(), challenge.is_missed(99.0)] == [False, None, False]
    challenge.answer(1)
    assert challenge.ask() == 2
    challenge.answer(2)
    challenge.taken(20.0)
    assert challenge.due_at() is None, "a Pong that comes before the transport reports the Ping counts"


def test_a_stream_is_idle_since_it_last_sent() -> None:
    idle = Idle(3.0, 1.0)
    assert idle.due_at() == 4.0
    idle.sent(2.5)
    assert idle.due_at() == 5.5


def test_output_is_over_its_bound_only_while_one_frame_is_left_untaken() -> None:
    output = Output()
    output.arrived(10 * output.bound_bytes)
    assert output.held() == 0
    output.handed(100, 0.0)
    output.push(b"x" * 50)
    output.arrived(output.bound_bytes - 150)
    assert output.held() == output.bound_bytes
    assert not output.is_over(99.0)
    output.arrived(1)
    assert not output.is_over(output.stalled_s - 0.01)
    assert output.is_over(output.stalled_s)
    output.taken()
    assert not output.is_over(99.0)
    assert [output.held(), output.pop(), output.pop(), output.held()] == [50, b"x" * 50, None, 0]


@given(st.integers(80, 400), st.lists(st.integers(0, 200), max_size=12))
def test_a_frame_is_as_full_as_its_limit_lets_it_be(limit: int, sizes: list[int]) -> None:
    envelopes = [
        pb.ServerEnvelope(envelope=pb.ClientEnvelope(group_message=pb.GroupMessage(data=bytes(size)))) for size in sizes
    ]

    def encoded(count: int) -> int:
        return pb.SubscribeResponse(messages=pb.SubscribeResponse.Messages(envelopes=envelopes[:count])).ByteSize()

    fitting = sum(encoded(count) <= limit for count in range(1, len(envelopes) + 1))
    frame = MessagesFrame(limit)
    for number, envelope in enumerate(envelopes):
        if number == 0 and encoded(1) > limit:
            with pytest.raises(Failure) as caught:
                frame.add(envelope)
            assert caught.value.code == Code.RESOURCE_EXHAUSTED
            return
        if not frame.add(envelope):
            break
    assert len(frame.envelopes) == fitting
    assert frame.is_full == (fitting < len(envelopes))
