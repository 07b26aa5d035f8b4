"""API-241: what a Query is paged by when it asks for no limit, for a lawful one, or for too high a one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.craft.plans import LARGEST_LIMIT
from conformance.craft.topics import Kind
from conformance.oracle.paging import not_short, right_has_more, within_limit
from conformance.suite import covers
from conformance.suite.api.each import each_paged_kind
from conformance.suite.api.s4_query.stock import Asked, Stock
from conformance.target.node import Node, Position


def paged_by(asked: Asked, limit: int) -> None:
    """Judge that a page was cut by `limit` and by nothing else, and says so."""
    within_limit(asked.page, limit=limit)
    not_short(asked.page, eligible=asked.eligible, limit=limit)
    right_has_more(asked.page, least=asked.eligible, most=asked.eligible, limit=limit)


@covers("API-241.a")
@each_paged_kind
@pytest.mark.parametrize("surplus", [0, 1, 2], ids=["as-many", "one-more", "two-more"])
def test_without_a_limit_the_published_default_pages(small: Node, draw: Draw, kind: Kind, surplus: int) -> None:
    """API-241.a: limit 0 takes the published default: as many envelopes fit whole, with one more the page is cut."""
    default = small.limits.default_query_limit
    stock = Stock(small, draw, default + surplus, kinds=[kind])
    paged_by(stock.ask(Position(stock.topics[0]), limit=0), default)


@covers("API-241.a")
def test_the_default_counts_the_envelopes_of_all_topics(small: Node, draw: Draw) -> None:
    """API-241.a: the published default is the limit of the whole page, however many topics are named."""
    default = small.limits.default_query_limit
    stock = Stock(small, draw, default, 1, 1)
    paged_by(stock.ask(*map(Position, stock.topics), limit=0), default)


@covers("API-241.b")
@each_paged_kind
@pytest.mark.parametrize("surplus", [0, 1, 2], ids=["as-many", "one-more", "two-more"])
def test_too_high_a_limit_is_the_published_maximum(small: Node, draw: Draw, kind: Kind, surplus: int) -> None:
    """API-241.b: one above the maximum, and the highest number there is, page like the maximum itself."""
    most = small.limits.max_query_limit
    stock = Stock(small, draw, most + surplus, kinds=[kind])
    for limit in (most, most + 1, LARGEST_LIMIT):
        paged_by(stock.ask(Position(stock.topics[0]), limit=limit), most)


@covers("API-241.b")
def test_too_high_a_limit_is_no_error_where_little_is_stored(small: Node, draw: Draw) -> None:
    """API-241.b: a limit above the maximum is taken even when the page is far from filling it."""
    stock = Stock(small, draw, 1, 0, 1)
    paged_by(stock.ask(*map(Position, stock.topics), limit=LARGEST_LIMIT), small.limits.max_query_limit)


@pytest.fixture
def stock(node: Node, draw: Draw) -> Stock:
    """Three topics for the examples of one property."""
    return Stock(node, draw, 5, 4, 3)


@covers("API-241.c")
@given(limit=st.integers(1, 14), topics=st.integers(1, 3))
def test_any_lawful_limit_is_followed(stock: Stock, limit: int, topics: int) -> None:
    """API-241.c: a page holds as many envelopes as the limit says, fewer only when there are no more."""
    asked = stock.ask(*map(Position, stock.topics[:topics]), limit=limit)
    paged_by(asked, asked.limit)


@covers("API-241.c")
@each_paged_kind
@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_a_small_limit_is_followed(node: Node, draw: Draw, kind: Kind, limit: int) -> None:
    """API-241.c: limits below, at and above the number of envelopes of a topic are followed as given."""
    stock = Stock(node, draw, 3, kinds=[kind])
    asked = stock.ask(Position(stock.topics[0]), limit=limit)
    paged_by(asked, asked.limit)
