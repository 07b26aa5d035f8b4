"""What an answer must be by itself, beside busy writers as well: ids of a topic ascend, has_more means a full page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from conformance.oracle.history.events import Query
from conformance.oracle.history.known import Known


def not_ascending(known: Known, query: Query, number: int, topic: bytes, ids: Sequence[int]) -> None:
    """Report a topic whose ids do not rise (API-201.c) or stand twice (API-240.c); topics mix freely (V06)."""
    before, after = next((before, after) for before, after in pairwise(ids) if before >= after)
    repeated = ids.count(after) > 1
    known.report(
        "page",
        ["API-240.c" if repeated else "API-201.c"],
        "repeated" if repeated else "not-ascending",
        f"A page of {len(query.page)} envelopes shows id {after} of a topic after id {before}.",
        by=(number,),
        topic=topic,
        ids=(before, after),
    )


def full_when_more(known: Known, query: Query, number: int) -> None:
    """Judge that has_more is true only on a page that fills the effective limit (API-240.f, g).

    has_more says that the limit was too small for what was eligible in the same read; then the page is full.
    """
    if query.has_more and len(query.page) < query.limit:
        known.report(
            "page",
            ("API-240.g", "API-240.f"),
            "wrong-has-more",
            f"A page of {len(query.page)} envelopes says has_more although its limit was {query.limit}.",
            by=(number,),
            topic=query.positions[0].topic if query.positions else b"",
            ids=[shown.meta.sequence_id for shown in query.page],
        )
