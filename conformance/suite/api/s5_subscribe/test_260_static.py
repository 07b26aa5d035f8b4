"""API-260: what SubscribeStatic may ask for, and what it begins with."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from conformance.craft.any_kind import new_envelope, new_identifier
from conformance.craft.draw import Draw
from conformance.craft.plans import LAST_SEQUENCE_ID
from conformance.craft.topics import MALFORMED_TOPIC_NAMES, malformed_topics, topic
from conformance.oracle.violation import Violation
from conformance.suite import covers
from conformance.suite.api.each import PAGED_KINDS
from conformance.suite.api.s5_subscribe.endings import ended
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.target.errors import Missing
from conformance.target.node import Node, Position
from conformance.target.streams import Stream
from conformance.wire.transcript import Code

TOPICS = 8


@pytest.fixture
def traffic(node: Node, draw: Draw) -> Traffic:
    """Topics of this case."""
    if node.limits.max_static_topics < TOPICS:
        raise Missing("limits", f"max_static_topics is below {TOPICS}")
    return Traffic(node, draw)


# Lists of topics in which one stands twice, from a new topic and another.
TWICE: Mapping[str, Callable[[bytes, bytes], list[Position]]] = {
    "in-a-row": lambda one, _: [Position(one), Position(one)],
    "apart": lambda one, other: [Position(one), Position(other), Position(one)],
    "at-the-end": lambda one, other: [Position(other), Position(one), Position(one)],
    "two-cursors": lambda one, other: [Position(one, 0), Position(other), Position(one, LAST_SEQUENCE_ID)],
    "with-and-without-cursor": lambda one, _: [Position(one, 1), Position(one)],
    "three-times": lambda one, other: [Position(one), Position(other, 1), Position(one, 2), Position(one, 3)],
}


def refused(stream: Stream, beside: Stream) -> None:
    """Judge that a stream ended INVALID_ARGUMENT and told nothing before."""
    ended(stream, beside, Code.INVALID_ARGUMENT)
    if stream.call.received:
        raise Violation(
            "invalid-accepted",
            "SubscribeStatic sent a frame before it refused its request.",
            witness={"stream": stream.call.number, "frame": stream.call.received[0].data},
        )


def accepted(stream: Stream, asked: int) -> None:
    """Judge that a stream was opened for so many topics."""
    assert len(stream.started().targets) == asked


@covers("API-260.a")
@pytest.mark.parametrize("shape", TWICE)
def test_a_topic_named_twice_fails_the_request(node: Node, traffic: Traffic, shape: str) -> None:
    """API-260.a: a topic that stands twice, under whatever cursors, fails the request; once each is fine."""
    one, other = traffic.stocked(2), traffic.topic()
    with (
        node.subscribe() as beside,
        node.subscribe_static(*TWICE[shape](one, other)) as stream,
        node.subscribe_static(one, other) as twin,
    ):
        refused(stream, beside)
        accepted(twin, 2)


@covers("API-260.a")
@pytest.mark.parametrize("request_bytes", [b"", b"\x1a\x00"], ids=["no-bytes", "unknown-field"])
def test_a_request_without_topics_fails(node: Node, traffic: Traffic, request_bytes: bytes) -> None:
    """API-260.a: SubscribeStatic of nothing fails; of one empty topic it is opened."""
    with (
        node.subscribe() as beside,
        node.subscribe_static_raw(request_bytes) as stream,
        node.subscribe_static(traffic.topic()) as twin,
    ):
        refused(stream, beside)
        accepted(twin, 1)


@covers("API-260.b")
def test_started_lists_every_topic_in_request_order(node: Node, draw: Draw, traffic: Traffic) -> None:
    """API-260.b: Started has a target for each topic, empty and full, in the order asked, whatever the cursors."""
    names = [*(traffic.stocked(count) for count in (1, 2, 5)), *traffic.topics(4)]
    for _ in range(4):
        draw.random.shuffle(names)
        cursors = [draw.random.choice([None, 0, traffic.last_of(name), LAST_SEQUENCE_ID]) for name in names]
        with node.subscribe_static(*map(Position, names, cursors)) as stream:
            stream.started()
            traffic.judge(stream, "API-260.b")


@covers("API-260.c")
def test_no_envelope_comes_before_started(node: Node, traffic: Traffic) -> None:
    """API-260.c: with history on every topic and more arriving, Started still comes first."""
    names = [traffic.stocked(count) for count in (300, 1, 2)]
    for _ in range(4):
        with node.subscribe_static(*names) as stream:
            traffic.arrive(names, stream)
            traffic.judge(stream, "API-260.c")


@covers("API-260.b")
def test_topics_of_every_kind_have_their_own_target(node: Node, draw: Draw, traffic: Traffic) -> None:
    """API-260.b: a target is an id of its own topic, or 0, whatever kinds of topics stand side by side."""
    owners = [(kind, new_identifier(draw, kind)) for kind in PAGED_KINDS for _ in range(2)]
    for kind, identifier in owners[::2]:
        traffic.add(node.publish(new_envelope(draw, kind, identifier)))
    traffic.stocked(1)
    draw.random.shuffle(owners)
    with node.subscribe_static(*(topic(*owner) for owner in owners)) as stream:
        stream.started()
        traffic.judge(stream, "API-260.b")


@covers("API-260.d")
@pytest.mark.parametrize("name", MALFORMED_TOPIC_NAMES)
def test_a_malformed_topic_fails_the_request(node: Node, draw: Draw, traffic: Traffic, name: str) -> None:
    """API-260.d: a topic of a length or kind there is not fails the request, alone and beside good ones."""
    broken, (good, other) = malformed_topics(draw)[name], traffic.topics(2)
    with node.subscribe() as beside:
        for named in ([broken], [good, broken, other]):
            with node.subscribe_static(*named) as stream:
                refused(stream, beside)
        with node.subscribe_static(good, other) as stream:
            accepted(stream, 2)


@covers("API-260.d")
@pytest.mark.parametrize("cursor", [1 << 63, (1 << 63) + 1, (1 << 64) - 1], ids=hex)
@pytest.mark.parametrize("place", [0, 1, 2], ids=["first", "between", "last"])
def test_a_cursor_above_every_id_fails_the_request(node: Node, traffic: Traffic, cursor: int, place: int) -> None:
    """API-260.d: a cursor above 2^63-1 fails the request, wherever it stands; 2^63-1 itself does not."""
    topics = [traffic.stocked(1), *traffic.topics(2)]
    last = [Position(topic, LAST_SEQUENCE_ID) for topic in topics]
    with node.subscribe() as beside, node.subscribe_static(*last) as twin:
        with node.subscribe_static(*last[:place], Position(topics[place], cursor), *last[place + 1 :]) as stream:
            refused(stream, beside)
        accepted(twin, 3)


@covers("API-260.d")
@pytest.mark.parametrize("cursor", [None, 0, LAST_SEQUENCE_ID], ids=["no-cursor", "cursor-0", "last-cursor"])
def test_an_entry_without_a_topic_fails_the_request(node: Node, traffic: Traffic, cursor: int | None) -> None:
    """API-260.d: an entry that names no topic at all fails the request, alone and beside a good one."""
    good = traffic.topic()
    with node.subscribe() as beside:
        for named in ([Position(None, cursor)], [Position(good), Position(None, cursor)]):
            with node.subscribe_static(*named) as stream:
                refused(stream, beside)
        with node.subscribe_static(good) as stream:
            accepted(stream, 1)
