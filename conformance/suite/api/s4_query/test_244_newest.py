"""API-244: QueryNewest gives the newest envelope of each topic that has one.

A copy may lag (API section 1), so each answer is asked for again until it has caught up with what was published.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.craft.topics import Kind
from conformance.oracle.newest import each_named, highest_ids, one_result_each, payload_as_asked
from conformance.suite import covers
from conformance.suite.api.each import each_paged_kind
from conformance.suite.api.s4_query.stock import Stock
from conformance.target.node import Node

both_forms = pytest.mark.parametrize("full", [False, True], ids=["metadata", "full"])
some_topics = given(slots=st.lists(st.integers(0, 4), min_size=1, max_size=8))


@pytest.fixture
def stock(node: Node, draw: Draw) -> Stock:
    """Five topics for the examples of one property, the second and the fourth of them empty."""
    return Stock(node, draw, 3, 0, 1, 0, 2)


@covers("API-244.a")
@both_forms
@each_paged_kind
def test_a_topic_named_again_gets_no_second_result(node: Node, draw: Draw, kind: Kind, full: bool) -> None:
    """API-244.a: topics named twice and three times, next to each other and apart, get one result each."""
    stock = Stock(node, draw, 2, 1, kinds=[kind])
    one, other = stock.topics
    named = (one, other, other, one)[: stock.most_newest(full=full)]
    one_result_each(stock.newest(*named, full=full).results, requested=named, stored=stock.ids, may_lag=False)


@covers("API-244.a")
@both_forms
@each_paged_kind
def test_a_topic_without_an_envelope_gets_no_result(node: Node, draw: Draw, kind: Kind, full: bool) -> None:
    """API-244.a: empty topics before, between and after others are left out, and so is an empty topic alone."""
    stock = Stock(node, draw, 0, 1, 0, 2, kinds=[kind])
    named = stock.topics[: stock.most_newest(full=full)]
    one_result_each(stock.newest(*named, full=full).results, requested=named, stored=stock.ids, may_lag=False)
    alone = stock.newest(named[0], full=full).results
    one_result_each(alone, requested=named[:1], stored=stock.ids, may_lag=False)


@covers("API-244.a")
@both_forms
@some_topics
def test_every_topic_with_an_envelope_has_one_result(stock: Stock, slots: list[int], full: bool) -> None:
    """API-244.a: whatever topics a request names, in any order, it gets one result for each that holds something."""
    named = [stock.topics[slot] for slot in slots][: stock.most_newest(full=full)]
    one_result_each(stock.newest(*named, full=full).results, requested=named, stored=stock.ids, may_lag=False)


@covers("API-244.b")
@both_forms
@each_paged_kind
@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_newest_has_the_highest_id(node: Node, draw: Draw, kind: Kind, full: bool, count: int) -> None:
    """API-244.b: of several envelopes of a topic, some of one publish, the result is the one with the highest id."""
    stock = Stock(node, draw, count, 2, kinds=[kind])
    answer = stock.newest(stock.topics[0], full=full)
    highest_ids(answer.results, stored=stock.ids, may_lag=False)
    one_result_each(answer.results, requested=stock.topics[:1], stored=stock.ids, may_lag=False)


@covers("API-244.b")
@both_forms
@each_paged_kind
def test_the_newest_moves_on_with_every_publish(node: Node, draw: Draw, kind: Kind, full: bool) -> None:
    """API-244.b: after another envelope is confirmed, the result is that one and no longer the one before."""
    stock = Stock(node, draw, 1, kinds=[kind])
    highest_ids(stock.newest(*stock.topics, full=full).results, stored=stock.ids, may_lag=False)
    stock.add(0)
    highest_ids(stock.newest(*stock.topics, full=full).results, stored=stock.ids, may_lag=False)


@covers("API-244.c")
@both_forms
@each_paged_kind
def test_the_envelope_is_carried_if_and_only_if_asked_for(node: Node, draw: Draw, kind: Kind, full: bool) -> None:
    """API-244.c: with include_full_envelope every result carries its envelope, without it none does."""
    stock = Stock(node, draw, 1, 2, kinds=[kind])
    named = stock.topics[: stock.most_newest(full=full)]
    answer = stock.newest(*named, full=full)
    payload_as_asked(answer.results, full=full)
    one_result_each(answer.results, requested=named, stored=stock.ids, may_lag=False)


@covers("API-244.f")
@both_forms
@each_paged_kind
def test_results_keep_their_topics_when_empty_ones_are_left_out(node: Node, draw: Draw, kind: Kind, full: bool) -> None:
    """API-244.f: empty topics before and between shift no name: each result names the topic of its metadata."""
    stock = Stock(node, draw, 0, 1, 0, 2, kinds=[kind])
    named = stock.topics[: stock.most_newest(full=full)]
    answer = stock.newest(*named, full=full)
    each_named(answer.results, requested=named)
    one_result_each(answer.results, requested=named, stored=stock.ids, may_lag=False)


@covers("API-244.f")
@both_forms
@some_topics
def test_every_result_names_a_topic_that_was_asked_for(stock: Stock, slots: list[int], full: bool) -> None:
    """API-244.f: whatever topics a request names, in any order, each result names its own one of them."""
    named = [stock.topics[slot] for slot in slots][: stock.most_newest(full=full)]
    each_named(stock.newest(*named, full=full).results, requested=named)
