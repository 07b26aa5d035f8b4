"""Pages of Query (API-240 to API-242, 202): which pages are lawful when it is known what the topics hold.

A page may order topics as it likes (V06) and a cut page may hold whichever topics it likes (V05). What it may not be
is short: API-202 lets only the effective limit cut an envelope out, so a page holds as many envelopes as are
eligible, or as many as the limit allows; and API-283 forbids to trim it to a byte budget.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from conformance.oracle.violation import Violation
from conformance.wire.transcript import Meta, Seen


@dataclass(frozen=True, kw_only=True)
class PageFacts:
    """One answer of Query: the metadata of its envelopes in order, and has_more (False when not on the wire)."""

    metas: tuple[Meta, ...]
    has_more: bool

    @classmethod
    def of(cls, seen: Iterable[Seen], *, has_more: bool) -> PageFacts:
        """Take the facts of a page from its sightings, in the order of the answer."""
        return cls(metas=tuple(each.meta for each in seen), has_more=has_more)


def effective_limit(asked: int, *, default: int, ceiling: int) -> int:
    """Give the limit a Query is paged by (API-241): 0 takes the published default, the published maximum caps it."""
    return default if asked == 0 else min(asked, ceiling)


def lowest_cursors(entries: Iterable[tuple[bytes, int | None]]) -> Mapping[bytes, int]:
    """Give the position each topic is read from (API-242): the lowest of its entries, an absent cursor being 0."""
    cursors: dict[bytes, int] = {}
    for topic, cursor in entries:
        position = cursor or 0
        cursors[topic] = min(position, cursors.get(topic, position))
    return cursors


def eligible_ids(stored: Mapping[bytes, Sequence[int]], cursors: Mapping[bytes, int]) -> Mapping[bytes, list[int]]:
    """Give, per topic asked for, the stored ids above its cursor, ascending."""
    return {topic: sorted(i for i in set(stored.get(topic, ())) if i > cursor) for topic, cursor in cursors.items()}


def lawful_page(
    page: PageFacts,
    *,
    stored: Mapping[bytes, Sequence[int]],
    cursors: Mapping[bytes, int],
    limit: int,
    expired: Collection[int] = (),
) -> None:
    """Judge a page of topics that nobody writes to meanwhile (API-240.a to f, i; 201.c; 202; 241; 242).

    `stored` holds all ids of each queried topic, `cursors` the position each is read from (`lowest_cursors`), `limit`
    is the effective one. Ids in `expired` may be there or gone (V34). Reasons: those of the judgements of one clause
    each, which follow, and `not-ascending`.
    """
    above_cursors(page, stored=stored, cursors=cursors)
    each_once(page)
    ascending(page.metas)
    without_hole(page, stored=stored, cursors=cursors, expired=expired)
    every = {i for ids in eligible_ids(stored, cursors).values() for i in ids}
    lasting = every - (set(expired) - {meta.sequence_id for meta in page.metas})
    within_limit(page, limit=limit)
    not_empty(page, eligible=len(lasting))
    not_short(page, eligible=len(lasting), limit=limit)
    right_has_more(page, least=len(lasting), most=len(every), limit=limit)


def above_cursors(page: PageFacts, *, stored: Mapping[bytes, Sequence[int]], cursors: Mapping[bytes, int]) -> None:
    """Judge each envelope of a page by itself: asked for, stored there, above the cursor (API-240.a).

    Reasons: `foreign-topic`, `at-or-below-cursor`, `unknown-envelope`.
    """
    held = {topic: frozenset(stored.get(topic, ())) for topic in cursors}
    for meta in page.metas:
        if meta.topic not in cursors:
            raise Violation("foreign-topic", "A page holds a topic that was not asked for.", witness={"envelope": meta})
        if meta.sequence_id <= cursors[meta.topic]:
            raise Violation(
                "at-or-below-cursor",
                f"A page holds id {meta.sequence_id}, which is not above the cursor {cursors[meta.topic]}.",
                witness={"envelope": meta},
            )
        if meta.sequence_id not in held[meta.topic]:
            raise Violation(
                "unknown-envelope", "A page holds an envelope that nobody stored there.", witness={"envelope": meta}
            )


def each_once(page: PageFacts) -> None:
    """Judge that no envelope stands twice on a page (API-240.c). Reason: `repeated`."""
    ids = [meta.sequence_id for meta in page.metas]
    twice = [i for i, count in Counter(ids).items() if count > 1]
    if twice:
        raise Violation("repeated", f"A page holds id {twice[0]} more than once.", witness={"ids": ids})


def without_hole(
    page: PageFacts,
    *,
    stored: Mapping[bytes, Sequence[int]],
    cursors: Mapping[bytes, int],
    expired: Collection[int] = (),
) -> None:
    """Judge that of each topic on it a page holds the lowest eligible ids, none left out between (API-240.d, 242).

    Parameters as in `lawful_page`. Reason: `hole`.
    """
    for topic, ids in eligible_ids(stored, cursors).items():
        shown = {meta.sequence_id for meta in page.metas if meta.topic == topic}
        top = max(shown, default=0)
        missing = [i for i in ids if i < top and i not in shown and i not in expired]
        if missing:
            raise Violation(
                "hole",
                f"A page shows id {top} of a topic but leaves out id {missing[0]}, which lies below it.",
                witness={"topic": topic, "cursor": cursors[topic], "shown": sorted(shown), "left out": missing},
            )


def ascending(metas: Iterable[Meta]) -> None:
    """Judge that within each topic the ids of one answer ascend (API-201.c); across topics any order is lawful (V06).

    Reason: `not-ascending`.
    """
    highest: dict[bytes, int] = {}
    for meta in metas:
        before = highest.get(meta.topic, 0)
        if meta.sequence_id <= before:
            raise Violation(
                "not-ascending",
                f"An answer shows id {meta.sequence_id} of a topic after id {before}.",
                witness={"envelope": meta},
            )
        highest[meta.topic] = meta.sequence_id


def within_limit(page: PageFacts, *, limit: int) -> None:
    """Judge that all topics together take up at most the effective limit (API-240.b). Reason: `over-limit`."""
    count = len(page.metas)
    if count > limit:
        raise Violation(
            "over-limit", f"A page holds {count} envelopes, more than {limit}.", witness={"has_more": page.has_more}
        )


def not_empty(page: PageFacts, *, eligible: int) -> None:
    """Judge that a page is not empty while envelopes are eligible, however few (API-240.e). Reason: `empty-page`."""
    if eligible and not page.metas:
        raise Violation(
            "empty-page",
            "A page is empty although envelopes are eligible.",
            witness={"eligible": eligible, "has_more": page.has_more},
        )


def not_short(page: PageFacts, *, eligible: int, limit: int) -> None:
    """Judge that only the effective limit cut a page (API-202, 241): it holds all there is or fills the limit.

    Reason: `short-page`.
    """
    count = len(page.metas)
    if count < min(limit, eligible):
        raise Violation(
            "short-page",
            f"A page holds {count} envelopes although {eligible} are eligible and the limit is {limit}.",
            witness={"has_more": page.has_more},
        )


def right_has_more(page: PageFacts, *, least: int, most: int, limit: int) -> None:
    """Judge has_more: whether more envelopes were eligible than the effective limit allows (API-240.f, g).

    At least `least` and at most `most` envelopes were eligible at the moment of the read; beside writers the two
    differ. Reason: `wrong-has-more`.
    """
    facts = {"on the page": len(page.metas), "eligible": most, "effective limit": limit}
    if page.has_more and most <= limit:
        raise Violation("wrong-has-more", "has_more is true although the limit had room for all.", witness=facts)
    if not page.has_more and least > limit:
        raise Violation("wrong-has-more", "has_more is false although the limit cut the page.", witness=facts)


def complete_walk(
    pages: Sequence[PageFacts],
    *,
    stored: Mapping[bytes, Sequence[int]],
    cursors: Mapping[bytes, int],
    limits: Sequence[int],
    expired: Collection[int] = (),
) -> None:
    """Judge a paging loop over quiet topics (API-240.h): each page lawful, and together all there is.

    Between two pages the cursor of each topic moves to the highest id shown; `limits` has the effective limit of each
    page. Pages stop after the first without has_more: as each is lawful from where the last one ended, nothing is
    then left out. Reasons: those of `lawful_page`, `walk-unfinished`.
    """
    positions = dict(cursors)
    for page, limit in zip(pages, limits, strict=True):
        lawful_page(page, stored=stored, cursors=positions, limit=limit, expired=expired)
        for meta in page.metas:
            positions[meta.topic] = meta.sequence_id
    walked_to_the_end(pages, wanted=())


def walked_to_the_end(pages: Sequence[PageFacts], *, wanted: Collection[int]) -> None:
    """Judge that a paging loop came to its end and showed every id of `wanted` (API-240.g, h).

    Reasons: `walk-unfinished`, `walk-incomplete`.
    """
    if not pages or pages[-1].has_more:
        raise Violation("walk-unfinished", f"After {len(pages)} pages has_more is still true.")
    left = set(wanted) - {meta.sequence_id for page in pages for meta in page.metas}
    if left:
        raise Violation("walk-incomplete", "Paging to the end left envelopes out.", witness={"left out": sorted(left)})


def reads_own_writes(
    page: PageFacts,
    *,
    receipts: Mapping[bytes, Collection[int]],
    cursors: Mapping[bytes, int],
    limit: int,
    expired: Collection[int] = (),
) -> None:
    """Judge a page of topics that others may write to meanwhile (API-202, 240; invariant H5).

    `receipts` holds, per topic, ids of publish receipts held before the Query was sent. Each above its cursor must be
    on the page, unless the page is full, has_more is true and all the page shows of the topic lies below. Reasons:
    `own-write-missing`, `not-ascending`, `repeated`, `over-limit`.
    """
    each_once(page)
    ascending(page.metas)
    within_limit(page, limit=limit)
    shown: dict[bytes, set[int]] = {}
    for meta in page.metas:
        shown.setdefault(meta.topic, set()).add(meta.sequence_id)
    for topic, cursor in cursors.items():
        ids = shown.get(topic, set())
        for receipt in sorted(receipts.get(topic, ())):
            if receipt <= cursor or receipt in ids or receipt in expired:
                continue
            if len(page.metas) == limit and page.has_more and all(i < receipt for i in ids):
                continue
            raise Violation(
                "own-write-missing",
                f"A Query sent after the receipt for id {receipt} does not show it, and no limit cut it out.",
                witness={
                    "topic": topic,
                    "cursor": cursor,
                    "shown of the topic": sorted(ids),
                    "on the page": len(page.metas),
                    "effective limit": limit,
                    "has_more": page.has_more,
                },
            )
