"""Outcomes of cases, their union, and the word that is derived from the union last of all."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Outcome(StrEnum):
    """What one case says about the clauses it covers."""

    HELD = "held"
    FAILED = "failed"
    UNDECIDED = "undecided"
    MISSING = "missing"


OutcomeSet = frozenset[Outcome]

# When one case reports more than once, the latest member of this order decides.
WORST_LAST = (Outcome.HELD, Outcome.MISSING, Outcome.UNDECIDED, Outcome.FAILED)


class Verdict(StrEnum):
    """The word for a clause or a requirement; members stand in order of precedence, most alarming first.

    `KNOWN_FAILURE` and `STALE_BASELINE` can only come from a comparison with a baseline, never from outcomes alone.
    """

    FAIL = "fail"
    STALE_BASELINE = "stale-baseline"
    KNOWN_FAILURE = "known-failure"
    INCONCLUSIVE = "inconclusive"
    PARTIAL = "partial"
    NOT_RUN = "not-run"
    NOT_OBSERVABLE = "not-observable"
    PASS = "pass"  # noqa: S105 - the word of a verdict, not a password


PRECEDENCE: tuple[Verdict, ...] = tuple(Verdict)


def merge(sets: Iterable[Iterable[Outcome]]) -> OutcomeSet:
    """Merge outcomes from below: plain union, so neither order nor repetition nor sharding can change a verdict."""
    return frozenset(outcome for outcomes in sets for outcome in outcomes)


def word(outcomes: OutcomeSet, *, planned: bool, observable: bool) -> Verdict:
    """Derive the word for a set of outcomes.

    `planned` is True when some part of what the word stands for has no case in this run: its test is still to be
    written, it was not selected, or no case covers it. Such a part counts as missing, so it can turn a pass into a
    partial and never the reverse. `observable` is False when no observer outside the target could decide any part.
    A violation or a doubt is shown whatever the two flags say; a success is not, because nobody could have seen it.
    """
    if Outcome.FAILED in outcomes:
        return Verdict.FAIL
    if Outcome.UNDECIDED in outcomes:
        return Verdict.INCONCLUSIVE
    if not observable:
        return Verdict.NOT_OBSERVABLE
    if Outcome.HELD not in outcomes:
        return Verdict.NOT_RUN
    return Verdict.PARTIAL if planned or Outcome.MISSING in outcomes else Verdict.PASS
