"""Publish: new envelopes in one transaction, duplicates answered with what is stored (API-220, API-222)."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence

from conformance.reference.backend.admission import Admission, Candidate, Key
from conformance.reference.backend.clock import Clock
from conformance.reference.backend.database import Database
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.hold import Hold
from conformance.reference.backend.identity.admission import IdentityAdmission
from conformance.reference.backend.metadata import Metadata
from conformance.reference.backend.ranges import OpenRanges, Span
from conformance.reference.backend.responses import Responses
from conformance.reference.backend.store import Store, Stored, View

__all__ = ["Key", "Publisher"]


class Publisher:
    """Serves Publish."""

    def __init__(
        self,
        *,
        admission: Admission,
        database: Database,
        store: Store,
        ranges: OpenRanges,
        hold: Hold,
        clock: Clock,
        metadata: Metadata,
        responses: Responses,
        identity: IdentityAdmission,
        publish_ms: int,
    ) -> None:
        self.admission = admission
        self.database = database
        self.store = store
        self.ranges = ranges
        self.hold = hold
        self.clock = clock
        self.metadata = metadata
        self.responses = responses
        self.identity = identity
        self.publish_ms = publish_ms

    def answer(self, request: bytes) -> bytes:
        """Serve one request; what it stores is committed before this returns."""
        deadline = Deadline(self.publish_ms / 1000, "the publish")
        candidates = self.admission.admit(request, self.duplicates)
        return self.responses.published(self.publish(candidates, deadline)).SerializeToString()

    def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
        """Store the candidates that are no duplicates; the stored envelope of each, at the same index (API-221)."""
        known = self.duplicates(candidates)
        new = self.first_of_each([candidate for candidate in candidates if candidate.key not in known])
        if new:
            known.update(self.store_new(new, deadline))
        return [known[candidate.key] for candidate in candidates]

    def duplicates(self, candidates: Sequence[Candidate]) -> dict[Key, Stored]:
        """Return what an earlier request has already stored of these, by idempotency key."""
        with self.store.current() as view:
            return self.lookup(view, candidates)

    def lookup(self, view: View, candidates: Sequence[Candidate]) -> dict[Key, Stored]:
        """Return what a view holds of these, by idempotency key."""
        found = (view.lookup(candidate.topic, candidate.message_hash) for candidate in candidates)
        return {stored.key: stored for stored in found if stored is not None}

    def first_of_each(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Each distinct envelope once, at the place where the request names it first."""
        distinct: dict[Key, Candidate] = {}
        for candidate in candidates:
            distinct.setdefault(candidate.key, candidate)
        return list(distinct.values())

    def store_new(self, new: Sequence[Candidate], deadline: Deadline) -> dict[Key, Stored]:
        """Store candidates in one transaction of their own; what they are stored as, by idempotency key."""
        span = self.ranges.open(self.topics(new), len(new), deadline)
        try:
            if span.held:
                self.hold.wait(span.low, deadline)
            stored = self.commit_in_turn(new, span, deadline)
        except BaseException:
            self.ranges.abandon(span)
            raise
        self.ranges.tell_waiters()
        return stored

    def topics(self, candidates: Sequence[Candidate]) -> Collection[bytes]:
        """Return the topics a publish touches."""
        return {candidate.topic for candidate in candidates}

    def commit_in_turn(self, new: Sequence[Candidate], span: Span, deadline: Deadline) -> dict[Key, Stored]:
        """Commit once no lower open range shares a topic, so that a topic fills in ascending order (API-201)."""
        while True:
            with self.database.write(deadline) as connection:
                if not self.ranges.is_blocked(connection, span):
                    return self.commit(connection, new, span)
            self.ranges.wait_turn(span, deadline)

    def commit(self, connection: sqlite3.Connection, new: Sequence[Candidate], span: Span) -> dict[Key, Stored]:
        """Inside the storing transaction: insert what no racing publish has stored meanwhile, and close the range."""
        stored = self.raced(connection, new)
        fresh = [candidate for candidate in new if candidate.key not in stored]
        self.identity.confirm(connection, fresh)
        rows = self.rows(fresh, span)
        self.store.insert(connection, rows)
        self.identity.record(connection, fresh, rows)
        self.ranges.close(connection, span)
        return stored | {row.key: row for row in rows}

    def raced(self, connection: sqlite3.Connection, new: Sequence[Candidate]) -> dict[Key, Stored]:
        """Look up what a publish in progress at the same time has stored of these meanwhile (API-222)."""
        return self.lookup(self.store.view_type(connection), new)

    def rows(self, new: Sequence[Candidate], span: Span) -> list[Stored]:
        """Return the rows to insert; the clock is read once for all of them (API-212)."""
        server_ns = self.clock.now_ns()
        return [
            self.metadata.assign(candidate, sequence_id, server_ns)
            for candidate, sequence_id in zip(new, span.ids, strict=False)
        ]
