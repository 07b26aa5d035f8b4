"""Faults of the one history of an inbox (API-232), and the parts that wrong identity backends are made of."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from conformance.faults.backend.histories import ROUND_TRIP_S
from conformance.faults.backend.identity_admission_parts import with_identity
from conformance.faults.backend.publish_parts import clauses
from conformance.faults.registry import Variant
from conformance.reference.backend.admission import Basis, Candidate, Judgement, Key
from conformance.reference.backend.admission import Stored as StoredKeys
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import Failure
from conformance.reference.backend.identity.admission import History, IdentityAdmission
from conformance.reference.backend.publisher import Publisher
from conformance.reference.backend.ranges import Span
from conformance.reference.backend.store import Stored, View


class NeverMoved(IdentityAdmission):
    """Stores what it has judged, whatever has been stored meanwhile."""

    def judge(self, candidates: Sequence[Candidate], stored: StoredKeys) -> Judgement:
        """Judge, and let some time pass."""
        judgement = super().judge(candidates, stored)
        time.sleep(ROUND_TRIP_S)
        return judgement

    def is_unmoved(self, connection: sqlite3.Connection, topic: bytes, basis: Basis) -> bool:
        """Look at nothing."""
        return True


class EmptyNeverMoved(IdentityAdmission):
    """Takes a history that was empty for one that still is."""

    def is_unmoved(self, connection: sqlite3.Connection, topic: bytes, basis: Basis) -> bool:
        """Look only where there was something."""
        return basis.head == 0 or super().is_unmoved(connection, topic, basis)


class StoresTheRest(Publisher):
    """Stores the rest of a request whose update is aborted."""

    def commit(self, connection: sqlite3.Connection, new: Sequence[Candidate], span: Span) -> dict[Key, Stored]:
        """Commit what is no update before the abort goes on."""
        try:
            return super().commit(connection, new, span)
        except Failure:
            rest = [candidate for candidate in new if candidate.parsed.update is None]
            self.store.insert(connection, self.rows(rest, span))
            connection.execute("COMMIT")
            connection.execute("BEGIN IMMEDIATE")
            raise


class LaggingHistory(IdentityAdmission):
    """Judges by a copy that has stopped following."""

    lagging: sqlite3.Connection | None = None

    @contextmanager
    def view(self) -> Iterator[View]:
        """Go on reading what the first request read."""
        if self.lagging is None:
            self.lagging = self.store.database.connect()
            self.lagging.execute("BEGIN")
        yield View(self.lagging)


class RemembersHistories(IdentityAdmission):
    """Goes on judging by the history that this endpoint left when it last stored an update of the inbox."""

    remembered: ClassVar[dict[bytes, History]] = {}

    def history(self, view: View, topic: bytes) -> History:
        """Look into the memory first."""
        return self.remembered.get(topic) or super().history(view, topic)

    def record(self, connection: sqlite3.Connection, candidates: Sequence[Candidate], rows: Sequence[Stored]) -> None:
        """Remember what is there now."""
        super().record(connection, candidates, rows)
        view = self.store.view_type(connection)
        for candidate in candidates:
            self.remembered[candidate.topic] = super().history(view, candidate.topic)


class AbortsTwins(Publisher):
    """Looks at the history before it looks for what has just been stored of the request itself."""

    def store_new(self, new: Sequence[Candidate], deadline: Deadline) -> dict[Key, Stored]:
        """Let some time pass, then store."""
        time.sleep(ROUND_TRIP_S)
        return super().store_new(new, deadline)

    def commit(self, connection: sqlite3.Connection, new: Sequence[Candidate], span: Span) -> dict[Key, Stored]:
        """Confirm duplicates too."""
        self.identity.confirm(connection, new)
        return super().commit(connection, new, span)


class OneAtATime(Publisher):
    """Judges and stores one update after the other, so that a loser meets the history that the winner has left."""

    turn = threading.Lock()

    def answer(self, request: bytes) -> bytes:
        """Let updates of this endpoint queue."""
        if all(each.WhichOneof("payload") != "identity_update" for each in self.admission.decode(request).envelopes):
            return super().answer(request)
        with self.turn:
            return super().answer(request)


_RACY = (
    (
        "B096",
        "an update is stored on a history that has grown",
        "232.a 232.b 232.f",
        with_identity(admission_class=NeverMoved),
    ),
    ("B097", "what goes with an aborted update is stored", "232.a 232.b", with_identity(publisher=StoresTheRest)),
    ("B098", "of one update published at once, one is aborted", "232.e", with_identity(publisher=AbortsTwins)),
    ("B099", "two updates can both be the first of an inbox", "232.c", with_identity(admission_class=EmptyNeverMoved)),
)
_STALE = (
    ("B100", "updates are judged by a copy that lags", "232.d", with_identity(admission_class=LaggingHistory)),
    ("B100b", "an endpoint judges by what it remembers", "232.d", with_identity(admission_class=RemembersHistories)),
)

VARIANTS: tuple[Variant, ...] = (
    *(Variant(id=i, says=says, clauses=clauses(n), build=build, racy=True) for i, says, n, build in _RACY),
    *(Variant(id=i, says=says, clauses=clauses(n), build=build) for i, says, n, build in _STALE),
    Variant(
        id="V22",
        says="a loser is judged by the history that the winner has left",
        clauses=clauses("232.a 232.c 232.d 232.e 232.f"),  # 232.b would wait for its own release
        build=with_identity(publisher=OneAtATime),
        kind="variation",
    ),
)
