"""API-253: adding what is registered and removing what is not change nothing; a removal ends a registration."""

from __future__ import annotations

from functools import partial

import pytest

from conformance.craft.draw import Draw
from conformance.suite import covers
from conformance.suite.api.s5_subscribe.kinds import SUBSCRIBE
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.target.errors import Missing
from conformance.target.node import Node, Position
from conformance.target.streams import Subscription
from conformance.target.together import meanwhile

LAST_CURSOR = (1 << 63) - 1
MANY = 1000
LONG_BYTES = 2000
ROUNDS = 8


def opened(traffic: Traffic, *positions: bytes | Position) -> Subscription:
    """Open a Subscribe stream that is registered for topics."""
    stream = SUBSCRIBE.open(traffic.node, *positions)
    assert isinstance(stream, Subscription)
    return stream


def pairs_behind_the_first(node: Node) -> int:
    """Count the pairs of Updates that a stream may send without a pause behind its first one; Missing when none."""
    pairs = (node.limits.max_update_burst - 1) // 2
    if pairs < 1:
        raise Missing("limits", "max_update_burst is below 3")
    return pairs


@covers("API-253.a")
@pytest.mark.parametrize("cursor", [None, 0, 1, "head", LAST_CURSOR], ids=str)
def test_adding_a_registered_topic_again_moves_nothing(node: Node, draw: Draw, cursor: int | str | None) -> None:
    """API-253.a: a repeated add, whatever its cursor, before and after the history came, neither rewinds nor skips."""
    traffic = Traffic(node, draw)
    topic, other = traffic.stocked(30), traffic.topic()
    again = Position(topic, traffic.last_of(topic) if isinstance(cursor, str) else cursor)
    with opened(traffic, topic) as stream:
        stream.add(again)
        stream.until(topic, traffic.last_of(topic))
        stream.add(other, again)
        traffic.publish(*traffic.envelopes(topic, 2))
        stream.applied(stream.add(again))
        traffic.arrive([topic, other], stream)
        stream.round_trip()
        traffic.judge(stream, "API-253.a")


@covers("API-253.b")
def test_removing_what_is_not_registered_does_nothing(node: Node, draw: Draw) -> None:
    """API-253.b: a removal of a topic never added, removed before or named beside others is acknowledged, no more."""
    traffic = Traffic(node, draw)
    kept, gone, never = traffic.topic(), traffic.topic(), traffic.stocked(2)
    with opened(traffic, kept, gone) as stream:
        stream.applied(stream.remove(never))
        stream.applied(stream.remove(gone))
        stream.applied(stream.remove(gone, never))
        stream.applied(stream.update(adds=[traffic.topic()], removes=[never]))
        traffic.publish(*traffic.one_each([gone, never]))
        traffic.arrive([kept], stream)
        stream.round_trip()
        traffic.judge(stream, "API-253.b", "API-252")


@covers("API-253.c")
def test_nothing_comes_behind_a_removal_that_meets_a_long_history(node: Node, draw: Draw) -> None:
    """API-253.c: a topic removed in the midst of a long history, beside busy writers, is silent from its Applied on."""
    traffic = Traffic(node, draw)
    kept, topic = traffic.topic(), traffic.stocked(MANY, size=LONG_BYTES)
    live = [traffic.envelopes(topic, 1)[0] for _ in range(4 * ROUNDS)]
    rounds = iter(range(min(ROUNDS, pairs_behind_the_first(node))))
    with opened(traffic, kept) as stream:

        def add_and_remove() -> None:
            if next(rounds, None) is None:
                stream.watch(0.01)
                return
            stream.applied(stream.add(topic))
            stream.applied(stream.remove(topic))

        meanwhile(add_and_remove, partial(traffic.publish_one_by_one, live))
        traffic.publish(*traffic.one_each([topic]))
        traffic.arrive([kept], stream)
        stream.round_trip()
        traffic.judge(stream, "API-253.c")


@covers("API-253.c")
def test_nothing_comes_behind_a_removal_of_a_live_topic(node: Node, draw: Draw) -> None:
    """API-253.c: what is published once a removal is acknowledged does not come, while another topic goes on."""
    traffic = Traffic(node, draw)
    kept, topic = traffic.topic(), traffic.topic()
    with opened(traffic, kept, topic) as stream:
        traffic.arrive([kept, topic], stream)
        stream.applied(stream.remove(topic))
        traffic.publish(*traffic.one_each([topic, kept, topic]))
        traffic.arrive([kept], stream)
        stream.round_trip()
        traffic.judge(stream, "API-253.c")


@covers("API-253.d")
def test_a_topic_added_again_starts_from_its_new_cursor(node: Node, draw: Draw) -> None:
    """API-253.d: behind a removal a topic starts above the cursor it is added with, lower or higher than before."""
    traffic = Traffic(node, draw)
    topic = traffic.stocked(9)
    ids = traffic.ids_of(topic)
    with opened(traffic, Position(topic, ids[4])) as stream:
        stream.until(topic, ids[-1])
        for cursor in (0, ids[2], ids[7], None, ids[-1])[: pairs_behind_the_first(node)]:
            stream.remove(topic)
            stream.applied(stream.add(Position(topic, cursor)))
            traffic.arrive([topic], stream)
        traffic.judge(stream, "API-253.d", "API-252.b")


@covers("API-253.e")
def test_a_removal_and_a_new_add_at_once_do_not_mix(node: Node, draw: Draw) -> None:
    """API-253.e: a topic that is removed and added again in the midst of its history starts above the new cursor."""
    traffic = Traffic(node, draw)
    topic = traffic.stocked(MANY, size=LONG_BYTES)
    ids = traffic.ids_of(topic)
    cursors = [ids[draw.random.randrange(len(ids))] for _ in range(min(ROUNDS, pairs_behind_the_first(node) - 1))]
    with opened(traffic, topic) as stream:
        for cursor in (*cursors, ids[len(ids) // 2]):
            stream.remove(topic)
            number = stream.add(Position(topic, cursor))
            if cursor % 2:
                stream.applied(number)
        traffic.arrive([topic], stream)
        traffic.judge(stream, "API-253.e")
