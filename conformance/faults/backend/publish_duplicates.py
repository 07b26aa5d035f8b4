"""Faults of duplicates: envelopes stored twice, taken for others, or remembered without being stored (API-222)."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import ClassVar

from conformance.faults.backend.publish_parts import LaxStore, PartByPart, backend, clauses
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import ClientEnvelope
from conformance.reference.backend.admission import Candidate
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import Code, Failure, PublishFailure
from conformance.reference.backend.publisher import Key, Publisher
from conformance.reference.backend.store import Stored, View

# how many envelopes of a topic are looked through for a duplicate
RECENT = 100
# a lock in a store is a round trip, in which another publish takes one too; seconds
LOCKING_S = 0.002
LOCK_WAIT_S = 0.3


class StoresEachPlace(Publisher):
    """Stores a repeat within a request once more; a store with a unique key would not let it."""

    def first_of_each(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Keep the repeats."""
        return list(candidates)


class LooksAtTheNewest(Publisher):
    """Looks for a duplicate among the newest envelopes of a topic only."""

    def lookup(self, view: View, candidates: Sequence[Candidate]) -> dict[Key, Stored]:
        """Forget what has many later envelopes."""
        later = "SELECT COUNT(*) FROM envelope WHERE topic = ? AND sequence_id > ?"
        return {
            key: stored
            for key, stored in super().lookup(view, candidates).items()
            if view.connection.execute(later, (stored.topic, stored.sequence_id)).fetchone()[0] < RECENT
        }


class RemembersInMemory(Publisher):
    """Keeps the idempotency keys in the memory of the process."""

    mine: ClassVar[set[Key]] = set()

    def lookup(self, view: View, candidates: Sequence[Candidate]) -> dict[Key, Stored]:
        """Know only what this process has stored."""
        return {key: stored for key, stored in super().lookup(view, candidates).items() if key in self.mine}

    def store_new(self, new: Sequence[Candidate], deadline: Deadline) -> dict[Key, Stored]:
        """Store, and remember the keys."""
        stored = super().store_new(new, deadline)
        self.mine.update(stored)
        return stored


class ChecksThenInserts(Publisher):
    """Looks for duplicates before the storing transaction and never in it."""

    def raced(self, connection: sqlite3.Connection, new: Sequence[Candidate]) -> dict[Key, Stored]:
        """Find nothing."""
        return {}


class FailsTheLoser(Publisher):
    """Fails the publish that was overtaken by one with the same envelope."""

    def raced(self, connection: sqlite3.Connection, new: Sequence[Candidate]) -> dict[Key, Stored]:
        """Fail where the key has been taken meanwhile."""
        if super().raced(connection, new):
            raise Failure(Code.ALREADY_EXISTS, "the envelope exists")
        return {}


class LocksInRequestOrder(Publisher):
    """Locks the topics of a request one after the other, in the order of the request."""

    locks: ClassVar[defaultdict[bytes, threading.Lock]] = defaultdict(threading.Lock)

    def store_new(self, new: Sequence[Candidate], deadline: Deadline) -> dict[Key, Stored]:
        """Fail when a lock cannot be had."""
        with ExitStack() as held:
            for topic in dict.fromkeys(candidate.topic for candidate in new):
                if not self.locks[topic].acquire(timeout=LOCK_WAIT_S):
                    raise Failure(Code.INTERNAL, "deadlock detected")
                held.callback(self.locks[topic].release)
                time.sleep(LOCKING_S)
            return super().store_new(new, deadline)


class SkipsTheBadBesideRepeats(PartByPart):
    """Takes a request with a stored envelope in it for a retry that needs no parsing."""

    def answer(self, request: bytes) -> bytes:
        """Publish what is good and leave out the rest."""
        try:
            return super().answer(request)
        except PublishFailure:
            good = self.good(request)
            if not self.duplicates(good):
                raise
            return self.answered(self.publish(good, self.soon()))


class KnowsWelcomesByContent(Publisher):
    """Takes a Welcome for a duplicate of any Welcome with the same data."""

    first: ClassVar[dict[bytes, Stored]] = {}

    def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
        """Remember the first Welcome with some data."""
        stored = super().publish(candidates, deadline)
        for candidate, each in zip(candidates, stored, strict=True):
            self.first.setdefault(self.content(candidate), each)
        return stored

    def duplicates(self, candidates: Sequence[Candidate]) -> dict[Key, Stored]:
        """Find the first Welcome with the same data, too."""
        alike = {each.key: self.first[self.content(each)] for each in candidates if self.content(each) in self.first}
        return alike | super().duplicates(candidates)

    def content(self, candidate: Candidate) -> bytes:
        """Give the data of a Welcome, and of all else the whole envelope."""
        return ClientEnvelope.FromString(candidate.payload).welcome_message.v1.data or candidate.payload


class RemembersFailures(PartByPart):
    """Records the keys of a request before it is known to succeed."""

    recorded: ClassVar[dict[Key, Stored]] = {}

    def answer(self, request: bytes) -> bytes:
        """Keep what a failing request would have stored."""
        try:
            return super().answer(request)
        except PublishFailure:
            now = self.clock.now_ns()
            for candidate in self.good(request):
                self.recorded[candidate.key] = self.metadata.assign(candidate, 1, now)
            raise

    def duplicates(self, candidates: Sequence[Candidate]) -> dict[Key, Stored]:
        """Take what was only recorded for stored."""
        recorded = {each.key: self.recorded[each.key] for each in candidates if each.key in self.recorded}
        return recorded | super().duplicates(candidates)


def _faults() -> Iterator[Variant]:
    for name, says, numbers, build in (
        (
            "B325",
            "a repeat within a request is stored again",
            "222.c",
            backend(publisher=StoresEachPlace, store=LaxStore),
        ),
        (
            "B326",
            "a repeat is recognised among the newest 100 envelopes of its topic only",
            "222.a",
            backend(publisher=LooksAtTheNewest, store=LaxStore),
        ),
        (
            "B053",
            "idempotency keys are kept in memory, by each endpoint, until it restarts",
            "222.a 222.b",
            backend(publisher=RemembersInMemory, store=LaxStore),
        ),
        (
            "B330",
            "a request with a repeat in it is answered without its malformed envelopes",
            "222.f",
            backend(publisher=SkipsTheBadBesideRepeats),
        ),
        (
            "B328",
            "Welcomes with the same data are one, whoever they are for",
            "222.h",
            backend(publisher=KnowsWelcomesByContent),
        ),
        (
            "B062",
            "the envelopes of a refused request are taken for stored",
            "222.i",
            backend(publisher=RemembersFailures),
        ),
    ):
        yield Variant(id=name, says=says, clauses=clauses(numbers), build=build)


def _races() -> Iterator[Variant]:
    for name, says, build in (
        (
            "B054",
            "duplicates are looked for before the transaction",
            backend(publisher=ChecksThenInserts, store=LaxStore),
        ),
        ("B055", "the loser of a race for one envelope fails", backend(publisher=FailsTheLoser)),
        ("B327", "requests in opposite order wait for each other", backend(publisher=LocksInRequestOrder)),
    ):
        yield Variant(id=name, says=says, clauses=("API-222.b",), build=build, racy=True)


VARIANTS: tuple[Variant, ...] = (*_faults(), *_races())
