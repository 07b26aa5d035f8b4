"""API-252: every Update is acknowledged by an Applied of its own, with a target for each topic it registers."""

from __future__ import annotations

from functools import partial
from operator import eq

from conformance.craft.draw import Draw
from conformance.oracle.violation import Violation
from conformance.suite import Notes, covers
from conformance.suite.api.s5_subscribe.kinds import SUBSCRIBE
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.target.node import Node, Position
from conformance.target.patience import until
from conformance.target.streams import Subscription
from conformance.target.together import meanwhile
from conformance.wire.transcript import Code

PIPELINED = 50
RACED = 20
WRITERS = 2
ROUNDS = 20


@covers("API-252.a")
def test_updates_sent_without_waiting_are_acknowledged_one_by_one(node: Node, draw: Draw) -> None:
    """API-252.a: many Updates that are sent at once, of every kind, get an Applied each, in the order sent."""
    traffic = Traffic(node, draw)
    most = min(PIPELINED, node.limits.max_update_burst)
    topics = traffic.topics(min(most, node.limits.max_stream_topics))
    with node.subscribe() as stream:
        for number in range(most):
            topic = topics[number // 3 % len(topics)]
            stream.update(adds=[topic] * (number % 3 == 0), removes=[topic] * (number % 3 == 1))
        stream.applied(most)
        stream.round_trip()
        traffic.judge(stream, "API-252.a")


@covers("API-252.b")
def test_only_new_topics_are_listed_in_the_order_of_the_adds(node: Node, draw: Draw) -> None:
    """API-252.b: of new, known, removed and removed-and-forgotten topics in any order, the new ones are listed."""
    traffic = Traffic(node, draw)
    topics = traffic.topics(min(8, node.limits.max_update_adds, node.limits.max_stream_topics))
    for ordered in (sorted(topics), sorted(topics, reverse=True), draw.random.sample(topics, len(topics))):
        with SUBSCRIBE.open(node, *ordered[: len(ordered) // 2]) as stream:
            assert isinstance(stream, Subscription)
            stream.update(adds=ordered[len(ordered) // 2 : -1], removes=ordered[:2])
            stream.applied(stream.add(*draw.random.sample(ordered, len(ordered))))
            stream.applied(stream.add(*reversed(ordered)))
            traffic.judge(stream, "API-252.b")


@covers("API-252.c")
def test_a_target_is_the_head_of_its_own_topic(node: Node, draw: Draw) -> None:
    """API-252.c: whatever the cursor and whatever came in elsewhere just before, a target comes to be the head."""
    traffic = Traffic(node, draw)
    topics = [traffic.stocked(held) for held in (3, 1, 0, 2)]
    for cursor in (None, 0, 1, traffic.last_of(topics[0]), traffic.last_of(topics[1]) + 1, (1 << 63) - 1):
        traffic.publish(*traffic.one_each([topics[0], traffic.topic()]))
        heads = {topic: traffic.last_of(topic) for topic in topics}
        positions = [Position(topic, cursor) for topic in topics]
        found = until(partial(targets, traffic, *positions), partial(eq, heads))
        if found != heads:
            raise Violation(
                "stale-target",
                "The targets of a stream are not the heads of its topics, long after their receipts.",
                witness={"targets": found, "heads": heads, "cursor": cursor},
            )


def targets(traffic: Traffic, *positions: Position) -> dict[bytes, int]:
    """Open a stream, judge its targets, and give them by topic."""
    with SUBSCRIBE.open(traffic.node, *positions) as stream:
        assert isinstance(stream, Subscription)
        traffic.judge(stream, "API-252.c")
        return {target.topic: target.through for target in stream.applied(1).targets}


@covers("API-252.d")
def test_nothing_is_lost_between_the_target_and_what_is_live(node: Node, draw: Draw) -> None:
    """API-252.d: topics that are added one after another beside busy writers are delivered without a hole."""
    traffic = Traffic(node, draw)
    topics = traffic.topics(min(RACED, node.limits.max_update_burst, node.limits.max_stream_topics))
    work = [[traffic.one_each(topics) for _ in range(ROUNDS)] for _ in range(WRITERS)]
    waiting = iter(topics)
    with node.subscribe() as stream:

        def add_next() -> None:
            for topic in waiting:
                stream.applied(stream.add(topic))
                return
            stream.watch(0.01)

        meanwhile(add_next, *(partial(traffic.publish_in_turn, requests) for requests in work))
        for topic in waiting:
            stream.applied(stream.add(topic))
        traffic.arrive(topics, stream)
        traffic.judge(stream, "API-252.d", "API-252.c")


@covers("API-252.e")
def test_nothing_is_delivered_ahead_of_the_acknowledgement(node: Node, draw: Draw) -> None:
    """API-252.e: neither history nor live envelopes of a topic come before its Applied, when added again as well."""
    traffic = Traffic(node, draw)
    topic, other = traffic.stocked(40), traffic.stocked(5)
    with node.subscribe() as stream:
        for number in range(0, min(20, node.limits.max_update_burst - 2), 2):
            stream.add(topic, other)
            stream.remove(topic, other)
            if number % 4 == 0:
                traffic.publish(*traffic.one_each([topic, other]))
        stream.add(topic, other)
        traffic.arrive([topic, other], stream)
        traffic.judge(stream, "API-252.e")


@covers("API-252.f")
def test_an_update_of_nothing_is_acknowledged_with_nothing(node: Node, draw: Draw) -> None:
    """API-252.f: an Update without adds and removes gets an Applied that lists nothing, first and between others."""
    traffic = Traffic(node, draw)
    with node.subscribe() as stream:
        nothing = [stream.update(), stream.add(traffic.topic()) + 1]
        stream.update()
        stream.applied(stream.add(traffic.topic()))
        traffic.judge(stream, "applied-missing", "wrong-targets")
        for number in nothing:
            stream.applied(number)


@covers("API-252.g")
def test_an_empty_topic_is_acknowledged_with_target_0(node: Node, draw: Draw) -> None:
    """API-252.g: topics on which nothing is published, one and several, get their Applied all the same, with 0."""
    traffic = Traffic(node, draw)
    empty = traffic.topics(min(3, node.limits.max_update_adds))
    with node.subscribe() as stream:
        for topics in (empty[:1], empty[1:]):
            applied = stream.applied(stream.add(*topics))
            traffic.judge(stream, "API-252.b", "API-252.c")
            if wrong := [target for target in applied.targets if target.through]:
                raise Violation("unknown-target", "An empty topic has a target.", witness={"targets": wrong})


@covers("API-252.h")
def test_an_update_just_before_the_half_close_ends_well(node: Node, draw: Draw, notes: Notes) -> None:
    """API-252.h: an Update followed at once by the end of the requests leads to OK, with a history as without."""
    traffic = Traffic(node, draw)
    for topics in ([traffic.topic()], [traffic.stocked(200)], []):
        with node.subscribe() as stream:
            stream.started()
            stream.add(*topics)
            stream.half_close()
            status = stream.end()
            traffic.judge(stream, "API-252", "API-259", into=notes)
        if status.code is not Code.OK:
            raise Violation(
                "wrong-code", f"A stream whose client had ended its requests ended {status.code.name}, not OK."
            )
