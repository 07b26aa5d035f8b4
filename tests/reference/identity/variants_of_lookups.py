"""Wrong parts for lookups, each a few lines."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence

from conformance.reference.backend.admission import Candidate
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.identity.admission import IdentityAdmission
from conformance.reference.backend.identity.handles import HandlePolicy
from conformance.reference.backend.identity.identifiers import Identifier
from conformance.reference.backend.identity.index import IdentityIndex, LiveAssociation
from conformance.reference.backend.identity.lookups import Asked, Found, InboxIds
from conformance.reference.backend.store import Stored, View


class UnicodeCase(HandlePolicy):
    def folded(self, handle: str) -> str:
        return handle.lower()


class HidesReserved(InboxIds):
    def holder(self, view: View, handle: str) -> bytes | None:
        return None if self.policy.is_reserved(self.policy.name(handle) or "") else super().holder(view, handle)


class NewestHandleOnly(InboxIds):
    def holder(self, view: View, handle: str) -> bytes | None:
        topic = super().holder(view, handle)
        rows = view.connection.execute("SELECT handle FROM claim WHERE topic = ? ORDER BY sequence_id DESC", (topic,))
        return topic if rows.fetchone() == (handle,) else None


class OmitsUnknown(InboxIds):
    def responses(self, view: View, asked: Sequence[Asked]) -> list[Found]:
        return [answer for answer in super().responses(view, asked) if answer.HasField("inbox_id")]


class EchoesFolded(InboxIds):
    def response(self, entry: Asked, topic: bytes | None) -> Found:
        answer = super().response(entry, topic)
        answer.identifier = self.policy.folded(answer.identifier)
        return answer


class OldestWins(InboxIds):
    def winner(self, live: Sequence[LiveAssociation]) -> LiveAssociation:
        return min(live, key=lambda association: association.sequence_id)


class NothingIsRevoked(IdentityIndex):
    def revoke(self, connection: sqlite3.Connection, identifier: Identifier, topic: bytes) -> None:
        """Forget nothing."""


class RevokedForGood(IdentityIndex):
    def __init__(self) -> None:
        self.marks: set[tuple[Identifier, bytes]] = set()

    def revoke(self, connection: sqlite3.Connection, identifier: Identifier, topic: bytes) -> None:
        self.marks.add((identifier, topic))
        super().revoke(connection, identifier, topic)

    def associate(self, connection: sqlite3.Connection, identifier: Identifier, topic: bytes, sequence_id: int) -> None:
        if (identifier, topic) not in self.marks:
            super().associate(connection, identifier, topic, sequence_id)


class AsWritten(InboxIds):
    def wallet(self, identifier: str) -> str:
        return identifier

    def handle(self, identifier: str) -> str:
        if self.policy.name(identifier) is None:
            raise Failure(Code.INVALID_ARGUMENT, "a handle does not match the grammar")
        return identifier


class IndexedLater(IdentityAdmission):
    def record(self, connection: sqlite3.Connection, candidates: Sequence[Candidate], rows: Sequence[Stored]) -> None:
        def job() -> None:
            with self.store.database.write(Deadline(5, "the job")) as later:
                super(IndexedLater, self).record(later, candidates, rows)

        threading.Timer(0.2, job).start()


class BadHandleIsAbsent(InboxIds):
    def resolve(self, view: View, entry: Asked) -> bytes | None:
        try:
            return super().resolve(view, entry)
        except Failure:
            return None
