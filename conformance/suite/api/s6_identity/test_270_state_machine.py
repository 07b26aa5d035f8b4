"""API-270: histories of several inboxes, lawful and not, and where their people are found in the end."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from conformance.craft.draw import Draw
from conformance.craft.identity.attempts import Attempt
from conformance.craft.identity.strategies import lives
from conformance.craft.identity.world import Move
from conformance.suite import covers
from conformance.suite.api.s3_publish.contest import rounds
from conformance.suite.api.s3_publish.living import Life
from conformance.suite.api.s6_identity.inboxes import Inboxes, entry
from conformance.target.node import Node


@pytest.fixture
def inboxes(node: Node, draw: Draw) -> Inboxes:
    """Inboxes of the deployment under test."""
    return Inboxes(node, draw)


@covers("API-270.g")
@settings(max_examples=rounds())
@given(plan=lives())
def test_people_are_found_where_a_history_leaves_them(
    inboxes: Inboxes, node: Node, draw: Draw, plan: list[Move | Attempt]
) -> None:
    """API-270.g: whatever was published and refused, everybody is found in the inbox they joined last, or nowhere."""
    life = Life(node, draw)
    life.live(plan)
    inboxes.directory = life.directory
    inboxes.resolve(*map(entry, life.world.people))
