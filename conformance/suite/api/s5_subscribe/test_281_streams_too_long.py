"""API-281: frames that would be longer than they may be end their stream."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import TypeAlias

import pytest

from conformance.craft.draw import Draw
from conformance.oracle.frames.reading import Applied, Reading
from conformance.pb.backend_pb2 import CatchupTarget, SubscribeResponse, SubscribeStaticResponse, Topic
from conformance.suite import covers
from conformance.suite.api.s3_publish.judging import works
from conformance.suite.api.s5_subscribe.endings import ended, lives
from conformance.suite.api.s5_subscribe.kinds import SUBSCRIBE, StreamKind, each_stream_kind
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.target.deployment import Deployment
from conformance.target.errors import Missing, Undecided
from conformance.target.node import Node, Position
from conformance.target.pool import Pool
from conformance.target.streams import StaticSubscription
from conformance.wire.transcript import Code

LengthOf: TypeAlias = Callable[[int], int]

# By so much a frame may be over its bound when its prefix is left out; bytes.
PREFIX_BYTES = 5
# Bounds below what a deployment with small limits has stored by then.
LOWER = {"max_envelope_bytes": 512, "max_response_bytes": 1024}
LONG_BYTES = 2048


@pytest.fixture
def short(pool: Pool, draw: Draw) -> Node:
    """An endpoint that takes more topics than one of its frames can name."""
    node = pool.deployment("short-answers").node()
    works(node, draw)
    return node


@pytest.fixture
def beside(short: Node, draw: Draw) -> Iterator[StaticSubscription]:
    """A stream that goes on."""
    with short.subscribe_static(Traffic(short, draw).topic()) as stream:
        yield stream


def started_of(interval_ms: int) -> LengthOf:
    """Measure Started with the targets of so many empty topics of groups."""
    return lambda count: SubscribeStaticResponse(
        started=SubscribeStaticResponse.Started(keepalive_interval_ms=interval_ms, targets=_targets(count))
    ).ByteSize()


def applied_of(count: int) -> int:
    """Measure the first Applied with the targets of so many empty topics of groups."""
    return SubscribeResponse(applied=SubscribeResponse.Applied(id=1, added_targets=_targets(count))).ByteSize()


def most_and_too_many(length: LengthOf, node: Node, bound: int) -> tuple[int, int]:
    """Give the most topics that a frame has room for, and the fewest that it surely has none for.

    Raises Missing when a request may not name so many.
    """
    limit, counts = node.limits.max_response_bytes, range(bound + 1)
    most = bisect_right(counts, limit, key=length) - 1
    too_many = bisect_right(counts, limit + PREFIX_BYTES, key=length)
    if too_many > bound:
        raise Missing("limits", f"no more than {bound} topics may be named, and a frame has room for them")
    return most, too_many


def _targets(count: int) -> list[CatchupTarget]:
    return [CatchupTarget(topic=Topic(topic=bytes(17)))] * count


@covers("API-281.i")
def test_a_started_that_is_too_long_is_not_sent(short: Node, draw: Draw, beside: StaticSubscription) -> None:
    """API-281.i: as many topics as Started has room for are served; with more the stream ends and nothing is sent."""
    length = started_of(beside.started().interval_ms)
    most, too_many = most_and_too_many(length, short, short.limits.max_static_topics)
    topics = Traffic(short, draw).topics(too_many)
    with short.subscribe_static(*topics[:most]) as full, short.subscribe_static(*topics) as stream:
        assert len(lives(full, beside, full.started).targets) == most
        ended(stream, beside, Code.RESOURCE_EXHAUSTED)
        assert not stream.call.received, "a frame came although Started had no room for its targets"


@covers("API-281.l")
def test_an_applied_that_is_too_long_is_not_sent(short: Node, draw: Draw, beside: StaticSubscription) -> None:
    """API-281.l: as many adds as Applied has room for are acknowledged; more end the stream without an Applied."""
    most, too_many = most_and_too_many(applied_of, short, short.limits.max_update_adds)
    topics = Traffic(short, draw).topics(too_many)
    with short.subscribe() as full, short.subscribe() as stream:
        number = full.add(*topics[:most])
        assert len(lives(full, beside, lambda: full.applied(number)).targets) == most
        stream.add(*topics)
        ended(stream, beside, Code.RESOURCE_EXHAUSTED)
        applied = [event for event in Reading(stream.call).events if isinstance(event, Applied)]
        assert not applied, "an Applied came although it had no room for its targets"


@pytest.fixture
def shrunk(pool: Pool, draw: Draw) -> Iterator[tuple[Deployment, Traffic, bytes]]:
    """A deployment whose frames have become too short for the second envelope of a topic, and for that alone."""
    with pool.exclusive("small-limits") as deployment:
        traffic = Traffic(deployment.node(), draw)
        topic = traffic.stocked(1)
        traffic.publish(*traffic.envelopes(topic, 1, size=LONG_BYTES))
        traffic.publish(*traffic.envelopes(topic, 1))
        deployment.restart(limits=LOWER)
        if deployment.limits.max_response_bytes >= LONG_BYTES:
            raise Undecided("The deployment was started anew with lower limits, but publishes others.")
        yield deployment, traffic, topic


@covers("API-281.k")
@each_stream_kind
def test_an_envelope_too_long_for_a_frame_ends_the_stream(
    shrunk: tuple[Deployment, Traffic, bytes], kind: StreamKind
) -> None:
    """API-281.k: a stored envelope that no frame has room for is not skipped: it ends the stream, nothing follows."""
    deployment, traffic, topic = shrunk
    node, (_, too_long, last) = deployment.node(), traffic.ids_of(topic)
    with SUBSCRIBE.open(node, traffic.topic()) as beside, kind.begin(node, topic) as stream:
        ended(stream, beside, Code.RESOURCE_EXHAUSTED, Code.OUT_OF_RANGE)
        traffic.judge(stream, "API-254")
        assert last not in {row.meta.sequence_id for row in stream.rows}, "what stands above it was delivered"
        with kind.open(node, Position(topic, too_long)) as twin:
            twin.until(topic, last)
