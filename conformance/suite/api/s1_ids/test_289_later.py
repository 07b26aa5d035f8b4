"""API-289: a publish that arrives after an envelope became visible gets greater ids."""

from __future__ import annotations

from itertools import cycle, islice

from conformance.craft.any_kind import KINDS, new_envelope
from conformance.craft.draw import Draw
from conformance.craft.group_message import new_message
from conformance.craft.topics import topic_of
from conformance.oracle.order import ids_above
from conformance.suite import covers
from conformance.suite.api.s1_ids.stock import a_topic_of
from conformance.target.node import Node
from conformance.wire.transcript import Meta

ROUNDS = 8
LARGE = 50


@covers("API-289.a")
def test_ids_of_one_topic_rise_from_publish_to_publish(node: Node, draw: Draw) -> None:
    """API-289.a: of publishes to one topic that are sent one after the other, each gets greater ids."""
    group_id, seen = draw.group_id(), list[Meta]()
    for _ in range(ROUNDS):
        new = node.publish(new_message(draw, group_id), new_message(draw, group_id)).metas
        ids_above(new, seen=seen)
        seen += new


@covers("API-289.b")
def test_a_publish_gets_an_id_above_what_was_read_on_other_topics(node: Node, draw: Draw) -> None:
    """API-289.b: after an envelope was read on one topic, a publish to another topic gets a greater id."""
    seen = list[Meta]()
    for kind in islice(cycle(KINDS), ROUNDS):
        envelope = new_envelope(draw, kind)
        ids_above([node.publish(envelope).meta], seen=seen)
        seen += (each.meta for each in node.read_all(topic_of(envelope)))


@covers("API-289.c")
def test_a_publish_at_one_endpoint_gets_an_id_above_what_was_read_at_another(
    pair: tuple[Node, Node], draw: Draw
) -> None:
    """API-289.c: after an envelope was read at one endpoint, a publish to the other one gets a greater id."""
    seen = list[Meta]()
    for writer, reader in islice(cycle((pair, pair[::-1])), ROUNDS):
        envelope = new_message(draw, draw.group_id())
        ids_above([writer.publish(envelope).meta], seen=seen)
        seen += (each.meta for each in reader.read_all(topic_of(envelope)))


@covers("API-289.e")
def test_every_envelope_of_a_large_publish_gets_an_id_above_what_was_read(node: Node, draw: Draw) -> None:
    """API-289.e: of a large publish even the lowest id lies above all that was read before it was sent."""
    seen = list[Meta]()
    for _ in range(ROUNDS // 2):
        for small in (new_message(draw, draw.group_id()) for _ in range(3)):
            node.publish(small).confirmed()
            seen += (each.meta for each in node.read_all(topic_of(small)))
        _, large = a_topic_of(draw, LARGE)
        ids_above(node.publish(*large).metas, seen=seen)
