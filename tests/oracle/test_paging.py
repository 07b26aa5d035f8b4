from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from conformance.oracle.paging import (
    PageFacts,
    ascending,
    complete_walk,
    effective_limit,
    lawful_page,
    lowest_cursors,
    reads_own_writes,
)
from conformance.oracle.violation import Violation
from conformance.wire.transcript import Meta


def topic(number: int) -> bytes:
    return bytes([0, number]) + bytes(15)


def meta(name: bytes, number: int) -> Meta:
    return Meta(
        sequence_id=number,
        server_ns=number,
        message_hash=number.to_bytes(32, "big"),
        topic=name,
        expiry_ns=0,
        is_commit_or_proposal=False,
    )


@dataclass(frozen=True)
class Asked:
    """Topics with gaps in their ids, the position each is read from, and the effective limit."""

    stored: Mapping[bytes, list[int]]
    cursors: Mapping[bytes, int]
    limit: int

    @property
    def eligible(self) -> dict[bytes, list[int]]:
        return {name: [i for i in self.stored.get(name, []) if i > cursor] for name, cursor in self.cursors.items()}

    @property
    def count(self) -> int:
        return sum(len(ids) for ids in self.eligible.values())


@st.composite
def asked(draw: st.DrawFn, most: int = 12) -> Asked:
    ids = draw(st.lists(st.integers(1, 1 << 40), unique=True, max_size=most).map(sorted))
    stored: dict[bytes, list[int]] = {topic(number): [] for number in range(3)}
    for number in ids:
        stored[topic(draw(st.integers(0, 2)))].append(number)
    places = [0, (1 << 63) - 1, *ids, *(i - 1 for i in ids)]
    named = draw(st.lists(st.integers(0, 2), min_size=1, max_size=3, unique=True))
    cursors = {topic(number): draw(st.sampled_from(places[:1] * 3 + places)) for number in named}
    count = Asked(stored, cursors, 1).count
    around = st.sampled_from([max(1, count + shift) for shift in (-2, -1, 0, 0, 1)])
    return Asked(stored, cursors, draw(st.one_of(around, st.integers(1, most + 2))))


def lawful_answer(query: Asked, choice: random.Random) -> PageFacts:
    """Any page a backend may give: topics interleaved at will, and which of them a cut page holds left open."""
    rest = {name: list(ids) for name, ids in query.eligible.items() if ids}
    metas: list[Meta] = []
    grouped = choice.random() < 0.3
    while rest and len(metas) < query.limit:
        name = next(iter(rest)) if grouped else choice.choice(list(rest))
        metas.append(meta(name, rest[name].pop(0)))
        if not rest[name]:
            del rest[name]
    return PageFacts(metas=tuple(metas), has_more=query.count > query.limit)


def judge(query: Asked, page: PageFacts) -> None:
    lawful_page(page, stored=query.stored, cursors=query.cursors, limit=query.limit)


@given(query=asked(), choice=st.randoms(use_true_random=False))
def test_no_lawful_page_is_ever_flagged(query: Asked, choice: random.Random) -> None:
    page = lawful_answer(query, choice)
    judge(query, page)
    receipts = {name: list(ids) for name, ids in query.stored.items()}
    reads_own_writes(page, receipts=receipts, cursors=query.cursors, limit=query.limit)


# ---- every way to spoil a page; None when this page cannot be spoiled so


def at_cursor(query: Asked, page: PageFacts, choice: random.Random) -> PageFacts | None:
    for name, cursor in query.cursors.items():
        if cursor in query.stored[name]:
            return replace(page, metas=(meta(name, cursor), *page.metas))
    return None


def doubled(query: Asked, page: PageFacts, choice: random.Random) -> PageFacts | None:
    if not page.metas:
        return None
    index = choice.randrange(len(page.metas))
    return replace(page, metas=(*page.metas[: index + 1], *page.metas[index:]))


def newest_first(query: Asked, page: PageFacts, choice: random.Random) -> PageFacts | None:
    turned = tuple(reversed(page.metas))
    names = [each.topic for each in page.metas]
    return replace(page, metas=turned) if len(set(names)) < len(names) else None


def first_left_out(query: Asked, page: PageFacts, choice: random.Random) -> PageFacts | None:
    for name in query.cursors:
        mine = [each for each in page.metas if each.topic == name]
        if len(mine) > 1:
            return replace(page, metas=tuple(each for each in page.metas if each != mine[0]))
    return None


def one_too_many(query: Asked, page: PageFacts, choice: random.Random) -> PageFacts | None:
    for name, ids in query.eligible.items():
        shown = [each.sequence_id for each in page.metas if each.topic == name]
        if len(page.metas) == query.limit and len(shown) < len(ids):
            return replace(page, metas=(*page.metas, meta(name, ids[len(shown)])))
    return None


def emptied(query: Asked, page: PageFacts, choice: random.Random) -> PageFacts | None:
    return replace(page, metas=()) if page.metas else None


def last_left_out(query: Asked, page: PageFacts, choice: random.Random) -> PageFacts | None:
    return replace(page, metas=page.metas[:-1]) if len(page.metas) > 1 else None


def last_left_out_and_more(query: Asked, page: PageFacts, choice: random.Random) -> PageFacts | None:
    return replace(page, metas=page.metas[:-1], has_more=True) if len(page.metas) > 1 else None


def has_more_turned(query: Asked, page: PageFacts, choice: random.Random) -> PageFacts | None:
    return replace(page, has_more=not page.has_more)


def has_more_when_full(query: Asked, page: PageFacts, choice: random.Random) -> PageFacts | None:
    return replace(page, has_more=True) if query.count == query.limit else None


def strange_topic(query: Asked, page: PageFacts, choice: random.Random) -> PageFacts | None:
    return replace(page, metas=(*page.metas, meta(topic(9), 1)))


def strange_envelope(query: Asked, page: PageFacts, choice: random.Random) -> PageFacts | None:
    name = next(iter(query.cursors))
    top = max([query.cursors[name], *query.stored[name]]) + 1
    return replace(page, metas=(*page.metas, meta(name, top))) if len(page.metas) < query.limit else None


Spoil = Callable[[Asked, PageFacts, random.Random], PageFacts | None]
SPOILT: dict[Spoil, set[str]] = {
    at_cursor: {"at-or-below-cursor"},
    doubled: {"repeated"},
    newest_first: {"not-ascending"},
    first_left_out: {"hole"},
    one_too_many: {"over-limit"},
    emptied: {"empty-page"},
    last_left_out: {"short-page"},
    last_left_out_and_more: {"short-page"},
    has_more_turned: {"wrong-has-more"},
    has_more_when_full: {"wrong-has-more"},
    strange_topic: {"foreign-topic"},
    strange_envelope: {"unknown-envelope"},
}


@pytest.mark.parametrize("spoil", SPOILT, ids=lambda spoil: spoil.__name__)
@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(query=asked(), choice=st.randoms(use_true_random=False))
def test_every_spoilt_page_is_flagged(spoil: Spoil, query: Asked, choice: random.Random) -> None:
    page = spoil(query, lawful_answer(query, choice), choice)
    assume(page is not None)
    assert page is not None
    with pytest.raises(Violation) as caught:
        judge(query, page)
    assert caught.value.reason in SPOILT[spoil]
    assert len(str(caught.value)) < 2000


def walk(query: Asked, limits: list[int], choice: random.Random) -> tuple[list[PageFacts], list[int]]:
    positions = dict(query.cursors)
    pages: list[PageFacts] = []
    used: list[int] = []
    while True:
        limit = limits[len(pages) % len(limits)]
        page = lawful_answer(Asked(query.stored, positions, limit), choice)
        pages.append(page)
        used.append(limit)
        if not page.has_more:
            return pages, used
        for each in page.metas:
            positions[each.topic] = max(positions[each.topic], each.sequence_id)


LIMITS = st.lists(st.integers(1, 4), min_size=1, max_size=4)


@given(query=asked(), limits=LIMITS, choice=st.randoms(use_true_random=False))
def test_a_lawful_walk_is_never_flagged_and_a_cut_one_always(
    query: Asked, limits: list[int], choice: random.Random
) -> None:
    pages, used = walk(query, limits, choice)
    complete_walk(pages, stored=query.stored, cursors=query.cursors, limits=used)
    with pytest.raises(Violation) as caught:
        complete_walk(pages[:-1], stored=query.stored, cursors=query.cursors, limits=used[:-1])
    assert caught.value.reason == "walk-unfinished"
    if len(pages) > 1:
        early = [replace(pages[0], has_more=False)]
        with pytest.raises(Violation) as caught:
            complete_walk(early, stored=query.stored, cursors=query.cursors, limits=used[:1])
        assert caught.value.reason == "wrong-has-more"


@given(query=asked(), gone=st.sets(st.integers(0, 11)), choice=st.randoms(use_true_random=False))
def test_what_has_expired_may_be_there_or_gone(query: Asked, gone: set[int], choice: random.Random) -> None:
    ids = [i for held in query.stored.values() for i in held]
    expired = {ids[index] for index in gone if index < len(ids)}
    pruned = {i for i in expired if choice.random() < 0.5}
    left = {name: [i for i in held if i not in pruned] for name, held in query.stored.items()}
    page = lawful_answer(Asked(left, query.cursors, query.limit), choice)
    lawful_page(page, stored=query.stored, cursors=query.cursors, limit=query.limit, expired=expired)
    receipts = {name: list(held) for name, held in query.stored.items()}
    reads_own_writes(page, receipts=receipts, cursors=query.cursors, limit=query.limit, expired=expired)


@given(query=asked(), others=st.lists(st.integers(1, 1 << 41), max_size=6), choice=st.randoms(use_true_random=False))
def test_own_writes_are_judged_right_beside_other_writers(
    query: Asked, others: list[int], choice: random.Random
) -> None:
    receipts = {name: list(ids) for name, ids in query.stored.items()}
    taken = {i for ids in receipts.values() for i in ids}
    stored = {
        name: sorted({*ids, *(i for i in others if i not in taken)} if name == topic(0) else ids)
        for name, ids in receipts.items()
    }
    page = lawful_answer(Asked(stored, query.cursors, query.limit), choice)
    reads_own_writes(page, receipts=receipts, cursors=query.cursors, limit=query.limit)
    own = [each for each in page.metas if each.sequence_id in receipts[each.topic]]
    for missing in own:
        lacking = replace(page, metas=tuple(each for each in page.metas if each is not missing))
        with pytest.raises(Violation) as caught:
            reads_own_writes(lacking, receipts=receipts, cursors=query.cursors, limit=query.limit)
        assert caught.value.reason == "own-write-missing"


@given(metas=st.lists(st.integers(1, 20), unique=True))
def test_ids_of_a_topic_ascend_and_those_of_different_topics_need_not(metas: list[int]) -> None:
    ascending([meta(topic(number), number) for number in metas])
    ascending([meta(topic(0), number) for number in sorted(metas)])
    if metas != sorted(metas):
        with pytest.raises(Violation, match="after id"):
            ascending([meta(topic(0), number) for number in metas])


def test_the_limit_and_the_cursors_are_those_of_the_contract() -> None:
    assert [effective_limit(asked_for, default=10, ceiling=50) for asked_for in (0, 1, 50, 51, (1 << 32) - 1)] == [
        10, 1, 50, 50, 50,
    ]  # fmt: skip
    entries = [(b"a", 20), (b"b", None), (b"a", 5), (b"b", 7), (b"c", 0), (b"a", 9)]
    assert lowest_cursors(entries) == {b"a": 5, b"b": 0, b"c": 0}
