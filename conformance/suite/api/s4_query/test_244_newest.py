"""API-244: QueryNewest gives the newest envelope of each topic that has one.

A copy may lag (API section 1), so each answer is asked for again until it has caught up with what was published.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.craft.topics import Kind
from conformance.oracle import newest
from conformance.suite import covers
from conformance.suite.api.each import PAGED_KINDS, each_paged_kind
from conformance.suite.api.s4_query.stock import AskedNewest, Stock
from conformance.target.node import Node

both_forms = pytest.mark.parametrize("full", [False, True], ids=["metadata", "full"])
some_topics = given(slots=st.lists(st.integers(0, 4), min_size=1, max_size=8))


@pytest.fixture
def stock(node: Node, draw: Draw) -> Stock:
    """Five topics for the examples of one property, the second and the fourth of them empty."""
    return Stock(node, draw, 3, 0, 1, 0, 2)


def one_result_each(stock: Stock, asked: AskedNewest) -> None:
    """Judge that every topic that holds something has one result, and no other has one."""
    newest.one_result_each(
        asked.results, requested=asked.requested, stored=stock.ids, may_lag=False, waited_s=asked.waited_s
    )


def highest_ids(stock: Stock, asked: AskedNewest) -> None:
    """Judge that every topic that holds something has a result, which is the envelope with its highest id."""
    newest.highest_ids(asked.results, stored=stock.ids, may_lag=False, waited_s=asked.waited_s)
    one_result_each(stock, asked)


@covers("API-244.a")
@both_forms
@each_paged_kind
def test_a_topic_named_again_gets_no_second_result(node: Node, draw: Draw, kind: Kind, full: bool) -> None:
    """API-244.a: topics named twice, next to each other and apart, get one result each."""
    stock = Stock(node, draw, 2, 1, kinds=[kind])
    one, other = stock.topics
    one_result_each(stock, stock.newest(one, other, other, one, full=full))


@covers("API-244.a")
@both_forms
@each_paged_kind
def test_a_topic_without_an_envelope_gets_no_result(node: Node, draw: Draw, kind: Kind, full: bool) -> None:
    """API-244.a: empty topics before and between others are left out, and so is an empty topic alone."""
    stock = Stock(node, draw, 0, 1, 0, 2, kinds=[kind])
    one_result_each(stock, stock.newest(*stock.topics, full=full))
    one_result_each(stock, stock.newest(stock.topics[0], full=full))


@covers("API-244.a")
@both_forms
@some_topics
def test_every_topic_with_an_envelope_has_one_result(stock: Stock, slots: list[int], full: bool) -> None:
    """API-244.a: whatever topics a request names, in any order, it gets one result for each that holds something."""
    one_result_each(stock, stock.newest(*(stock.topics[slot] for slot in slots), full=full))


@covers("API-244.b")
@both_forms
def test_the_newest_has_the_highest_id(node: Node, draw: Draw, full: bool) -> None:
    """API-244.b: of several envelopes of a topic, some from one publish, the one with the highest id is returned."""
    stock = Stock(node, draw, *[5] * len(PAGED_KINDS))
    highest_ids(stock, stock.newest(*stock.topics, full=full))


@covers("API-244.b")
@both_forms
def test_the_newest_moves_on_with_every_publish(node: Node, draw: Draw, full: bool) -> None:
    """API-244.b: once another envelope is confirmed, that one is returned and no longer the one before it."""
    stock = Stock(node, draw, *[1] * len(PAGED_KINDS))
    highest_ids(stock, stock.newest(*stock.topics, full=full))
    for slot in range(len(PAGED_KINDS)):
        stock.add(slot)
    highest_ids(stock, stock.newest(*stock.topics, full=full))


@covers("API-244.c")
@both_forms
@each_paged_kind
def test_the_envelope_is_carried_if_and_only_if_asked_for(node: Node, draw: Draw, kind: Kind, full: bool) -> None:
    """API-244.c: with include_full_envelope every result carries its envelope, without it none does."""
    stock = Stock(node, draw, 1, 2, kinds=[kind])
    asked = stock.newest(*stock.topics, full=full)
    newest.payload_as_asked(asked.results, full=full)
    one_result_each(stock, asked)


@covers("API-244.f")
@both_forms
@each_paged_kind
def test_results_keep_their_topics_where_empty_ones_are_left_out(
    node: Node, draw: Draw, kind: Kind, full: bool
) -> None:
    """API-244.f: empty topics before and between shift no name: each result names the topic of its metadata."""
    stock = Stock(node, draw, 0, 1, 0, 2, kinds=[kind])
    asked = stock.newest(*stock.topics, full=full)
    newest.each_named(asked.results, requested=asked.requested)
    one_result_each(stock, asked)


@covers("API-244.f")
@both_forms
@some_topics
def test_every_result_names_a_topic_that_was_asked_for(stock: Stock, slots: list[int], full: bool) -> None:
    """API-244.f: whatever topics a request names, in any order, each result names its own one of them."""
    asked = stock.newest(*(stock.topics[slot] for slot in slots), full=full)
    newest.each_named(asked.results, requested=asked.requested)
