"""Reads of one topic held against each other (API-201): each is a prefix of the topic's order, nothing comes in behind.

For reads one after the other. Envelopes past their expiry may be there or gone (V34): name them in `expired`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from conformance.oracle.violation import Violation


@dataclass(frozen=True, kw_only=True)
class TopicRead:
    """What one read showed of one topic: all ids above the cursor up to the highest shown, or less than it should."""

    source: str
    cursor: int
    ids: tuple[int, ...]


def no_hole(reads: Sequence[TopicRead], *, known: Collection[int] = (), expired: Collection[int] = ()) -> None:
    """Judge that no read leaves out an id below its highest that another sighting shows (API-201.a, d; H4, H13).

    `reads` stand in the order they were made; Query pages, the deliveries of one registration, lagged answers: all
    are prefixes. A lagged read may end early (V02). QueryNewest shows one id only and does not belong here. `known`
    are ids of the topic from receipts. Reasons: `hole` (the missing id had been seen before), `late-insert` (it was
    seen later, behind an id already visible).
    """
    earlier: set[int] = set(known)
    everything = earlier.union(*(read.ids for read in reads))
    for read in reads:
        top, shown = max(read.ids, default=read.cursor), frozenset(read.ids)
        missing = sorted(i for i in everything - shown if read.cursor < i < top and i not in expired)
        if missing:
            seen_before = missing[0] in earlier
            raise Violation(
                "hole" if seen_before else "late-insert",
                f"{read.source} showed id {top} of a topic without id {missing[0]}, "
                + ("which is stored there." if seen_before else "which came in behind it later."),
                witness={"cursor": read.cursor, "shown": read.ids, "left out": missing},
            )
        earlier.update(read.ids)


def kept(earlier: Collection[int], later: TopicRead, *, expired: Collection[int] = ()) -> None:
    """Judge that a Query read to the end still shows every id confirmed or seen before (API-202, 220.c, 290.a).

    `earlier`: ids whose publish response was held, or that a reader saw, before the read began; an id nobody had a
    receipt for belongs here only after OUT_OF_RANGE or a restart. Reason: `lost`.
    """
    missing = sorted(i for i in set(earlier) - set(later.ids) if i > later.cursor and i not in expired)
    if missing:
        raise Violation(
            "lost",
            f"{later.source} no longer shows id {missing[0]}, which was stored.",
            witness={"cursor": later.cursor, "shown": later.ids, "gone": missing},
        )
