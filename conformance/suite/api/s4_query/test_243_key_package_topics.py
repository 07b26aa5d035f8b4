"""API-243: Query does not page the topics of key packages."""

from __future__ import annotations

import pytest

from conformance.craft.draw import Draw
from conformance.craft.plans import LAST_SEQUENCE_ID
from conformance.craft.topics import key_package_topic, welcome_topic
from conformance.oracle.status import refused_as_malformed, succeeded
from conformance.suite import covers
from conformance.suite.api.s4_query.stock import Stock, needs_room_for
from conformance.target.node import Node, Position

CURSORS = {"no-cursor": None, "cursor-0": 0, "cursor-1": 1, "last-cursor": LAST_SEQUENCE_ID}


@pytest.fixture(autouse=True)
def room(node: Node) -> None:
    """Every request of this module names up to three topics."""
    needs_room_for(node, 3)


@covers("API-243.a")
@pytest.mark.parametrize("cursor", CURSORS)
@pytest.mark.parametrize("limit", [0, 1])
def test_a_query_of_a_key_package_topic_fails(node: Node, draw: Draw, cursor: str, limit: int) -> None:
    """API-243.a: a Query of one key package topic, empty as it is, fails; of a Welcome topic it does not."""
    key = draw.installation_key()
    refused_as_malformed(node.query(Position(key_package_topic(key), CURSORS[cursor]), limit=limit).call)
    succeeded(node.query(Position(welcome_topic(key), CURSORS[cursor]), limit=limit).call)


@covers("API-243.a")
@pytest.mark.parametrize("place", [0, 1, 2], ids=["first", "between", "last"])
def test_a_key_package_topic_among_others_fails_the_query(node: Node, draw: Draw, place: int) -> None:
    """API-243.a: a key package topic fails a Query wherever it stands among topics that hold something to show."""
    holding, key = list(Stock(node, draw, 1, 1).ids), draw.installation_key()
    before, after = holding[:place], holding[place:]
    refused_as_malformed(node.query(*before, key_package_topic(key), *after).call)
    succeeded(node.query(*before, welcome_topic(key), *after).call)


@covers("API-243.a")
def test_two_key_package_topics_fail_the_query(node: Node, draw: Draw) -> None:
    """API-243.a: several key package topics, and one named twice, fail a Query as one does."""
    one, other = draw.installation_key(), draw.installation_key()
    refused_as_malformed(node.query(*map(key_package_topic, (one, other, one))).call)
    succeeded(node.query(*map(welcome_topic, (one, other, one))).call)
