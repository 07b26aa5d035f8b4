"""Wrong backends: atomicity, the entries of a response, and duplicates (API-220, 221, 222)."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack, suppress

from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import ClientEnvelope
from conformance.reference.backend.admission import Candidate
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import Code, Failure, PublishFailure
from conformance.reference.backend.publisher import Key, Publisher
from conformance.reference.backend.ranges import Span
from conformance.reference.backend.store import Store, Stored, View

RECENT = 100
LOCK_WAIT_S = 0.3
LOCK_TAKES_S = 0.002  # a lock in a store is a round trip, and in that time another publish takes one


class GoodPart(Publisher):
    """Knows the good envelopes of a failing request."""

    def good(self, request: bytes) -> list[Candidate]:
        """Examine every envelope on its own and leave out those that fail."""
        found = []
        for index, envelope in enumerate(self.admission.decode(request).envelopes):
            with suppress(PublishFailure):
                found.append(self.admission.examine(index, envelope))
        return found

    def soon(self) -> Deadline:
        """Return a deadline for a publish of its own."""
        return Deadline(self.publish_ms / 1000, "the publish")


class WithoutKey(Store):
    """A store that does not enforce that an idempotency key is unique."""

    @staticmethod
    def schema(first_sequence_id: int) -> tuple[str, ...]:
        """Return the schema with a plain index in place of the unique one."""
        plain = "CREATE INDEX IF NOT EXISTS envelope_key"
        return tuple(
            statement.replace("CREATE UNIQUE INDEX IF NOT EXISTS envelope_key", plain)
            for statement in Store.schema(first_sequence_id)
        )


class CommitsEachRow(Backend):
    """B043."""

    class _Bounds(Bounds):
        def envelope(self, index: int, length: int) -> None:
            """Leave it to the row."""

    class _Publisher(Publisher):
        def store_new(self, new: Sequence[Candidate], deadline: Deadline) -> dict[Key, Stored]:
            stored: dict[Key, Stored] = {}
            for candidate in new:
                Bounds(self.admission.bounds.limits).envelope(candidate.index, len(candidate.payload))
                stored |= super().store_new([candidate], deadline)
            return stored

    bounds_class = _Bounds
    publisher_class = _Publisher


class StoresOneByOne(Backend):
    """B044."""

    class _Publisher(GoodPart):
        def answer(self, request: bytes) -> bytes:
            stored: list[Stored] = []
            for index, envelope in enumerate(self.admission.decode(request).envelopes):
                stored += self.publish([self.admission.examine(index, envelope)], self.soon())
            return self.responses.published(stored).SerializeToString()

    publisher_class = _Publisher


class CountsTopicsAfterwards(Backend):
    """B320."""

    class _Bounds(Bounds):
        def publish_topics(self, count: int) -> None:
            """Leave it to the end."""

    class _Publisher(Publisher):
        def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
            stored = super().publish(candidates, deadline)
            Bounds(self.admission.bounds.limits).publish_topics(len(self.topics(candidates)))
            return stored

    bounds_class = _Bounds
    publisher_class = _Publisher


class StoresBesideRepeats(Backend):
    """B321."""

    class _Publisher(GoodPart):
        def answer(self, request: bytes) -> bytes:
            try:
                return super().answer(request)
            except PublishFailure:
                good = self.good(request)
                if self.duplicates(good):
                    self.publish(good, self.soon())
                raise

    publisher_class = _Publisher


class RollsRepeatsBack(Backend):
    """B322."""

    class _Publisher(GoodPart):
        def answer(self, request: bytes) -> bytes:
            try:
                return super().answer(request)
            except PublishFailure:
                with self.database.write(self.soon()) as connection:
                    keys = [candidate.key for candidate in self.good(request)]
                    connection.executemany("DELETE FROM envelope WHERE topic = ? AND message_hash = ?", keys)
                raise

    publisher_class = _Publisher


class GroupsByTopic(Backend):
    """B049."""

    class _Publisher(Publisher):
        def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
            return sorted(super().publish(candidates, deadline), key=lambda stored: stored.topic)

    publisher_class = _Publisher


class AnswersInIdOrder(Backend):
    """B323."""

    class _Publisher(Publisher):
        def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
            return sorted(super().publish(candidates, deadline), key=lambda stored: stored.sequence_id)

    publisher_class = _Publisher


class ReversesWithinTopic(Backend):
    """B324."""

    class _Publisher(Publisher):
        def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
            stored = super().publish(candidates, deadline)
            of_topic: dict[bytes, list[Stored]] = defaultdict(list)
            for each in stored:
                of_topic[each.topic].append(each)
            return [of_topic[each.topic].pop() for each in stored]

    publisher_class = _Publisher


class OneEntryPerDistinct(Backend):
    """B050."""

    class _Publisher(Publisher):
        def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
            return list({stored.key: stored for stored in super().publish(candidates, deadline)}.values())

    publisher_class = _Publisher


class StoresRepeatsOfARequest(Backend):
    """B325."""

    class _Publisher(Publisher):
        def first_of_each(self, candidates: Sequence[Candidate]) -> list[Candidate]:
            return list(candidates)

    publisher_class = _Publisher
    store_class = WithoutKey


class RemembersTheNewest(Backend):
    """B326."""

    class _Publisher(Publisher):
        def lookup(self, view: View, candidates: Sequence[Candidate]) -> dict[Key, Stored]:
            later = "SELECT COUNT(*) FROM envelope WHERE topic = ? AND sequence_id > ?"
            return {
                key: stored
                for key, stored in super().lookup(view, candidates).items()
                if view.connection.execute(later, (stored.topic, stored.sequence_id)).fetchone()[0] < RECENT
            }

    publisher_class = _Publisher
    store_class = WithoutKey


class RemembersInMemory(Backend):
    """B053."""

    class _Publisher(Publisher):
        def lookup(self, view: View, candidates: Sequence[Candidate]) -> dict[Key, Stored]:
            mine = self.__dict__.setdefault("mine", set())
            return {key: stored for key, stored in super().lookup(view, candidates).items() if key in mine}

        def store_new(self, new: Sequence[Candidate], deadline: Deadline) -> dict[Key, Stored]:
            stored = super().store_new(new, deadline)
            self.__dict__.setdefault("mine", set()).update(stored)
            return stored

    publisher_class = _Publisher
    store_class = WithoutKey


class ChecksThenInserts(Backend):
    """B054."""

    class _Publisher(Publisher):
        def raced(self, connection: sqlite3.Connection, new: Sequence[Candidate]) -> dict[Key, Stored]:
            return {}

    publisher_class = _Publisher
    store_class = WithoutKey


class FailsTheLoser(Backend):
    """B055."""

    class _Publisher(Publisher):
        def raced(self, connection: sqlite3.Connection, new: Sequence[Candidate]) -> dict[Key, Stored]:
            if super().raced(connection, new):
                raise Failure(Code.ALREADY_EXISTS, "an envelope exists already")
            return {}

    publisher_class = _Publisher


class LocksInRequestOrder(Backend):
    """B327."""

    class _Publisher(Publisher):
        locks: defaultdict[bytes, threading.Lock] = defaultdict(threading.Lock)

        def store_new(self, new: Sequence[Candidate], deadline: Deadline) -> dict[Key, Stored]:
            with ExitStack() as held:
                for topic in dict.fromkeys(candidate.topic for candidate in new):
                    if not self.locks[topic].acquire(timeout=LOCK_WAIT_S):
                        raise Failure(Code.INTERNAL, "deadlock detected")
                    held.callback(self.locks[topic].release)
                    time.sleep(LOCK_TAKES_S)
                return super().store_new(new, deadline)

    publisher_class = _Publisher


class SkipsWhatStandsBesideRepeats(Backend):
    """B330."""

    class _Publisher(GoodPart):
        def answer(self, request: bytes) -> bytes:
            try:
                return super().answer(request)
            except PublishFailure:
                good = self.good(request)
                if not self.duplicates(good):
                    raise
                return self.responses.published(self.publish(good, self.soon())).SerializeToString()

    publisher_class = _Publisher


class DedupesByContent(Backend):
    """B328."""

    class _Publisher(Publisher):
        def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
            first: dict[bytes, Stored] = self.__dict__.setdefault("first", {})
            stored = super().publish(candidates, deadline)
            return [
                first.setdefault(ClientEnvelope.FromString(candidate.payload).welcome_message.v1.data or each.topic, each)
                for candidate, each in zip(candidates, stored, strict=True)
            ]

    publisher_class = _Publisher


class RemembersFailures(Backend):
    """B062."""

    class _Publisher(GoodPart):
        def answer(self, request: bytes) -> bytes:
            try:
                return super().answer(request)
            except PublishFailure:
                recorded: dict[Key, Stored] = self.__dict__.setdefault("recorded", {})
                for candidate in self.good(request):
                    recorded[candidate.key] = self.metadata.assign(candidate, 1, self.clock.now_ns())
                raise

        def duplicates(self, candidates: Sequence[Candidate]) -> dict[Key, Stored]:
            recorded: dict[Key, Stored] = self.__dict__.setdefault("recorded", {})
            keys = {candidate.key for candidate in candidates} & recorded.keys()
            return {key: recorded[key] for key in keys} | super().duplicates(candidates)

    publisher_class = _Publisher
