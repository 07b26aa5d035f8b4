"""API-240: paging to the end, on quiet topics and beside busy writers, and pages too long in bytes."""

from __future__ import annotations

from itertools import cycle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.craft.plans import CursorPlan
from conformance.craft.sizes import envelope_of, longest_within
from conformance.craft.strategies import cursor_plans
from conformance.craft.topics import IDENTIFIER_BYTES, Kind, topic
from conformance.oracle.paging import complete_walk, not_short, reads_own_writes, right_has_more, walked_to_the_end
from conformance.oracle.status import ended
from conformance.suite import covers
from conformance.suite.api.each import each_paged_kind
from conformance.suite.api.s4_query.stock import Stock, facts, paged_by
from conformance.suite.api.s4_query.traffic import ARRIVALS, race, reader_beside_writers
from conformance.target.errors import Missing
from conformance.target.node import Node, Position
from conformance.wire.transcript import Code

# what the metadata and framing of one envelope may add to a page
OVERHEAD_BYTES = 256
RACES = 10


@covers("API-240.g")
@pytest.mark.parametrize("growing", [0, 1], ids=["first-topic-grows", "second-topic-grows"])
@pytest.mark.parametrize("limit", range(1, ARRIVALS + 2))
def test_has_more_and_the_page_agree_when_publishes_come_between(
    node: Node, draw: Draw, limit: int, growing: int
) -> None:
    """API-240.g: while envelopes arrive during a read, has_more counts those that the page was cut from, and no others.

    It never says true with room for all that ever come, and a confirmed envelope gives way only where it says true.
    """
    for _ in range(RACES):
        (read,) = race(node, draw, limit=limit, growing=growing).reads
        page, room = facts(read.page), paged_by(node, limit)
        right_has_more(page, least=1, most=1 + ARRIVALS, limit=room)
        reads_own_writes(page, receipts=read.confirmed, cursors=read.cursors, limit=room)


@covers("API-240.g")
def test_paging_beside_writers_misses_nothing_confirmed(node: Node, draw: Draw) -> None:
    """API-240.g: with just enough room for all that is confirmed, or one less, paging to the end shows all of it."""
    room = cycle(draw.random.choices((0, 0, 0, 1, -1), k=8))
    reader = reader_beside_writers(node, draw, limit=lambda known: max(1, known + next(room)))
    reader.finish()
    for read in reader.reads:
        limit = paged_by(node, read.asked)
        reads_own_writes(facts(read.page), receipts=read.confirmed, cursors=read.cursors, limit=limit)
    confirmed = [i for ids in reader.reads[-1].confirmed.values() for i in ids]
    walked_to_the_end([facts(read.page) for read in reader.reads], wanted=confirmed)


@covers("API-240.h")
@each_paged_kind
@pytest.mark.parametrize("limits", [(1,), (2,), (3, 1), (0,)], ids=["one", "two", "three-and-one", "default"])
def test_paging_shows_every_envelope_once_and_ends(node: Node, draw: Draw, kind: Kind, limits: tuple[int]) -> None:
    """API-240.h: with each cursor moved to the highest id shown, the pages hold all that is stored, once, and end."""
    stock = Stock(node, draw, 4, 0, 5, 1, kinds=[kind])
    walk = stock.walk(*map(Position, stock.topics), limits=limits)
    complete_walk(walk.pages, stored=stock.ids, cursors=walk.cursors, limits=walk.limits)


@pytest.fixture
def stock(node: Node, draw: Draw) -> Stock:
    """Three topics for the examples of one property."""
    return Stock(node, draw, 5, 3, 4)


@covers("API-240.h")
@given(
    cursors=st.lists(cursor_plans(), min_size=3, max_size=3),
    limits=st.lists(st.integers(1, 6), min_size=1, max_size=4),
)
def test_paging_is_complete_from_anywhere(stock: Stock, cursors: list[CursorPlan], limits: list[int]) -> None:
    """API-240.h: from any cursors and with any limits, paging shows what stands above them, once each, and ends."""
    starts = zip(stock.topics, cursors, strict=True)
    walk = stock.walk(*(Position(name, plan.resolve(stock.ids[name])) for name, plan in starts), limits=limits)
    complete_walk(walk.pages, stored=stock.ids, cursors=walk.cursors, limits=walk.limits)


@covers("API-240.i", "API-283.a")
@each_paged_kind
def test_a_page_too_long_in_bytes_fails_and_is_not_trimmed(small: Node, draw: Draw, kind: Kind) -> None:
    """API-240.i: a page longer than max_response_bytes ends OUT_OF_RANGE; one envelope fewer than fit is answered."""
    longest = longest_within(kind, small.limits.max_envelope_bytes)
    too_many = small.limits.max_response_bytes // longest + 1
    if too_many > small.limits.max_query_limit:
        raise Missing("limits", "no page that max_query_limit allows is longer than max_response_bytes")
    identifier = draw.identifier(IDENTIFIER_BYTES[kind])
    for _ in range(too_many):
        small.publish(envelope_of(draw, kind, identifier, longest)).ok()
    ended(small.query(topic(kind, identifier), limit=too_many).call, (Code.OUT_OF_RANGE,))
    fit = max(1, small.limits.max_response_bytes // (longest + OVERHEAD_BYTES))
    not_short(facts(small.query(topic(kind, identifier), limit=fit)), eligible=too_many, limit=fit)
