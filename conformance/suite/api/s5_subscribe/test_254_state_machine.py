"""API-254: whatever a client asks for in whatever order, each registration is delivered whole and in order."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.suite import covers
from conformance.suite.api.s5_subscribe.machine import follows_the_rules
from conformance.target.node import Node


@covers("API-254.a")
def test_any_registration_is_delivered_whole_and_in_order(node: Node, draw: Draw) -> None:
    """API-254.a: Updates, publishes, Pings and half-closes in any order leave no hole, repetition or disorder."""
    follows_the_rules(node, draw, "API-254.a")
