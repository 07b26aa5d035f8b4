"""Each judgement of a page, and of the newest envelopes, notices its own clause and keeps out of the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from conformance.oracle import newest, paging
from conformance.oracle.paging import PageFacts, eligible_ids, walked_to_the_end
from conformance.oracle.violation import Violation
from conformance.wire.transcript import Meta, Seen

ONE, OTHER, EMPTY, STRANGE = (bytes([0, number]) + bytes(15) for number in range(4))
STORED = {ONE: [1, 4, 6, 9], OTHER: [2, 5, 7], EMPTY: []}
CURSORS = {ONE: 1, OTHER: 0, EMPTY: 0}
LIMIT = 4


def meta(topic: bytes, number: int) -> Meta:
    return Meta(
        sequence_id=number,
        server_ns=1,
        message_hash=number.to_bytes(32, "big"),
        topic=topic,
        expiry_ns=0,
        is_commit_or_proposal=False,
    )


def page(*entries: tuple[bytes, int], has_more: bool = True) -> PageFacts:
    return PageFacts(metas=tuple(meta(*entry) for entry in entries), has_more=has_more)


PAGE_JUDGES: dict[str, Callable[[PageFacts], None]] = {
    "a": partial(paging.above_cursors, stored=STORED, cursors=CURSORS),
    "b": partial(paging.within_limit, limit=LIMIT),
    "c": paging.each_once,
    "d": partial(paging.without_hole, stored=STORED, cursors=CURSORS),
    "e": partial(paging.not_empty, eligible=6),
    "f": partial(paging.right_has_more, least=6, most=6, limit=LIMIT),
    "241": partial(paging.not_short, eligible=6, limit=LIMIT),
}
PAGES: dict[str, tuple[PageFacts, set[str]]] = {
    "lawful": (page((ONE, 4), (ONE, 6), (OTHER, 2), (OTHER, 5)), set()),
    "lawful, of one topic only": (page((OTHER, 2), (OTHER, 5), (OTHER, 7), (ONE, 4)), set()),
    "at the cursor": (page((ONE, 1), (ONE, 4), (ONE, 6), (OTHER, 2)), {"a"}),
    "of a topic nobody asked for": (page((STRANGE, 3), (ONE, 4), (ONE, 6), (OTHER, 2)), {"a"}),
    "never stored": (page((EMPTY, 3), (ONE, 4), (ONE, 6), (OTHER, 2)), {"a"}),
    "one too many": (page((ONE, 4), (ONE, 6), (ONE, 9), (OTHER, 2), (OTHER, 5)), {"b"}),
    "one twice": (page((ONE, 4), (ONE, 6), (ONE, 4), (OTHER, 2)), {"c"}),
    "the newest": (page((ONE, 6), (ONE, 9), (OTHER, 2), (OTHER, 5)), {"d"}),
    "nothing": (page(), {"e", "241"}),
    "one too few": (page((ONE, 4), (ONE, 6), (OTHER, 2)), {"241"}),
    "no more": (page((ONE, 4), (ONE, 6), (OTHER, 2), (OTHER, 5), has_more=False), {"f"}),
}


def noticed(judge: Callable[[], None]) -> bool:
    try:
        judge()
    except Violation:
        return True
    return False


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_noticed_by_the_judges_of_the_clauses_it_breaks(name: str) -> None:
    facts, broken = PAGES[name]
    assert {clause for clause, judge in PAGE_JUDGES.items() if noticed(partial(judge, facts))} == broken


@pytest.mark.parametrize(
    ("least", "most", "has_more", "lawful"),
    [(1, 2, True, True), (1, 2, False, True), (2, 3, False, False), (2, 3, True, True), (0, 1, True, False)],
)
def test_beside_writers_has_more_is_held_to_what_is_certain(
    least: int, most: int, has_more: bool, lawful: bool
) -> None:
    judged = partial(paging.right_has_more, page(has_more=has_more), least=least, most=most, limit=1)
    assert noticed(judged) is not lawful


def test_a_walk_must_end_and_show_what_is_wanted() -> None:
    pages = [page((ONE, 4)), page((ONE, 6), has_more=False)]
    walked_to_the_end(pages, wanted=[4, 6])
    for cut, wanted, reason in (
        (pages[:1], [4], "walk-unfinished"),
        ([], [], "walk-unfinished"),
        (pages, [9], "walk-incomplete"),
    ):
        with pytest.raises(Violation) as caught:
            walked_to_the_end(cut, wanted=wanted)
        assert caught.value.reason == reason


def test_only_what_stands_above_its_cursor_is_eligible() -> None:
    assert eligible_ids({ONE: [9, 4, 1, 6], STRANGE: [3]}, CURSORS) == {ONE: [4, 6, 9], OTHER: [], EMPTY: []}


def result(topic: bytes, number: int, envelope: bytes | None = b"") -> Seen:
    return Seen(source="QueryNewest", meta=meta(topic, number), envelope=envelope, result_topic=topic)


NEWEST_JUDGES: dict[str, Callable[[list[Seen]], None]] = {
    "a": partial(newest.one_result_each, requested=CURSORS, stored=STORED, may_lag=False),
    "b": partial(newest.highest_ids, stored=STORED, may_lag=False),
    "c": partial(newest.payload_as_asked, full=True),
    "f": partial(newest.each_named, requested=CURSORS),
}
NEWEST: dict[str, tuple[list[Seen], set[str]]] = {
    "lawful": ([result(OTHER, 7), result(ONE, 9)], set()),
    "twice": ([result(OTHER, 7), result(ONE, 9), result(OTHER, 7)], {"a"}),
    "left out": ([result(ONE, 9)], {"a"}),
    "for the empty topic": ([result(ONE, 9), result(OTHER, 7), result(EMPTY, 0)], {"a", "b"}),
    "older": ([result(ONE, 6), result(OTHER, 7)], {"b"}),
    "without the envelope": ([result(ONE, 9, None), result(OTHER, 7)], {"c"}),
    "without a name": ([replace(result(ONE, 9), result_topic=None), result(OTHER, 7)], {"f"}),
    "under another name": ([replace(result(ONE, 9), result_topic=EMPTY), result(OTHER, 7)], {"f"}),
}


@pytest.mark.parametrize("name", NEWEST)
def test_newest_results_are_noticed_by_the_judges_of_the_clauses_they_break(name: str) -> None:
    results, broken = NEWEST[name]
    assert {clause for clause, judge in NEWEST_JUDGES.items() if noticed(partial(judge, results))} == broken


def test_a_result_that_stays_behind_says_for_how_long() -> None:
    with pytest.raises(Violation, match=r"stands on the topic, 5\.0 s after the last publish\."):
        newest.highest_ids([result(ONE, 6)], stored=STORED, may_lag=False, waited_s=5.0)
    with pytest.raises(Violation, match=r"holds envelopes, 5\.0 s after the last publish\."):
        newest.one_result_each([], requested=[ONE], stored=STORED, may_lag=False, waited_s=5.0)
