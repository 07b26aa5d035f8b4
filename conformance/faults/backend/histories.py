"""Faults that show only when clients work at the same time: what traffic of many clients must find (API-201 to 222)."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import ClassVar

from conformance.faults.backend.publish_parts import PartByPart, backend, clauses
from conformance.faults.registry import Variant
from conformance.reference.backend.admission import Candidate
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import PublishFailure
from conformance.reference.backend.publisher import Key, Publisher
from conformance.reference.backend.readers import NewestReader
from conformance.reference.backend.store import Stored, View

ROUND_TRIP_S = 0.001  # a store is some way off, and meanwhile others come


class PoisonsTheRetry(PartByPart):
    """Remembers the envelopes of a refused request as stored, under ids of their own, and never stores them."""

    recorded: ClassVar[dict[Key, Stored]] = {}

    def answer(self, request: bytes) -> bytes:
        """Take ids for what a failing request would have stored."""
        try:
            return super().answer(request)
        except PublishFailure:
            good = [each for each in self.good(request) if each.key not in self.recorded]
            good = [each for each in good if each.key not in self.duplicates(good)]
            if good:
                with self.database.write(self.soon()) as connection:
                    ids = self.ranges.allocator.reserve(connection, len(good))
                rows = zip(good, ids, strict=True)
                self.recorded.update({each.key: self.metadata.assign(each, i, self.clock.now_ns()) for each, i in rows})
            raise

    def duplicates(self, candidates: Sequence[Candidate]) -> dict[Key, Stored]:
        """Take what was only remembered for stored."""
        remembered = {each.key: self.recorded[each.key] for each in candidates if each.key in self.recorded}
        return remembered | super().duplicates(candidates)


class TopicByTopic(PartByPart):
    """Admits and stores all envelopes of the first topic, then those of the next one, until one fails."""

    def answer(self, request: bytes) -> bytes:
        """Store the topics that come before the one that fails, each in a transaction of its own."""
        try:
            return super().answer(request)
        except PublishFailure as failure:
            good = self.good(request)
            ahead = self.admission.decode(request).envelopes[: failure.index or 0]
            topics = [self.admission.examine(index, each).topic for index, each in enumerate(ahead)]
            for topic in dict.fromkeys(topics):
                self.publish([each for each in good if each.topic == topic], self.soon())
            raise


class Crowd:
    """Who is publishing to which topics at this moment, in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._busy: Counter[bytes] = Counter()

    @contextmanager
    def joined(self, topics: Collection[bytes]) -> Iterator[bool]:
        """Join for the block; whether another publish to one of the topics was there already."""
        with self._lock:
            crowded = any(self._busy[topic] for topic in topics)
            self._busy.update(topics)
        try:
            yield crowded
        finally:
            with self._lock:
                self._busy.subtract(topics)


class LosesInACrowd(Publisher):
    """Forgets to store the last envelope of a publish that finds its topic busy, and confirms it all the same."""

    crowd: ClassVar[Crowd] = Crowd()

    def store_new(self, new: Sequence[Candidate], deadline: Deadline) -> dict[Key, Stored]:
        """Store, and take the last one away again if another publish was about."""
        with self.crowd.joined({each.topic for each in new}) as crowded:
            time.sleep(ROUND_TRIP_S)
            stored = super().store_new(new, deadline)
            if crowded:
                last = stored[new[-1].key]
                with self.database.write(deadline) as connection:
                    connection.execute("DELETE FROM envelope WHERE sequence_id = ?", (last.sequence_id,))
            return stored


class OwnTimeForTheLoser(Publisher):
    """Answers the loser of a race for one envelope with the id stored and the time it would have stored it at."""

    def raced(self, connection: sqlite3.Connection, new: Sequence[Candidate]) -> dict[Key, Stored]:
        """Find what was stored meanwhile and date it anew."""
        return {key: replace(row, server_ns=self.clock.now_ns()) for key, row in super().raced(connection, new).items()}


class LosersLast(Publisher):
    """Puts the entries of envelopes that another publish stored meanwhile behind all others."""

    lost: ClassVar[set[Key]] = set()

    def raced(self, connection: sqlite3.Connection, new: Sequence[Candidate]) -> dict[Key, Stored]:
        """Remember which they are."""
        found = super().raced(connection, new)
        self.lost.update(found)
        return found

    def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
        """Move them to the end."""
        return sorted(super().publish(candidates, deadline), key=lambda row: row.key in self.lost)


class NewestAheadOfAdmission(Backend):
    """B395."""

    ahead: ClassVar[dict[bytes, Stored]] = {}

    class _Publisher(PartByPart):
        def answer(self, request: bytes) -> bytes:
            try:
                return super().answer(request)
            except PublishFailure:
                good = self.good(request)
                with self.database.write(self.soon()) as connection:
                    ids = self.ranges.allocator.reserve(connection, len(good) or 1)
                for each, number in zip(good, ids, strict=False):
                    row = self.metadata.assign(each, number, self.clock.now_ns())
                    NewestAheadOfAdmission.ahead[each.topic] = row
                time.sleep(ROUND_TRIP_S)  # until the rest has been looked at
                for each in good:
                    NewestAheadOfAdmission.ahead.pop(each.topic, None)
                raise

    class _Newest(NewestReader):
        def select(self, view: View, topics: Sequence[bytes], *, full: bool) -> list[Stored]:
            found = {row.topic: row for row in super().select(view, topics, full=full)}
            early = {topic: NewestAheadOfAdmission.ahead.get(topic) for topic in topics}
            for topic, row in early.items():
                if row is not None:
                    found[topic] = row if full else replace(row, payload=None)
            return list(found.values())

    publisher_class = _Publisher
    newest_class = _Newest


def _faults() -> Iterator[Variant]:
    for name, says, numbers, build in (
        (
            "B390",
            "the envelopes of a refused request are taken for stored when they come again",
            "222.i",
            backend(publisher=PoisonsTheRetry),
        ),
        (
            "B391",
            "the topics of a request are admitted and stored one after the other",
            "220.a",
            backend(publisher=TopicByTopic),
        ),
    ):
        yield Variant(id=name, says=says, clauses=clauses(numbers), build=build)


def _races() -> Iterator[Variant]:
    for name, says, numbers, build in (
        (
            "B392",
            "the last envelope of a publish to a busy topic is confirmed and lost",
            "202.a",
            backend(publisher=LosesInACrowd),
        ),
        (
            "B393",
            "the loser of a race for one envelope gets a time of its own",
            "222.b",
            backend(publisher=OwnTimeForTheLoser),
        ),
        (
            "B394",
            "entries for envelopes that another publish stored meanwhile stand last",
            "221.c",
            backend(publisher=LosersLast),
        ),
        (
            "B395",
            "QueryNewest shows envelopes while the rest of their request is still being admitted",
            "220.a",
            NewestAheadOfAdmission,
        ),
    ):
        yield Variant(id=name, says=says, clauses=clauses(numbers), build=build, racy=True)


VARIANTS: tuple[Variant, ...] = (*_faults(), *_races())
