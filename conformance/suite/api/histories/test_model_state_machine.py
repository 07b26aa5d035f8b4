"""Sequences of calls in any order, answered as the abstract backend would: a rising list of envelopes per topic."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.suite import covers
from conformance.suite.api.histories.model import follows_the_model
from conformance.target.node import Node


@covers("API-202.c")
def test_any_page_between_publishes_shows_all_that_its_limit_allows(node: Node, draw: Draw) -> None:
    """API-202.c: whatever was published, refused and read before, a page holds what is stored up to its limit."""
    follows_the_model(node, draw, "API-202.c")


@covers("API-211.a")
def test_any_page_between_publishes_carries_what_was_sent(node: Node, draw: Draw) -> None:
    """API-211.a: envelopes of every kind come back with the value that was first sent, in whatever encoding."""
    follows_the_model(node, draw, "API-211.a")


@covers("API-220.a")
def test_no_refused_publish_between_others_leaves_anything(node: Node, draw: Draw) -> None:
    """API-220.a: requests with a malformed envelope at any place change nothing on the topics of the others."""
    follows_the_model(node, draw, "API-220.a")


@covers("API-222.a")
def test_any_later_repeat_gets_the_first_receipt(node: Node, draw: Draw) -> None:
    """API-222.a: repeats in other requests and encodings get the first metadata, whatever was called between."""
    follows_the_model(node, draw, "API-222.a")


@covers("API-240.h")
def test_any_walk_between_publishes_is_complete(node: Node, draw: Draw) -> None:
    """API-240.h: paging any topics from any cursors with any limits ends, and holds every stored envelope once."""
    follows_the_model(node, draw, "API-240.h")


@covers("API-244.b")
def test_newest_between_publishes_is_the_last_of_each_topic(node: Node, draw: Draw) -> None:
    """API-244.b: after any publishes QueryNewest, in both forms, comes to show the highest id of each topic."""
    follows_the_model(node, draw, "API-244.b")


@covers("API-289.a")
def test_every_publish_gets_ids_above_all_before_it(node: Node, draw: Draw) -> None:
    """API-289.a: in any sequence of publishes, repeats and refusals, new ids lie above all that were given out."""
    follows_the_model(node, draw, "API-289.a")
