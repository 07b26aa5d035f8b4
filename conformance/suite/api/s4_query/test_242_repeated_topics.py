"""API-242: a topic named more than once is read from the lowest cursor given for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.craft.plans import CursorPlan
from conformance.craft.strategies import cursor_plans
from conformance.craft.topics import Kind
from conformance.oracle.paging import not_short, without_hole
from conformance.suite import covers
from conformance.suite.api.each import each_paged_kind
from conformance.suite.api.s4_query.stock import Stock
from conformance.target.node import Node, Position

# per entry the index of the id its cursor stands on; None is an absent cursor, "zero" a cursor of 0
ORDERS = {
    "higher-then-lower": (3, 1),
    "lower-then-higher": (1, 3),
    "lowest-between": (3, 0, 2),
    "highest-between": (1, 4, 2),
    "absent-last": (3, None),
    "absent-first": (None, 3),
    "zero-last": (2, "zero"),
    "zero-first": ("zero", 2),
    "beyond-the-head": (4, 1, 4),
}


@covers("API-242.a")
@each_paged_kind
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("limit", [0, 2], ids=["default-limit", "limit-2"])
def test_the_lowest_cursor_counts_in_any_order(node: Node, draw: Draw, kind: Kind, order: str, limit: int) -> None:
    """API-242.a: whatever order its cursors stand in, all above the lowest is shown; an absent cursor counts as 0."""
    stock = Stock(node, draw, 6, 2, kinds=[kind])
    topic, other = stock.topics
    cursors = {None: None, "zero": 0} | dict(enumerate(stock.ids[topic]))
    named = [Position(topic, cursors[place]) for place in ORDERS[order]]
    asked = stock.ask(named[0], Position(other, stock.ids[other][-1]), *named[1:], limit=limit)
    without_hole(asked.page, stored=stock.ids, cursors=asked.cursors)
    not_short(asked.page, eligible=asked.eligible, limit=asked.limit)


@pytest.fixture
def stock(node: Node, draw: Draw) -> Stock:
    """Two topics for the examples of one property."""
    return Stock(node, draw, 6, 3)


@covers("API-242.a")
@given(entries=st.lists(st.tuples(st.integers(0, 1), cursor_plans()), min_size=2, max_size=6))
def test_the_lowest_of_any_cursors_counts(stock: Stock, entries: list[tuple[int, CursorPlan]]) -> None:
    """API-242.a: of any entries for two topics, each topic is read from the lowest of its own cursors."""
    asked = stock.ask(
        *(Position(stock.topics[slot], plan.resolve(stock.ids[stock.topics[slot]])) for slot, plan in entries)
    )
    without_hole(asked.page, stored=stock.ids, cursors=asked.cursors)
    not_short(asked.page, eligible=asked.eligible, limit=asked.limit)
