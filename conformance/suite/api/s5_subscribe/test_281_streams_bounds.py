"""API-281: the bounds of Updates and of SubscribeStatic, at their value and one past it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.craft.draw import Draw
from conformance.craft.encodings import padded
from conformance.oracle.frames.reading import Applied, Reading
from conformance.suite import covers
from conformance.suite.api.s5_subscribe.endings import ended, lives
from conformance.suite.api.s5_subscribe.kinds import STATIC
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.target.errors import Missing
from conformance.target.node import Node
from conformance.target.stream_requests import static_request, update_frame
from conformance.target.streams import Stream, Subscription
from conformance.wire.transcript import Code


@pytest.fixture
def traffic(small: Node, draw: Draw) -> Traffic:
    """Topics of this case."""
    return Traffic(small, draw)


@pytest.fixture
def beside(small: Node, traffic: Traffic) -> Iterator[Stream]:
    """A stream that goes on."""
    with STATIC.open(small, traffic.topic()) as stream:
        yield stream


def accepted(stream: Subscription, beside: Stream, number: int) -> None:
    """Judge that an Update is acknowledged."""
    lives(stream, beside, lambda: stream.applied(number))


def filled(stream: Subscription, beside: Stream, topics: list[bytes], *, at_once: int) -> None:
    """Register topics, so many with one Update, and wait until they are."""
    for start in range(0, len(topics), at_once):
        accepted(stream, beside, stream.add(*topics[start : start + at_once]))


def acknowledged(stream: Subscription) -> list[int]:
    """List the ids of the Updates that were acknowledged."""
    return [event.id for event in Reading(stream.call).events if isinstance(event, Applied)]


def needs_updates(node: Node, count: int) -> None:
    """Raise Missing where a stream may not send so many Updates without a pause."""
    if node.limits.max_update_burst < count:
        raise Missing("limits", f"max_update_burst is below {count}")


@covers("API-281.c")
def test_an_update_adds_as_many_topics_as_it_may(small: Node, traffic: Traffic, beside: Stream) -> None:
    """API-281.c: max_update_adds topics are registered by one Update, one more fail it."""
    topics = traffic.topics(small.limits.max_update_adds + 1)
    with small.subscribe() as stream, small.subscribe() as full:
        accepted(full, beside, full.add(*topics[1:]))
        stream.add(*topics)
        ended(stream, beside, Code.INVALID_ARGUMENT)
        assert not acknowledged(stream), "an Update past its bound was acknowledged"


@covers("API-281.c")
def test_an_update_removes_as_many_topics_as_it_may(small: Node, traffic: Traffic, beside: Stream) -> None:
    """API-281.c: one Update may remove max_update_removes topics, registered or not, and not one more."""
    topics = traffic.topics(small.limits.max_update_removes + 1)
    with small.subscribe() as stream, small.subscribe() as full:
        accepted(full, beside, full.add(topics[0]))
        accepted(full, beside, full.remove(*topics[:-1]))
        stream.remove(*topics)
        ended(stream, beside, Code.INVALID_ARGUMENT)
        assert not acknowledged(stream), "an Update past its bound was acknowledged"


@covers("API-281.c")
def test_a_stream_is_full_with_as_many_topics_as_it_may_have(small: Node, traffic: Traffic, beside: Stream) -> None:
    """API-281.c: max_stream_topics topics may be registered after an Update; a topic that is registered adds none."""
    most, at_once = small.limits.max_stream_topics, small.limits.max_update_adds
    needs_updates(small, -(-most // at_once) + 3)
    topics = traffic.topics(most + 2)
    with small.subscribe() as stream:
        filled(stream, beside, topics[:most], at_once=at_once)
        accepted(stream, beside, stream.add(topics[0]))
        accepted(stream, beside, stream.update(adds=[topics[most]], removes=[topics[0]]))
        number = stream.add(topics[most + 1])
        ended(stream, beside, Code.INVALID_ARGUMENT)
        assert number not in acknowledged(stream), "an Update past max_stream_topics was acknowledged"


@covers("API-281.c")
def test_a_static_stream_has_as_many_topics_as_it_may_have(small: Node, traffic: Traffic, beside: Stream) -> None:
    """API-281.c: SubscribeStatic of max_static_topics topics is opened, of one more refused."""
    topics = traffic.topics(small.limits.max_static_topics + 1)
    with small.subscribe_static(*topics[1:]) as full, small.subscribe_static(*topics) as stream:
        assert len(lives(full, beside, full.started).targets) == small.limits.max_static_topics
        ended(stream, beside, Code.INVALID_ARGUMENT)
        assert not stream.call.received, "a frame came although the request was past its bound"


@covers("API-281.n")
def test_an_update_over_long_on_the_wire_ends_out_of_range(small: Node, traffic: Traffic, beside: Stream) -> None:
    """API-281.n: an Update frame of max_request_bytes is carried out; one byte more ends the stream OUT_OF_RANGE."""
    longest, plain = small.limits.max_request_bytes, update_frame(1, [traffic.topic()], [])
    with small.subscribe() as stream, small.subscribe() as full:
        full.send(padded(plain, longest))
        accepted(full, beside, 1)
        stream.send(padded(plain, longest + 1))
        ended(stream, beside, Code.OUT_OF_RANGE)


@covers("API-281.n")
def test_a_static_request_over_long_on_the_wire_ends_out_of_range(
    small: Node, traffic: Traffic, beside: Stream
) -> None:
    """API-281.n: a SubscribeStatic request of max_request_bytes is served; one byte more ends it OUT_OF_RANGE."""
    longest, plain = small.limits.max_request_bytes, static_request([traffic.topic()])
    with (
        small.subscribe_static_raw(padded(plain, longest)) as full,
        small.subscribe_static_raw(padded(plain, longest + 1)) as stream,
    ):
        assert len(lives(full, beside, full.started).targets) == 1
        ended(stream, beside, Code.OUT_OF_RANGE)
