"""API-253: topics added, added again and removed in any order, among publishes, Pings and half-closes."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.suite import covers
from conformance.suite.api.s5_subscribe.machine import follows_the_rules
from conformance.target.node import Node


@covers("API-253.a")
def test_no_repeated_add_moves_a_registration(node: Node, draw: Draw) -> None:
    """API-253.a: whatever else is asked for, adding a registered topic again changes nothing."""
    follows_the_rules(node, draw, "API-253.a")


@covers("API-253.d")
def test_any_new_registration_starts_at_its_own_cursor(node: Node, draw: Draw) -> None:
    """API-253.d: whatever a topic was registered for before, it starts above the cursor that it is added with."""
    follows_the_rules(node, draw, "API-253.d")
