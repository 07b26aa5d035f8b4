"""API-254: what a topic holds above a cursor is delivered whole and in order, whatever it is."""

from __future__ import annotations

import pytest

from conformance.craft.any_kind import new_envelope
from conformance.craft.draw import Draw
from conformance.craft.encodings import encoded
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.frames import Known, judge
from conformance.oracle.reads import same_payload_everywhere
from conformance.suite import covers
from conformance.suite.api.each import each_unsigned_kind
from conformance.suite.api.s5_subscribe.delivery import history_of_any_size, of_one_publish, whole_history
from conformance.suite.api.s5_subscribe.kinds import SUBSCRIBE, StreamKind, each_stream_kind
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.target.node import Node, Position

TOPICS = 200


@covers("API-254.a")
@pytest.mark.parametrize("counts", [(0, 1, 2, 15, 16, 17), (99, 100, 101), (1100, 3)], ids=str)
def test_a_history_of_any_length_is_delivered_whole(node: Node, draw: Draw, counts: tuple[int, ...]) -> None:
    """API-254.a: topics of no, some and many envelopes come whole and in order, from the start and from between."""
    whole_history(SUBSCRIBE, Traffic(node, draw), counts, "API-254.a")


@covers("API-254.a")
def test_a_history_of_envelopes_of_any_size_is_delivered_whole(node: Node, draw: Draw) -> None:
    """API-254.a: the longest envelopes there may be and the shortest come whole and in order."""
    history_of_any_size(SUBSCRIBE, Traffic(node, draw), "API-254.a")


@covers("API-254.a")
def test_many_topics_of_unequal_backlog_are_delivered_whole(node: Node, draw: Draw) -> None:
    """API-254.a: 200 topics of one stream, each with more or less to catch up, come whole and in order."""
    counts = [draw.random.choice((0, 1, 1, 2, 5, 30)) for _ in range(TOPICS - 2)]
    whole_history(SUBSCRIBE, Traffic(node, draw), [400, *counts, 150], "API-254.a")


@covers("API-254.a")
@each_unsigned_kind
def test_envelopes_of_every_kind_are_delivered_as_sent(node: Node, draw: Draw, kind: Kind) -> None:
    """API-254.a: a topic of any kind, with its history and what comes live, is delivered with what was sent."""
    first = new_envelope(draw, kind)
    topic = topic_of(first)
    sent = [first, *(new_envelope(draw, kind, topic[1:]) for _ in range(5))]
    receipts = list(node.publish(*sent[:3]).metas)
    with SUBSCRIBE.open(node, topic) as stream:
        receipts += [node.publish(envelope).meta for envelope in sent[3:]]
        stream.until(topic, receipts[-1].sequence_id)
        judge(stream.call, Known(sightings=tuple(receipts), closed=frozenset([topic])), "API-254.a", "API-288")
        for envelope, receipt in zip(sent, receipts, strict=True):
            same_payload_everywhere(encoded(envelope), [row for row in stream.rows if row.meta == receipt])


@covers("API-254.g")
def test_the_envelopes_of_one_publish_come_in_rising_order(node: Node, draw: Draw) -> None:
    """API-254.g: several envelopes of one request on one topic come by rising id, as history and live."""
    of_one_publish(SUBSCRIBE, Traffic(node, draw), "API-254.g")


@covers("API-254.h")
@each_stream_kind
def test_no_cursor_is_the_cursor_0(node: Node, draw: Draw, kind: StreamKind) -> None:
    """API-254.h: an entry without a cursor brings what one with the cursor 0 does, its history and what comes."""
    traffic = Traffic(node, draw)
    topics = [traffic.stocked(5), traffic.topic()]
    for cursor in (None, 0):
        with kind.open(node, *(Position(topic, cursor) for topic in topics)) as stream:
            traffic.publish_one_by_one(traffic.one_each(topics))
            traffic.arrive(topics, stream)
            traffic.judge(stream, "API-254.h")
