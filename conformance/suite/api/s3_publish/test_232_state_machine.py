"""API-232: histories of several inboxes, lawful and not, against what the rules make of them."""

from __future__ import annotations

from hypothesis import given, settings

from conformance.craft.draw import Draw
from conformance.craft.identity.attempts import Attempt
from conformance.craft.identity.strategies import lives
from conformance.craft.identity.world import Move
from conformance.oracle.identity.directory import Directory
from conformance.suite import covers
from conformance.suite.api.s3_publish.contest import rounds
from conformance.suite.api.s3_publish.living import TAKES_LAWFUL, Life
from conformance.target.errors import Undecided
from conformance.target.node import Node


@covers("API-232.d")
@settings(max_examples=rounds())
@given(plan=lives())
def test_whatever_the_confirmed_history_allows_is_taken(node: Node, draw: Draw, plan: list[Move | Attempt]) -> None:
    """API-232.d: whatever was confirmed and refused before, an update that the history allows is taken."""
    Life(node, draw, judges=TAKES_LAWFUL).live(plan)


@covers("API-232.f")
@settings(max_examples=rounds())
@given(plan=lives())
def test_whatever_was_tried_the_stored_history_replays(node: Node, draw: Draw, plan: list[Move | Attempt]) -> None:
    """API-232.f: whatever was published and refused, each stored update is valid on top of those before it."""
    life, astray = Life(node, draw), None
    try:
        life.live(plan)
    except Undecided as undecided:
        astray = undecided
    Directory.of(node.envelopes_on(*life.topics()))
    if astray is not None:
        raise astray
