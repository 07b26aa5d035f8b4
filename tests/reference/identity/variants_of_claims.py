"""Wrong parts for claims of handles, each a few lines."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence

from conformance.reference.backend.admission import Candidate
from conformance.reference.backend.identity.admission import Entry, IdentityAdmission, Snapshot
from conformance.reference.backend.identity.handles import PAUSE_NS, HandlePolicy
from conformance.reference.backend.identity.index import IdentityIndex
from conformance.reference.backend.store import View


class LaxIndex(IdentityIndex):
    def claim(self, connection: sqlite3.Connection, handle: str, topic: bytes, sequence_id: int) -> None:
        connection.execute("INSERT OR REPLACE INTO claim VALUES (?, ?, ?)", (handle, topic, sequence_id))


class CurrentHandleOnly(IdentityIndex):
    def claim(self, connection: sqlite3.Connection, handle: str, topic: bytes, sequence_id: int) -> None:
        connection.execute("DELETE FROM claim WHERE topic = ?", (topic,))
        super().claim(connection, handle, topic, sequence_id)


class AnyoneHas(HandlePolicy):
    def check_free(self, holder: bytes | None, topic: bytes) -> None:
        """Refuse nothing."""


class OwnIsTaken(HandlePolicy):
    def is_other(self, holder: bytes, topic: bytes) -> bool:
        return True


class ClaimsUnconfirmed(IdentityAdmission):
    def confirm_claim(self, connection: sqlite3.Connection, handle: str, candidate: Candidate) -> None:
        """Look at nothing again."""


class CaseCounts(HandlePolicy):
    def name(self, handle: str) -> str | None:
        return super().name(handle.lower())

    def folded(self, handle: str) -> str:
        return handle


class WholeLength(HandlePolicy):
    def length(self, name: str, handle: str) -> int:
        return len(handle)


class SevenDaysAndMore(HandlePolicy):
    def is_too_soon(self, claimed_ns: int, now_ns: int) -> bool:
        return claimed_ns >= now_ns - PAUSE_NS


class AgainAtOnce(IdentityAdmission):
    def check_claim(self, handle: str, candidate: Candidate, before: Sequence[Candidate], snapshot: Snapshot) -> None:
        if snapshot.holders.get(handle) != candidate.topic:
            super().check_claim(handle, candidate, before, snapshot)


class AnyUpdateCounts(IdentityAdmission):
    def claim_times(self, view: View, topic: bytes, entries: Sequence[Entry]) -> Collection[int]:
        return [entry.stored.server_ns for entry in entries]


class EveryInboxCounts(IdentityAdmission):
    def claim_times(self, view: View, topic: bytes, entries: Sequence[Entry]) -> Collection[int]:
        rows = view.connection.execute("SELECT server_ns FROM claim JOIN envelope USING (sequence_id)")
        return [server_ns for (server_ns,) in rows]
