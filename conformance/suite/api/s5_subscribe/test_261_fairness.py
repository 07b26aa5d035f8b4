"""API-261: topics that catch up side by side take turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pytest

from conformance.craft.draw import Draw
from conformance.oracle.frames import caught_up_together
from conformance.suite import Notes, covers
from conformance.suite.api.s5_subscribe.kinds import SUBSCRIBE, StreamKind, each_stream_kind
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.target.errors import Missing, Undecided
from conformance.target.node import Node
from conformance.target.pool import Pool
from conformance.target.streams import Stream, Subscription
from conformance.target.together import together

# Above this length no frame is known to go; bytes.
LONGEST_FRAME = 2 * 1024 * 1024
FRAMES = 3
TOPICS = 4
LIVE = 12

# Orders of topics that come from the one with the least history to the one with the most.
ORDERS: tuple[Callable[[Sequence[bytes], Draw], Sequence[bytes]], ...] = (
    lambda topics, _: topics,
    lambda topics, _: topics[::-1],
    lambda topics, _: sorted(topics),
    lambda topics, _: sorted(topics, reverse=True),
    lambda topics, draw: draw.random.sample(topics, len(topics)),
)


@pytest.fixture
def narrow(pool: Pool) -> Node:
    """An endpoint with small frames, or else one with frames as they are."""
    try:
        return pool.deployment("small-limits").node()
    except Missing:
        return pool.deployment().node()


class Backlog:
    """Topics with histories of several frames each, the second half of them longer than the first."""

    def __init__(self, node: Node, draw: Draw) -> None:
        self.traffic = Traffic(node, draw)
        frame = min(node.limits.max_response_bytes, LONGEST_FRAME)
        size = node.limits.max_envelope_bytes
        rows = FRAMES * max(1, frame // size)
        self.topics = [self.traffic.stocked(rows, size=size) for _ in range(TOPICS // 2)]
        self.topics += [self.traffic.stocked(2 * rows, size=size) for _ in range(TOPICS - TOPICS // 2)]

    def caught_up(self, stream: Stream) -> None:
        """Wait for all of it; Undecided when it did not take enough frames to show who comes when."""
        for topic in self.topics:
            stream.until(topic, self.traffic.last_of(topic))
        if not caught_up_together(stream.call):
            raise Undecided("The histories came in so few frames that nothing can be unfair.")


@covers("API-261.a")
@each_stream_kind
def test_nobody_gets_a_second_frame_before_everyone_has_one(
    narrow: Node, draw: Draw, notes: Notes, kind: StreamKind
) -> None:
    """API-261.a: of topics that are added together, each gets a frame of its history before any gets two.

    It does not matter in what order they are named.
    """
    backlog = Backlog(narrow, draw)
    for order in ORDERS:
        with kind.open(narrow, *order(backlog.topics, draw)) as stream:
            backlog.caught_up(stream)
            backlog.traffic.judge(stream, "API-261.a", into=notes)


@covers("API-261.a", "API-261.b")
def test_topics_added_one_by_one_take_turns(narrow: Node, draw: Draw, notes: Notes) -> None:
    """API-261.a, API-261.b: so it is with topics of several Updates; one that comes late and waits is noted."""
    backlog = Backlog(narrow, draw)
    with SUBSCRIBE.open(narrow, backlog.topics[-1]) as stream:
        assert isinstance(stream, Subscription)
        for topic in backlog.topics[:-1]:
            stream.add(topic)
        backlog.caught_up(stream)
        backlog.traffic.judge(stream, "API-261.a", into=notes)


@covers("API-261.a")
def test_live_envelopes_take_no_turn(narrow: Node, draw: Draw, notes: Notes) -> None:
    """API-261.a: while others catch up, envelopes above a target may come at any time; the others still take turns."""
    backlog = Backlog(narrow, draw)
    traffic, busy = backlog.traffic, backlog.traffic.stocked(1)
    live = traffic.envelopes(busy, LIVE)
    with SUBSCRIBE.open(narrow, busy) as stream:
        assert isinstance(stream, Subscription)
        stream.until(busy, traffic.last_of(busy))
        together(partial(traffic.publish_one_by_one, live), partial(stream.add, *backlog.topics))
        backlog.caught_up(stream)
        stream.until(busy, traffic.last_of(busy))
        traffic.judge(stream, "API-261.a", into=notes)
