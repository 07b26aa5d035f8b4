"""What was published at once and cannot all be stored: conflicting updates of one inbox, claims of one handle."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conformance.oracle.identity.directory import Directory
from conformance.oracle.identity.judge import IdentityUpdate
from conformance.oracle.identity.verdict import HANDLE_TAKEN
from conformance.oracle.publish import reason_name
from conformance.oracle.status import ended
from conformance.oracle.violation import Undecidable, Violation
from conformance.wire.transcript import Call, Code, PublishFailure, Seen


@dataclass(frozen=True, kw_only=True)
class Entrant:
    """One request of a contest: its only update, at an index of the request, and how the request ended."""

    update: IdentityUpdate
    index: int
    call: Call
    failure: PublishFailure | None

    @property
    def won(self) -> bool:
        """Whether it was answered OK."""
        return self.call.status.code is Code.OK


def one_history(history: Iterable[Seen], entrants: Sequence[Entrant]) -> Entrant:
    """Judge a contest in which each update forbids all others; return the winner (API-232).

    `history` is a complete read of the identity topic once every request has ended. A loser is aborted, or refused for
    a reason it deserves on top of what is stored by then (V22). Reasons: `wrong-code`, `two-winners`,
    `does-not-apply`, `wrong-reason`, `wrong-index`; Undecidable where nobody won, or as in `status.ended`.
    """
    for entrant in entrants:
        ended(entrant.call, (Code.OK, Code.ABORTED, Code.INVALID_ARGUMENT))
    winners = [entrant for entrant in entrants if entrant.won]
    if len(winners) > 1:
        raise Violation(
            "two-winners",
            f"Of {len(entrants)} updates of one inbox, each of which forbids the others, {len(winners)} were stored.",
            witness={"calls": [winner.call.number for winner in winners]},
        )
    directory = Directory.of(history)
    for entrant in entrants:
        if entrant.call.status.code is Code.INVALID_ARGUMENT:
            _deserved(directory, entrant)
    if not winners:
        raise Undecidable(f"none of {len(entrants)} updates published at once was stored, so nothing was won or lost")
    return winners[0]


def _deserved(directory: Directory, loser: Entrant) -> None:
    verdict = directory.judge(loser.update)
    reason = None if loser.failure is None else loser.failure.reason
    if reason is None or not verdict.allows(reason):
        lawful = " or ".join(reason_name(each) for each in sorted(verdict.reasons)) or "nothing but OK or ABORTED"
        raise Violation(
            "wrong-reason",
            f"The loser of a contest was refused with {'no reason' if reason is None else reason_name(reason)}, but "
            f"the history it met allows {lawful}.",
            witness={"call": loser.call.number, "index": loser.index},
        )
    if loser.failure is not None and loser.failure.index != loser.index:
        raise Violation(
            "wrong-index",
            f"The loser of a contest was refused at index {loser.failure.index}; its update is at {loser.index}.",
            witness={"call": loser.call.number},
        )


@dataclass(frozen=True, kw_only=True)
class Claimant:
    """A request with nothing but one inbox's claim of the handle: how it ended, and whether a read shows the claim."""

    call: Call
    failure: PublishFailure | None
    stored: bool


def one_holder(claimants: Sequence[Claimant]) -> None:
    """Judge that of several inboxes that claimed one free handle at once one has it (API-296).

    A loser is expected to hear that the handle is taken; ABORTED and UNAVAILABLE are lawful. Reasons: `wrong-code`,
    `two-holders`, `stored-despite-failure`, `wrong-reason`; Undecidable where nobody has it, or as in `status.ended`.
    """
    for claimant in claimants:
        ended(claimant.call, (Code.OK, Code.INVALID_ARGUMENT, Code.ABORTED, Code.UNAVAILABLE))
    holders = [claimant for claimant in claimants if claimant.stored or claimant.call.status.code is Code.OK]
    if len(holders) > 1:
        raise Violation(
            "two-holders",
            f"Of {len(claimants)} inboxes that claimed one handle at once, {len(holders)} have it.",
            witness={"calls": [holder.call.number for holder in holders]},
        )
    for loser in claimants:
        if loser.stored and loser.call.status.code in {Code.INVALID_ARGUMENT, Code.ABORTED}:
            raise Violation(
                "stored-despite-failure", "A claim that failed is stored.", witness={"call": loser.call.number}
            )
        refused = loser.call.status.code is Code.INVALID_ARGUMENT
        if refused and (loser.failure is None or (loser.failure.reason, loser.failure.index) != (HANDLE_TAKEN, 0)):
            told = "no reason" if loser.failure is None else reason_name(loser.failure.reason)
            raise Violation(
                "wrong-reason",
                f"The loser of a race for a handle was refused with {told}, not with HANDLE_TAKEN at index 0.",
                witness={"call": loser.call.number, "index": None if loser.failure is None else loser.failure.index},
            )
    if not holders:
        raise Undecidable(f"none of {len(claimants)} inboxes that claimed a handle at once has it")
