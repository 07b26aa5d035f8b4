"""API-240: what one page of Query may hold, and what its has_more says."""

from __future__ import annotations

import pytest
from hypothesis import given

from conformance.craft.draw import Draw
from conformance.craft.plans import PLACES, CursorPlan, QueryPlan
from conformance.craft.strategies import query_plans
from conformance.craft.topics import Kind
from conformance.oracle.paging import (
    above_cursors,
    each_once,
    not_empty,
    right_has_more,
    within_limit,
    without_hole,
)
from conformance.suite import covers
from conformance.suite.api.each import each_paged_kind
from conformance.suite.api.s4_query.stock import Stock
from conformance.target.node import Node, Position

plans = given(plan=query_plans(topics=4, repeats=False))


@pytest.fixture
def stock(node: Node, draw: Draw) -> Stock:
    """Four topics for the examples of one property, the third of them empty."""
    return Stock(node, draw, 5, 3, 0, 4)


@covers("API-240.a")
@each_paged_kind
@pytest.mark.parametrize("place", PLACES)
def test_no_cursor_lets_an_envelope_at_or_below_it_through(node: Node, draw: Draw, kind: Kind, place: str) -> None:
    """API-240.a: absent, 0, on an id, on an id of another topic, at the head, far beyond: all shown lies above."""
    stock = Stock(node, draw, 4, 4, kinds=[kind])
    topic = stock.topics[1]
    cursor = CursorPlan(place=place, index=2).resolve(stock.ids[topic])
    asked = stock.ask(Position(topic, cursor))
    above_cursors(asked.page, stored=stock.ids, cursors=asked.cursors)


@covers("API-240.a")
@plans
def test_each_topic_is_read_above_its_own_cursor(stock: Stock, plan: QueryPlan) -> None:
    """API-240.a: with a cursor of its own for each topic, a page shows only what stands above them."""
    asked = stock.ask_as_planned(plan)
    above_cursors(asked.page, stored=stock.ids, cursors=asked.cursors)


@covers("API-240.b")
@pytest.mark.parametrize("limit", [1, 2, 5])
def test_the_limit_counts_the_envelopes_of_all_topics(node: Node, draw: Draw, limit: int) -> None:
    """API-240.b: a page over four topics holds no more envelopes than the limit, however they are spread."""
    stock = Stock(node, draw, 2, 2, 2, 2)
    asked = stock.ask(*map(Position, stock.topics), limit=limit)
    within_limit(asked.page, limit=asked.limit)


@covers("API-240.b")
@plans
def test_no_query_is_answered_beyond_its_limit(stock: Stock, plan: QueryPlan) -> None:
    """API-240.b: whatever topics, cursors and limit a Query names, its page stays within the effective limit."""
    asked = stock.ask_as_planned(plan)
    within_limit(asked.page, limit=asked.limit)


@covers("API-240.c")
@each_paged_kind
@pytest.mark.parametrize("second", PLACES)
@pytest.mark.parametrize("limit", [0, 3], ids=["default-limit", "limit-3"])
def test_a_topic_named_twice_is_shown_once(node: Node, draw: Draw, kind: Kind, second: str, limit: int) -> None:
    """API-240.c: two overlapping entries for one topic, another topic between them, repeat no envelope."""
    stock = Stock(node, draw, 4, 2, kinds=[kind])
    twice, other = stock.topics
    again = CursorPlan(place=second, index=1).resolve(stock.ids[twice])
    each_once(stock.ask(Position(twice), Position(other), Position(twice, again), limit=limit).page)


@covers("API-240.c")
@given(plan=query_plans(topics=4))
def test_no_page_repeats_an_envelope(stock: Stock, plan: QueryPlan) -> None:
    """API-240.c: with any entries, some for the same topic, each envelope stands at most once on the page."""
    each_once(stock.ask_as_planned(plan).page)


@covers("API-240.d")
@each_paged_kind
@pytest.mark.parametrize("limit", [1, 3])
def test_a_cut_page_holds_the_lowest_envelopes(node: Node, draw: Draw, kind: Kind, limit: int) -> None:
    """API-240.d: when the limit cuts a topic, what is shown of it starts right above the cursor, without a hole."""
    stock = Stock(node, draw, 5, 5, kinds=[kind])
    topic = stock.topics[0]
    asked = stock.ask(Position(topic, stock.ids[topic][0]), limit=limit)
    without_hole(asked.page, stored=stock.ids, cursors=asked.cursors)


@covers("API-240.d")
@plans
def test_no_topic_of_a_page_has_a_hole(stock: Stock, plan: QueryPlan) -> None:
    """API-240.d: of every topic on a page all eligible envelopes below the highest one shown are shown as well."""
    asked = stock.ask_as_planned(plan)
    without_hole(asked.page, stored=stock.ids, cursors=asked.cursors)


@covers("API-240.e")
@each_paged_kind
@pytest.mark.parametrize("place", ["absent", "start", "before", "at", "after"])
def test_one_eligible_envelope_among_empty_topics_is_found(node: Node, draw: Draw, kind: Kind, place: str) -> None:
    """API-240.e: with a limit of 1 and empty topics named first, a page still shows an envelope above the cursor."""
    stock = Stock(node, draw, 0, 0, 4, 0, kinds=[kind])
    holding = stock.topics[2]
    cursor = CursorPlan(place=place, index=2).resolve(stock.ids[holding])
    empty = [Position(topic) for topic in stock.topics if topic != holding]
    asked = stock.ask(*empty[: node.limits.max_query_topics - 1], Position(holding, cursor), limit=1)
    not_empty(asked.page, eligible=asked.eligible)


@covers("API-240.e")
@plans
def test_no_page_is_empty_while_something_is_eligible(stock: Stock, plan: QueryPlan) -> None:
    """API-240.e: a page holds at least one envelope if any stands above the cursors."""
    asked = stock.ask_as_planned(plan)
    not_empty(asked.page, eligible=asked.eligible)


@covers("API-240.f")
@each_paged_kind
@pytest.mark.parametrize(
    ("counts", "limit"),
    [
        pytest.param((0, 0), 1, id="nothing-stored"),
        pytest.param((2, 0), 3, id="one-fewer"),
        pytest.param((3, 0), 3, id="exactly-the-limit"),
        pytest.param((4, 0), 3, id="one-more"),
        pytest.param((1, 1, 1), 3, id="exactly-the-limit-together"),
        pytest.param((1, 2, 1), 3, id="one-more-together"),
        pytest.param((0, 1, 0), 1, id="exactly-one"),
    ],
)
def test_has_more_tells_whether_the_limit_was_too_small(
    node: Node, draw: Draw, kind: Kind, counts: tuple[int, ...], limit: int
) -> None:
    """API-240.f: has_more is true with one envelope more than the limit, and false with as many or fewer."""
    stock = Stock(node, draw, *counts, kinds=[kind])
    asked = stock.ask(*map(Position, stock.topics), limit=limit)
    right_has_more(asked.page, least=asked.eligible, most=asked.eligible, limit=asked.limit)


@covers("API-240.f")
@each_paged_kind
@pytest.mark.parametrize("place", PLACES)
def test_has_more_counts_only_what_stands_above_the_cursor(node: Node, draw: Draw, kind: Kind, place: str) -> None:
    """API-240.f: what lies at or below the cursor is no reason for has_more, at whatever position the cursor is."""
    stock = Stock(node, draw, 4, kinds=[kind])
    cursor = CursorPlan(place=place, index=1).resolve(stock.ids[stock.topics[0]])
    asked = stock.ask(Position(stock.topics[0], cursor), limit=2)
    right_has_more(asked.page, least=asked.eligible, most=asked.eligible, limit=asked.limit)


@covers("API-240.f")
@plans
def test_has_more_is_right_for_any_query(stock: Stock, plan: QueryPlan) -> None:
    """API-240.f: has_more is true exactly when more envelopes are eligible than the effective limit allows."""
    asked = stock.ask_as_planned(plan)
    right_has_more(asked.page, least=asked.eligible, most=asked.eligible, limit=asked.limit)
