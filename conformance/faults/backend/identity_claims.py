"""Faults of the checks of a handle claim (API-296, API-297, API-298)."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence

from conformance.faults.backend.identity_admission_parts import with_identity
from conformance.faults.backend.publish_parts import clauses
from conformance.faults.registry import Variant
from conformance.reference.backend.admission import Basis, Candidate
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import CheckFailure, Code, Failure
from conformance.reference.backend.identity.admission import Entry, IdentityAdmission, Snapshot
from conformance.reference.backend.identity.handles import PAUSE_NS, HandlePolicy
from conformance.reference.backend.identity.identifiers import refused
from conformance.reference.backend.identity.index import IdentityIndex
from conformance.reference.backend.identity.lookups import InboxIds
from conformance.reference.backend.store import View

DAY_NS = 86_400_000_000_000


class LaxIndex(IdentityIndex):
    """Does not enforce that a handle has one holder."""

    def claim(self, connection: sqlite3.Connection, handle: str, topic: bytes, sequence_id: int) -> None:
        """Let the last claim win."""
        connection.execute("INSERT OR REPLACE INTO claim VALUES (?, ?, ?)", (handle, topic, sequence_id))


class CurrentHandleOnly(IdentityIndex):
    """Frees the handle of an inbox that claims another."""

    def claim(self, connection: sqlite3.Connection, handle: str, topic: bytes, sequence_id: int) -> None:
        """Forget the claims before."""
        connection.execute("DELETE FROM claim WHERE topic = ?", (topic,))
        super().claim(connection, handle, topic, sequence_id)


class AnyoneHas(HandlePolicy):
    """Asks nobody whose a handle is."""

    def check_free(self, holder: bytes | None, topic: bytes) -> None:
        """Refuse nothing."""


class OwnIsTaken(HandlePolicy):
    """Takes an inbox for another one than itself."""

    def is_other(self, holder: bytes, topic: bytes) -> bool:
        """Take every holder for another."""
        return True


class RequestUnseen(IdentityAdmission):
    """Does not compare the claims of one request."""

    def check_claim(self, handle: str, candidate: Candidate, before: Sequence[Candidate], snapshot: Snapshot) -> None:
        """Leave out what stands before."""
        super().check_claim(handle, candidate, (), snapshot)


class ClaimsUnconfirmed(IdentityAdmission):
    """Does not look again whether a handle is still free when it stores the claim."""

    def confirm_claim(self, connection: sqlite3.Connection, handle: str, candidate: Candidate) -> None:
        """Look at nothing."""


class CaseCounts(HandlePolicy):
    """Takes a handle in capitals for another one."""

    def name(self, handle: str) -> str | None:
        """Allow capitals."""
        return super().name(handle.lower())

    def folded(self, handle: str) -> str:
        """Change nothing."""
        return handle


class OneFaultAtATime(IdentityAdmission):
    """Reports a claim that breaks two rules as if it broke none of them."""

    def check_claim(self, handle: str, candidate: Candidate, before: Sequence[Candidate], snapshot: Snapshot) -> None:
        """Count what is wrong."""
        wrong = [check for check in self.checks(handle, candidate, snapshot) if check]
        if len(wrong) > 1:
            raise refused("it cannot be said why the claim is refused")
        super().check_claim(handle, candidate, before, snapshot)

    def checks(self, handle: str, candidate: Candidate, snapshot: Snapshot) -> Iterator[bool]:
        """Tell of two checks whether they fail."""
        yield snapshot.holders.get(handle) not in (None, candidate.topic)
        claimed_ns, now_ns = snapshot.histories[candidate.topic].claimed_ns, self.clock.now_ns()
        yield any(self.policy.is_too_soon(one_ns, now_ns) for one_ns in claimed_ns)


class WholeLength(HandlePolicy):
    """Counts the whole handle."""

    def length(self, name: str, handle: str) -> int:
        """Measure more than the name."""
        return len(handle)


class MeasuresBytes(HandlePolicy):
    """Counts the bytes of the name."""

    def length(self, name: str, handle: str) -> int:
        """Encode it first."""
        return len(name.encode())


class LastExcluded(HandlePolicy):
    """Wants names longer than the least length."""

    def length(self, name: str, handle: str) -> int:
        """Count one character less."""
        return len(name) - 1


class NothingReserved(HandlePolicy):
    """Has no list of reserved names."""

    def is_reserved(self, name: str) -> bool:
        """Reserve nothing."""
        return False


class OwnIsAllowed(IdentityAdmission):
    """Lets an inbox claim again what it has, whatever names are allowed by now."""

    def check_claim(self, handle: str, candidate: Candidate, before: Sequence[Candidate], snapshot: Snapshot) -> None:
        """Check what is new."""
        if snapshot.holders.get(handle) == candidate.topic:
            self.policy.check_pause(handle, snapshot.histories[candidate.topic].claimed_ns, self.clock.now_ns())
        else:
            super().check_claim(handle, candidate, before, snapshot)


class HidesTheShort(InboxIds):
    """Finds nobody under a handle that could not be claimed any more."""

    def holder(self, view: View, handle: str) -> bytes | None:
        """Check the name first."""
        try:
            self.policy.check_allowed(handle)
        except CheckFailure:
            return None
        return super().holder(view, handle)


class PolicyForAll(IdentityAdmission):
    """Checks the handles that an inbox has with each of its updates."""

    def examine(
        self, candidate: Candidate, before: Sequence[Candidate], snapshot: Snapshot, deadline: Deadline
    ) -> Basis:
        """Check the handles of the log."""
        for entry in snapshot.histories[candidate.topic].entries:
            for handle in entry.update.handles:
                self.policy.check_allowed(handle)
        return super().examine(candidate, before, snapshot, deadline)


class SevenDaysAndMore(HandlePolicy):
    """Refuses a claim that is exactly seven days after another; no clock that runs can be set to that instant."""

    def is_too_soon(self, claimed_ns: int, now_ns: int) -> bool:
        """Compare the other way."""
        return claimed_ns >= now_ns - PAUSE_NS


class SixDays(HandlePolicy):
    """Ends the pause a day early."""

    def is_too_soon(self, claimed_ns: int, now_ns: int) -> bool:
        """Count less."""
        return claimed_ns > now_ns - PAUSE_NS + DAY_NS


class EightDays(HandlePolicy):
    """Ends the pause a day late."""

    def is_too_soon(self, claimed_ns: int, now_ns: int) -> bool:
        """Count more."""
        return claimed_ns > now_ns - PAUSE_NS - DAY_NS


class NoPause(HandlePolicy):
    """Knows of no pause."""

    def is_too_soon(self, claimed_ns: int, now_ns: int) -> bool:
        """Refuse nothing."""
        return False


class AgainAtOnce(IdentityAdmission):
    """Checks nothing when an inbox claims again what it has."""

    def check_claim(self, handle: str, candidate: Candidate, before: Sequence[Candidate], snapshot: Snapshot) -> None:
        """Check what is new."""
        if snapshot.holders.get(handle) != candidate.topic:
            super().check_claim(handle, candidate, before, snapshot)


class AnyUpdateCounts(IdentityAdmission):
    """Takes every update of an inbox for a claim."""

    def claim_times(self, view: View, topic: bytes, entries: Sequence[Entry]) -> Collection[int]:
        """Take all times."""
        return [entry.stored.server_ns for entry in entries]


class LastUpdateCounts(IdentityAdmission):
    """Looks no further back than the last update of an inbox."""

    def claim_times(self, view: View, topic: bytes, entries: Sequence[Entry]) -> Collection[int]:
        """Leave out what came before."""
        return super().claim_times(view, topic, entries[-1:])


class EveryInboxCounts(IdentityAdmission):
    """Makes an inbox wait for the claims of all others."""

    def claim_times(self, view: View, topic: bytes, entries: Sequence[Entry]) -> Collection[int]:
        """Take the times of all claims."""
        rows = view.connection.execute("SELECT server_ns FROM claim JOIN envelope USING (sequence_id)")
        return [server_ns for (server_ns,) in rows]


class OtherOrder(IdentityAdmission):
    """Looks at the pause first, and tells the loser of a race for a handle to begin again."""

    def check_claim(self, handle: str, candidate: Candidate, before: Sequence[Candidate], snapshot: Snapshot) -> None:
        """Check in another order."""
        self.policy.check_pause(handle, snapshot.histories[candidate.topic].claimed_ns, self.clock.now_ns())
        super().check_claim(handle, candidate, before, snapshot)

    def confirm_claim(self, connection: sqlite3.Connection, handle: str, candidate: Candidate) -> None:
        """Abort."""
        try:
            super().confirm_claim(connection, handle, candidate)
        except Failure as failure:
            raise Failure(Code.ABORTED, failure.message) from failure


_FAULTS = (
    (
        "B106",
        "a handle can have several holders",
        "296.a 296.c 296.d 296.e",
        with_identity(policy_class=AnyoneHas, index_class=LaxIndex),
    ),
    ("B107", "an own handle is taken", "296.b", with_identity(policy_class=OwnIsTaken)),
    (
        "B108",
        "claims of one request are not compared",
        "296.c",
        with_identity(admission_class=RequestUnseen, index_class=LaxIndex),
    ),
    ("B110", "an earlier handle is free", "296.e", with_identity(index_class=CurrentHandleOnly)),
    ("B111", "capitals make another handle", "296.f", with_identity(policy_class=CaseCounts)),
    (
        "B111b",
        "a claim with two faults gets a reason of neither",
        "296.g",
        with_identity(admission_class=OneFaultAtATime),
    ),
    ("B112", "the whole handle is measured", "297.a", with_identity(policy_class=WholeLength)),
    ("B112b", "a name of the least length is too short", "297.a", with_identity(policy_class=LastExcluded)),
    ("B112c", "a name is measured in bytes", "297.d", with_identity(policy_class=MeasuresBytes)),
    ("B113", "no name is reserved", "297.b", with_identity(policy_class=NothingReserved)),
    ("B114", "an own handle is always allowed", "297.c", with_identity(admission_class=OwnIsAllowed)),
    ("B115b", "a handle too short by now is not found", "297.c", with_identity(inbox_ids_class=HidesTheShort)),
    ("B114b", "all handles of an inbox are checked each time", "297.e", with_identity(admission_class=PolicyForAll)),
    ("B116", "an own handle can be claimed again at once", "298.a", with_identity(admission_class=AgainAtOnce)),
    ("B116b", "there is no pause", "298.a 298.b 298.c", with_identity(policy_class=NoPause)),
    ("B117b", "the pause ends after six days", "298.b", with_identity(policy_class=SixDays)),
    ("B117c", "the pause ends after eight days", "298.b", with_identity(policy_class=EightDays)),
    ("B118", "every update counts as a claim", "298.c", with_identity(admission_class=AnyUpdateCounts)),
    ("B118b", "an update after a claim ends the pause", "298.c", with_identity(admission_class=LastUpdateCounts)),
    ("B119", "claims of other inboxes count", "298.d", with_identity(admission_class=EveryInboxCounts)),
)

VARIANTS: tuple[Variant, ...] = (
    *(Variant(id=i, says=says, clauses=clauses(numbers), build=build) for i, says, numbers, build in _FAULTS),
    Variant(
        id="B109",
        says="whether a handle is free is not looked at again",
        clauses=clauses("296.d"),
        build=with_identity(admission_class=ClaimsUnconfirmed, index_class=LaxIndex),
        racy=True,
    ),
    Variant(
        id="V106",
        says="the pause is looked at first, and the loser of a race for a handle is aborted",
        clauses=clauses("296.a 296.c 296.d 296.g 297.a 297.b 297.c 298.a 298.b"),
        build=with_identity(admission_class=OtherOrder),
        kind="variation",
    ),
)
