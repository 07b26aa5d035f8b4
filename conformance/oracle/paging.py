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
    is the effective one. Ids in `expired` may be there or gone (V34). Reasons: `foreign-topic`, `unknown-envelope`,
    `at-or-below-cursor`, `repeated`, `not-ascending`, `hole`, `over-limit`, `empty-page`, `short-page`,
    `wrong-has-more`.
    """
    gone_or_not = frozenset(expired)
    held = {topic: frozenset(stored.get(topic, ())) for topic in cursors}
    eligible = {topic: sorted(i for i in held[topic] if i > cursor) for topic, cursor in cursors.items()}
    _known(page, held, cursors)
    _once_and_ascending(page.metas)
    shown: dict[bytes, set[int]] = {}
    for meta in page.metas:
        shown.setdefault(meta.topic, set()).add(meta.sequence_id)
    for topic, ids in shown.items():
        top = max(ids)
        missing = [i for i in eligible[topic] if i < top and i not in ids and i not in gone_or_not]
        if missing:
            raise Violation(
                "hole",
                f"A page shows id {top} of a topic but leaves out id {missing[0]}, which lies below it.",
                witness={"topic": topic, "cursor": cursors[topic], "shown": sorted(ids), "left out": missing},
            )
    every = {i for ids in eligible.values() for i in ids}
    gone = (every & gone_or_not) - {meta.sequence_id for meta in page.metas}
    _counted(page, least=len(every - gone), most=len(every), limit=limit)


def _known(page: PageFacts, held: Mapping[bytes, Collection[int]], cursors: Mapping[bytes, int]) -> None:
    """Judge each envelope of a page by itself: asked for, stored there, above the cursor."""
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


def _once_and_ascending(metas: Sequence[Meta]) -> None:
    """Judge that no envelope stands twice on a page, and each topic ascends."""
    twice = [i for i, count in Counter(meta.sequence_id for meta in metas).items() if count > 1]
    if twice:
        raise Violation(
            "repeated", f"A page holds id {twice[0]} more than once.", witness={"ids": [m.sequence_id for m in metas]}
        )
    ascending(metas)


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


def _counted(page: PageFacts, *, least: int, most: int, limit: int) -> None:
    """Judge the length of a page and has_more, between `least` and `most` envelopes being eligible."""
    count = len(page.metas)
    facts = {"on the page": count, "eligible": most, "effective limit": limit, "has_more": page.has_more}
    if count > limit:
        raise Violation("over-limit", f"A page holds {count} envelopes, more than {limit}.", witness=facts)
    if least and not count:
        raise Violation("empty-page", "A page is empty although envelopes are eligible.", witness=facts)
    if count < min(limit, least):
        raise Violation(
            "short-page",
            f"A page holds {count} envelopes although {least} are eligible and the limit is {limit}.",
            witness=facts,
        )
    if page.has_more and most <= limit:
        raise Violation("wrong-has-more", "has_more is true although the page holds all there is.", witness=facts)
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
    page. Pages stop after the first without has_more. Reasons: those of `lawful_page`, `walk-unfinished`,
    `walk-incomplete`.
    """
    positions = dict(cursors)
    seen: set[int] = set()
    for page, limit in zip(pages, limits, strict=True):
        lawful_page(page, stored=stored, cursors=positions, limit=limit, expired=expired)
        for meta in page.metas:
            positions[meta.topic] = meta.sequence_id
            seen.add(meta.sequence_id)
    if not pages or pages[-1].has_more:
        raise Violation("walk-unfinished", f"After {len(pages)} pages has_more is still true.")
    left = {i for topic, cursor in cursors.items() for i in stored.get(topic, ()) if i > cursor} - seen - set(expired)
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
    _once_and_ascending(page.metas)
    if len(page.metas) > limit:
        raise Violation("over-limit", f"A page holds {len(page.metas)} envelopes, more than {limit}.")
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
