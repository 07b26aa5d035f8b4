"""Admission of identity updates: one history, one update of an inbox at a time, one inbox for each handle.

Judging reads one snapshot of the store and may take as long as the chains do. What it has found holds only as long as
the topic has not grown, so the storing transaction looks again (API-232, API-296).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from conformance.pb.association_pb2 import IdentityUpdate
from conformance.pb.backend_pb2 import ClientEnvelope
from conformance.reference.backend.admission import Basis, Candidate, Judgement, Key
from conformance.reference.backend.admission import Stored as StoredKeys
from conformance.reference.backend.clock import Clock
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import CheckFailure, Code, Failure, PublishFailure
from conformance.reference.backend.identity.handles import HandlePolicy
from conformance.reference.backend.identity.identifiers import refused
from conformance.reference.backend.identity.index import IdentityIndex, changes
from conformance.reference.backend.identity.update import Update, UpdateReader
from conformance.reference.backend.identity.validator import Validator
from conformance.reference.backend.settings import MAX_SEQUENCE_ID, Limits
from conformance.reference.backend.store import Store, Stored, View


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A stored update."""

    stored: Stored
    update: Update


@dataclass(frozen=True, kw_only=True)
class History:
    """One inbox in the snapshot: its updates, the highest sequence id (0 for none), when it claimed, in nanoseconds."""

    entries: tuple[Entry, ...]
    head: int
    claimed_ns: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """What a request is judged by: the history of each inbox by topic, the holder of each handle it claims."""

    histories: Mapping[bytes, History]
    holders: Mapping[str, bytes]


class IdentityAdmission:
    """Judges the identity updates of a request, confirms the judgement when they are stored, and indexes them."""

    def __init__(
        self,
        *,
        store: Store,
        reader: UpdateReader,
        validator: Validator,
        policy: HandlePolicy,
        index: IdentityIndex,
        clock: Clock,
        limits: Limits,
        publish_ms: int,
    ) -> None:
        self.store = store
        self.reader = reader
        self.validator = validator
        self.policy = policy
        self.index = index
        self.clock = clock
        self.limits = limits
        self.publish_ms = publish_ms

    def judge(self, candidates: Sequence[Candidate], stored: StoredKeys) -> Judgement:
        """Check the updates among some candidates; each that fails, and on what the others were found good.

        Duplicates are exempt (API-222). What fails is looked up once more: a publish in progress at the same time may
        have stored it meanwhile.
        """
        deadline = Deadline(self.publish_ms / 1000, "the publish")
        new = self.new(candidates, stored)
        failures: list[PublishFailure] = []
        bases: dict[Key, Basis] = {}
        if not new:
            return Judgement(failures=failures, bases=bases)
        with self.view() as view:
            snapshot = self.snapshot(view, new)
        for position, candidate in enumerate(new):
            try:
                bases[candidate.key] = self.examine(candidate, new[:position], snapshot, deadline)
            except CheckFailure as failure:
                if not stored([candidate]):
                    failures.append(PublishFailure(failure.reason, failure.message, index=candidate.index))
        return Judgement(failures=failures, bases=bases)

    def new(self, candidates: Sequence[Candidate], stored: StoredKeys) -> list[Candidate]:
        """Return the updates to judge: none that is stored, and of equal ones in a request the first."""
        updates = [candidate for candidate in candidates if candidate.parsed.update is not None]
        known = stored(updates) if updates else ()
        return self.distinct([candidate for candidate in updates if candidate.key not in known])

    def distinct(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Each distinct envelope once, where it stands first."""
        return list({candidate.key: candidate for candidate in reversed(candidates)}.values())[::-1]

    def view(self) -> AbstractContextManager[View]:
        """Open the snapshot to judge by: everything committed (API-232)."""
        return self.store.current()

    def snapshot(self, view: View, candidates: Sequence[Candidate]) -> Snapshot:
        """Read what some updates are judged by."""
        handles = {self.policy.folded(handle) for each in candidates for handle in self.handles(each)}
        holders = {handle: self.index.holder(view.connection, handle) for handle in handles}
        return Snapshot(
            histories={topic: self.history(view, topic) for topic in {candidate.topic for candidate in candidates}},
            holders={handle: holder for handle, holder in holders.items() if holder is not None},
        )

    def history(self, view: View, topic: bytes) -> History:
        """Read the history of one inbox."""
        rows = view.after(topic, 0, MAX_SEQUENCE_ID)
        entries = tuple(Entry(stored=row, update=self.stored_update(row)) for row in rows)
        return History(
            entries=entries,
            head=rows[-1].sequence_id if rows else 0,
            claimed_ns=tuple(self.claim_times(view, topic, entries)),
        )

    def stored_update(self, row: Stored) -> Update:
        """Read a stored update; INTERNAL when it does not read, since it did when it was admitted."""
        try:
            return self.reader.read(ClientEnvelope.FromString(row.payload or b"").identity_update)
        except CheckFailure as failure:
            raise Failure(Code.INTERNAL, "a stored identity update does not read") from failure

    def claim_times(
        self,
        view: View,
        topic: bytes,
        entries: Sequence[Entry],
    ) -> Collection[int]:
        """Return the server times of the stored claims that a new claim must wait after (API-298)."""
        return [entry.stored.server_ns for entry in entries if entry.update.handles]

    def handles(self, candidate: Candidate) -> tuple[str, ...]:
        """Return the handles that an update claims, also when it is not valid."""
        message = candidate.parsed.update or IdentityUpdate()
        claims = (self.reader.wire.claim(action) for action in message.actions)
        return tuple(claim.handle for claim in claims if claim is not None)

    def examine(
        self, candidate: Candidate, before: Sequence[Candidate], snapshot: Snapshot, deadline: Deadline
    ) -> Basis:
        """Judge one update, given the new ones before it in the request; CheckFailure when it fails."""
        history = snapshot.histories[candidate.topic]
        self.check_room(history)
        self.check_alone(candidate, before)
        update = self.reader.read(candidate.parsed.update or IdentityUpdate())
        for handle in update.handles:
            self.policy.check_form(handle)
        state = self.validator.validate(self.log(history, candidate, before), update, deadline)
        for handle in update.handles:
            self.check_claim(handle, candidate, before, snapshot)
        return Basis(
            head=history.head,
            changes=changes(update, state),
            handles=tuple(self.policy.folded(handle) for handle in update.handles),
        )

    def log(
        self,
        history: History,
        candidate: Candidate,
        before: Sequence[Candidate],
    ) -> list[Update]:
        """Return the updates that one is validated against: those of the snapshot and no others (API-232)."""
        return [entry.update for entry in history.entries]

    def check_room(self, history: History) -> None:
        """Refuse an update for an inbox whose log is full (API-234)."""
        if self.fill(history) >= self.limits.max_identity_entries:
            raise refused("the log of its inbox is full")

    def fill(self, history: History) -> int:
        """Count what max_identity_entries bounds: the stored updates of the inbox."""
        return len(history.entries)

    def check_alone(self, candidate: Candidate, before: Sequence[Candidate]) -> None:
        """Refuse a second new update for one inbox in one request (API-233)."""
        if any(other.topic == candidate.topic for other in before):
            raise refused("the request has another update for its inbox")

    def check_claim(self, handle: str, candidate: Candidate, before: Sequence[Candidate], snapshot: Snapshot) -> None:
        """Apply the three checks of a claim (API-296, API-297, API-298)."""
        folded = self.policy.folded(handle)
        self.policy.check_free(snapshot.holders.get(folded), candidate.topic)
        for other in before:
            if folded in map(self.policy.folded, self.handles(other)):
                self.policy.check_free(other.topic, candidate.topic)
        self.policy.check_allowed(folded)
        self.policy.check_pause(folded, snapshot.histories[candidate.topic].claimed_ns, self.clock.now_ns())

    def confirm(self, connection: sqlite3.Connection, candidates: Sequence[Candidate]) -> None:
        """Inside the storing transaction, before anything is stored: refuse what no longer holds.

        Raises ABORTED when a history has grown (API-232), and the failure of a handle taken meanwhile (API-296).
        """
        for candidate in candidates:
            if candidate.basis is not None and not self.is_unmoved(connection, candidate.topic, candidate.basis):
                raise Failure(Code.ABORTED, "the history of the inbox has changed: read it again")
        for candidate in candidates:
            for handle in () if candidate.basis is None else candidate.basis.handles:
                self.confirm_claim(connection, handle, candidate)

    def is_unmoved(self, connection: sqlite3.Connection, topic: bytes, basis: Basis) -> bool:
        """Whether a topic ends where the snapshot saw it end."""
        return self.head(connection, topic) == basis.head

    def head(self, connection: sqlite3.Connection, topic: bytes) -> int:
        """Return the highest sequence id on a topic, 0 for none."""
        newest = self.store.view_type(connection).newest(topic, payload=False)
        return 0 if newest is None else newest.sequence_id

    def confirm_claim(self, connection: sqlite3.Connection, handle: str, candidate: Candidate) -> None:
        """Refuse a claim of a handle that another inbox has claimed meanwhile."""
        try:
            self.policy.check_free(self.index.holder(connection, handle), candidate.topic)
        except CheckFailure as failure:
            raise PublishFailure(failure.reason, failure.message, index=candidate.index) from failure

    def record(self, connection: sqlite3.Connection, candidates: Sequence[Candidate], rows: Sequence[Stored]) -> None:
        """Inside the storing transaction: index the updates among the rows being stored (API-270, API-299)."""
        sequence_ids = {row.key: row.sequence_id for row in rows}
        for candidate in candidates:
            sequence_id, basis = sequence_ids.get(candidate.key), candidate.basis
            if basis is not None and sequence_id is not None:
                self.index.record(connection, candidate.topic, sequence_id, basis.changes, basis.handles)
