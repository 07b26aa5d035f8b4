"""API-240: entries of Query and QueryNewest that name no topic, and cursors beyond every id, fail the request."""

from __future__ import annotations

import pytest

from conformance.craft.draw import Draw
from conformance.craft.plans import LAST_SEQUENCE_ID
from conformance.craft.topics import MALFORMED_TOPIC_NAMES, malformed_topics
from conformance.oracle.status import refused_as_malformed, succeeded
from conformance.suite import covers
from conformance.suite.api.s4_query.stock import Stock, needs_room_for
from conformance.target.node import Node, Position

each_malformed_topic = pytest.mark.parametrize("name", MALFORMED_TOPIC_NAMES)
each_place = pytest.mark.parametrize("place", [0, 1, 2], ids=["first", "between", "last"])
each_cursor_too_high = pytest.mark.parametrize("cursor", [1 << 63, (1 << 63) + 1, (1 << 64) - 1], ids=hex)


@pytest.fixture(autouse=True)
def room(node: Node) -> None:
    """Every request of this module names up to three topics."""
    needs_room_for(node, 3)


@covers("API-240.j")
@each_malformed_topic
def test_a_query_of_a_malformed_topic_fails(node: Node, draw: Draw, name: str) -> None:
    """API-240.j: a topic of a length or kind there is not fails a Query, alone and beside good topics."""
    broken, (good, other) = malformed_topics(draw)[name], Stock(node, draw, 0, 0).topics
    refused_as_malformed(node.query(broken).call)
    refused_as_malformed(node.query(good, broken, other).call)
    succeeded(node.query(good, other).call)


@covers("API-240.j")
@each_malformed_topic
@pytest.mark.parametrize("full", [False, True], ids=["metadata", "full"])
def test_a_newest_read_of_a_malformed_topic_fails(node: Node, draw: Draw, name: str, full: bool) -> None:
    """API-240.j: a topic of a length or kind there is not fails a QueryNewest, alone and beside good topics."""
    broken, (good, other) = malformed_topics(draw)[name], Stock(node, draw, 0, 0).topics
    refused_as_malformed(node.newest(broken, full=full).call)
    refused_as_malformed(node.newest(good, broken, other, full=full).call)
    succeeded(node.newest(good, other, full=full).call)


@covers("API-240.j")
@each_place
@pytest.mark.parametrize("cursor", [None, 0, LAST_SEQUENCE_ID], ids=["no-cursor", "cursor-0", "last-cursor"])
def test_an_entry_without_a_topic_fails(node: Node, draw: Draw, place: int, cursor: int | None) -> None:
    """API-240.j: an entry of a Query that names no topic at all fails it, wherever it stands."""
    good = [Position(topic, cursor) for topic in Stock(node, draw, 0, 0, 0).topics]
    refused_as_malformed(node.query(Position(None, cursor)).call)
    refused_as_malformed(node.query(*good[:place], Position(None, cursor), *good[place + 1 :]).call)
    succeeded(node.query(*good).call)


@covers("API-240.j", "API-281.c")
@each_cursor_too_high
@each_place
def test_a_cursor_above_every_id_fails(node: Node, draw: Draw, cursor: int, place: int) -> None:
    """API-240.j: a cursor above 2^63-1 fails a Query, wherever it stands; 2^63-1 itself does not."""
    topics = Stock(node, draw, 0, 0, 0).topics
    last = [Position(topic, LAST_SEQUENCE_ID) for topic in topics]
    refused_as_malformed(node.query(*last[:place], Position(topics[place], cursor), *last[place + 1 :]).call)
    succeeded(node.query(*last).call)


@covers("API-240.j")
@each_cursor_too_high
@pytest.mark.parametrize("order", [1, -1], ids=["too-high-last", "too-high-first"])
def test_a_cursor_above_every_id_fails_beside_a_lower_one(node: Node, draw: Draw, cursor: int, order: int) -> None:
    """API-240.j: a cursor above 2^63-1 fails a Query also where another entry reads the same topic from below."""
    (topic,) = Stock(node, draw, 0).topics
    refused_as_malformed(node.query(*[Position(topic), Position(topic, cursor)][::order]).call)
    succeeded(node.query(*[Position(topic), Position(topic, LAST_SEQUENCE_ID)][::order]).call)
