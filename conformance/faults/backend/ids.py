"""Faults of sequence ids: shared, out of range, changed, or lower than what was seen before (API-286 to API-289)."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import count as numbers
from itertools import cycle

from conformance.faults.registry import Variant
from conformance.reference.backend.admission import Candidate
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.publisher import Publisher
from conformance.reference.backend.ranges import IdAllocator, OpenRanges, Span
from conformance.reference.backend.readers import NewestReader
from conformance.reference.backend.store import Store, Stored, View

ROUND_TRIP_S = 0.002  # a store is some way off, and meanwhile another publish reads the same


class FirstIdZero(Backend):
    """B001."""

    class _Store(Store):
        @staticmethod
        def schema(first_sequence_id: int) -> tuple[str, ...]:
            return Store.schema(first_sequence_id - 1)

    store_class = _Store


class _NoUniqueIds(Store):
    """A store that lets two envelopes share an id."""

    @staticmethod
    def schema(first_sequence_id: int) -> tuple[str, ...]:
        lax = {"sequence_id INTEGER PRIMARY KEY": "sequence_id INTEGER NOT NULL", "CREATE UNIQUE INDEX": "CREATE INDEX"}
        statements = Store.schema(first_sequence_id)
        for strict, loose in lax.items():
            statements = tuple(statement.replace(strict, loose) for statement in statements)
        return statements


class _NoRanges(OpenRanges):
    """Nobody is told which ids are in use: a publish takes what follows on the highest id it finds."""

    def next_id(self, connection: sqlite3.Connection, _topics: Collection[bytes]) -> int:
        (last,) = connection.execute("SELECT MAX(sequence_id) FROM envelope").fetchone()
        return int(last or 0) + 1

    def open(self, topics: Collection[bytes], count: int, deadline: Deadline) -> Span:
        deadline.check()
        with self.database.read() as connection:
            first = self.next_id(connection, topics)
        time.sleep(ROUND_TRIP_S)
        return Span(ids=range(first, first + count), held=False)

    def is_blocked(self, _connection: sqlite3.Connection, _span: Span) -> bool:
        return False

    def close(self, connection: sqlite3.Connection, span: Span) -> None:
        pass

    def abandon(self, span: Span) -> None:
        pass


class HighestPlusOne(Backend):
    """B003."""

    store_class = _NoUniqueIds
    ranges_class = _NoRanges


class IdsPerTopic(Backend):
    """B300."""

    class _Ranges(_NoRanges):
        def next_id(self, connection: sqlite3.Connection, topics: Collection[bytes]) -> int:
            heads = [View(connection).newest(topic, payload=False) for topic in topics]
            return 1 + max((head.sequence_id for head in heads if head is not None), default=0)

    store_class = _NoUniqueIds
    ranges_class = _Ranges


class IdsPerEndpoint(Backend):
    """B301."""

    class _Ranges(_NoRanges):
        ids = numbers(1)

        def open(self, _topics: Collection[bytes], count: int, _deadline: Deadline) -> Span:
            return Span(ids=[next(self.ids) for _ in range(count)], held=False)

    store_class = _NoUniqueIds
    ranges_class = _Ranges


class BlocksPerEndpoint(Backend):
    """B005."""

    class _Allocator(IdAllocator):
        block_size = 10_000

        def __init__(self) -> None:
            self._block: list[int] = []

        def reserve(self, connection: sqlite3.Connection, count: int) -> Sequence[int]:
            if len(self._block) < count:
                self._block = list(super().reserve(connection, self.block_size))
            taken, self._block = self._block[:count], self._block[count:]
            return taken

    allocator_class = _Allocator


class CachedSequence(Backend):
    """B009."""

    class _Allocator(IdAllocator):
        connections = 4
        cache = 20

        def __init__(self) -> None:
            self._caches: Iterator[list[int]] = cycle([[] for _ in range(self.connections)])

        def reserve(self, connection: sqlite3.Connection, count: int) -> Sequence[int]:
            cached, ids = next(self._caches), list[int]()
            for _ in range(count):
                if not cached:
                    cached.extend(super().reserve(connection, self.cache))
                ids.append(cached.pop(0))
            return ids

    allocator_class = _Allocator


class SpareIds(Backend):
    """B303."""

    class _Allocator(IdAllocator):
        large = 10

        def __init__(self) -> None:
            self._spare: list[int] = []

        def reserve(self, connection: sqlite3.Connection, count: int) -> Sequence[int]:
            if count < self.large:
                *ids, spare = super().reserve(connection, count + 1)
                self._spare.append(spare)
                return ids
            used, self._spare = self._spare[:count], self._spare[count:]
            return [*used, *super().reserve(connection, count - len(used))] if len(used) < count else used

    allocator_class = _Allocator


class FreshIdForRepeat(Backend):
    """B007."""

    class _Publisher(Publisher):
        def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
            known = self.duplicates(candidates)
            stored = super().publish(candidates, deadline)
            with self.database.write(deadline) as connection:
                fresh = self.ranges.allocator.reserve(connection, len(stored))
            return [
                replace(row, sequence_id=number) if row.key in known else row
                for row, number in zip(stored, fresh, strict=True)
            ]

    publisher_class = _Publisher


class NewestByPlace(Backend):
    """B302."""

    class _Newest(NewestReader):
        def select(self, view: View, topics: Sequence[bytes], *, full: bool) -> list[Stored]:
            found = super().select(view, topics, full=full)
            return [replace(row, sequence_id=len(view.after(row.topic, 0, 1000))) for row in found]

    newest_class = _Newest


VARIANTS = (
    Variant(
        id="B001",
        says="the ids of a new deployment start at 0",
        clauses=("API-286.a",),
        build=FirstIdZero,
    ),
    Variant(
        id="B003",
        says="an id is the highest one stored plus 1, read without a lock",
        clauses=("API-287.a",),
        build=HighestPlusOne,
        racy=True,
    ),
    Variant(
        id="B005",
        says="each endpoint takes ids from a block of its own, so one of them goes on with lower ids",
        clauses=("API-289.c",),
        build=BlocksPerEndpoint,
    ),
    Variant(
        id="B007",
        says="the receipt of a repeated publish shows a newly allocated id",
        clauses=("API-288.a",),
        build=FreshIdForRepeat,
    ),
    Variant(
        id="B009",
        says="each of four store connections draws ids from a cache of its own",
        clauses=("API-289.a", "API-289.b", "API-289.e"),
        build=CachedSequence,
    ),
    Variant(
        id="B300",
        says="ids are counted per topic",
        clauses=("API-287.b", "API-289.b", "API-289.c"),
        build=IdsPerTopic,
    ),
    Variant(
        id="B301",
        says="every endpoint counts ids for itself",
        clauses=("API-287.b", "API-289.c"),
        build=IdsPerEndpoint,
    ),
    Variant(
        id="B302",
        says="QueryNewest shows an envelope's place on its topic as its id",
        clauses=("API-288.b",),
        build=NewestByPlace,
    ),
    Variant(
        id="B303",
        says="a large publish first uses up ids that earlier, smaller ones left unused",
        clauses=("API-289.e",),
        build=SpareIds,
    ),
)
