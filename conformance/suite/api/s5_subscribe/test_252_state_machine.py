"""API-252: Updates among publishes, Pings and half-closes in any order are acknowledged as they were sent."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.suite import covers
from conformance.suite.api.s5_subscribe.machine import follows_the_rules
from conformance.target.node import Node


@covers("API-252.a")
def test_any_sequence_of_updates_is_acknowledged_in_its_order(node: Node, draw: Draw) -> None:
    """API-252.a: whatever adds and removes came before, each Update gets its Applied, once and in the order sent."""
    follows_the_rules(node, draw, "API-252.a")


@covers("API-252.b")
def test_any_sequence_of_updates_lists_what_it_newly_registers(node: Node, draw: Draw) -> None:
    """API-252.b: whatever was added and removed before, an Applied lists the topics that are new by then."""
    follows_the_rules(node, draw, "API-252.b")
