"""Faults of what becomes visible when: late below what was read, out of order, or not at all (API-201, API-202)."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager

from conformance.faults.registry import Variant
from conformance.reference.backend.admission import Candidate
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.publisher import Key, Publisher
from conformance.reference.backend.ranges import OpenRanges, Span
from conformance.reference.backend.readers import QueryReader
from conformance.reference.backend.store import Store, Stored, View

SLOW_CHECK_S = 0.02
ROUND_TRIP_S = 0.002


class SlowCheckAfterAllocation(Backend):
    """B011."""

    class _Ranges(OpenRanges):
        def is_blocked(self, connection: sqlite3.Connection, span: Span) -> bool:
            return False

    class _Publisher(Publisher):
        slow_bytes = 1024

        def commit_in_turn(self, new: Sequence[Candidate], span: Span, deadline: Deadline) -> dict[Key, Stored]:
            if any(len(candidate.payload) > self.slow_bytes for candidate in new):
                time.sleep(SLOW_CHECK_S)
            return super().commit_in_turn(new, span, deadline)

    ranges_class = _Ranges
    publisher_class = _Publisher


class RowsBackwards(Backend):
    """B304."""

    class _Store(Store):
        def insert(self, connection: sqlite3.Connection, rows: Iterable[Stored]) -> None:
            for row in reversed(list(rows)):
                super().insert(connection, [row])
                connection.execute("COMMIT")
                time.sleep(ROUND_TRIP_S)
                connection.execute("BEGIN IMMEDIATE")

    store_class = _Store


class OrderedByTime(Backend):
    """B013."""

    class _View(View):
        def after(self, topic: bytes, cursor: int, count: int) -> list[Stored]:
            return sorted(super().after(topic, cursor, count), key=lambda row: (row.server_ns, row.message_hash))

    class _Store(Store):
        pass

    _Store.view_type = _View
    store_class = _Store


class LaggingCopy:
    """A copy of the store that is brought up to date when a reader finds it older than `lag_s` seconds."""

    def __init__(self, lag_s: float) -> None:
        self._lag_s = lag_s
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._copied_at = 0.0

    @contextmanager
    def view(self, store: Store, *, at_once: bool = False) -> Iterator[View]:
        """Open the copy for one reader, brought up to date `at_once` or when it is due."""
        with self._lock:
            if at_once or self._connection is None or time.monotonic() - self._copied_at > self._lag_s:
                self._copied_at = time.monotonic()
                self._connection = self._connection or store.database.connect()
                self._connection.rollback()
                self._connection.execute("BEGIN")
                self._connection.execute("SELECT last FROM counter").fetchone()  # the snapshot begins here
            yield store.view_type(self._connection)


_COPY = LaggingCopy(lag_s=1.0)
_WRITTEN_HERE = threading.Event()


class QueryLags(Backend):
    """B016."""

    class _Query(QueryReader):
        def view(self) -> AbstractContextManager[View]:
            return _COPY.view(self.store)

    query_class = _Query


class OtherEndpointsLag(Backend):
    """B305."""

    class _Publisher(Publisher):
        def store_new(self, new: Sequence[Candidate], deadline: Deadline) -> dict[Key, Stored]:
            stored = super().store_new(new, deadline)
            _WRITTEN_HERE.set()
            return stored

    class _Query(QueryReader):
        def view(self) -> AbstractContextManager[View]:
            written_here = _WRITTEN_HERE.is_set()
            _WRITTEN_HERE.clear()
            return _COPY.view(self.store, at_once=written_here)

    publisher_class = _Publisher
    query_class = _Query


class FairShare(Backend):
    """B306."""

    class _Query(QueryReader):
        def select(self, view: View, positions: Mapping[bytes, int], limit: int) -> tuple[Sequence[Stored], bool]:
            share = max(1, limit // max(1, len(positions)))
            found = [view.after(topic, cursor, share + 1) for topic, cursor in positions.items()]
            return [row for rows in found for row in rows[:share]][:limit], any(len(rows) > share for rows in found)

    query_class = _Query


class UpToTheBoundary(Backend):
    """B018."""

    class _Query(QueryReader):
        def select(self, view: View, positions: Mapping[bytes, int], limit: int) -> tuple[Sequence[Stored], bool]:
            rows, has_more = super().select(view, positions, limit)
            (boundary,) = view.connection.execute("SELECT boundary FROM counter").fetchone()
            return [row for row in rows if row.sequence_id <= boundary], has_more

    query_class = _Query


VARIANTS = (
    Variant(
        id="B011",
        says="ids are allocated before slow checks, and a publish with higher ids does not wait for them",
        clauses=("API-201.a",),
        build=SlowCheckAfterAllocation,
    ),
    Variant(
        id="B304",
        says="the rows of one publish become visible one by one, the highest id first",
        clauses=("API-201.a",),
        build=RowsBackwards,
        racy=True,
    ),
    Variant(
        id="B013",
        says="pages are ordered by server_ns",
        clauses=("API-201.c",),
        build=OrderedByTime,
    ),
    Variant(
        id="B016",
        says="Query reads a copy that lags by up to a second",
        clauses=("API-202.a", "API-202.b", "API-202.e"),
        build=QueryLags,
    ),
    Variant(
        id="B305",
        says="Query shows publishes through other endpoints up to a second late",
        clauses=("API-202.b",),
        build=OtherEndpointsLag,
    ),
    Variant(
        id="B306",
        says="a page gives each topic an equal share of the limit and so ends short",
        clauses=("API-202.c",),
        build=FairShare,
    ),
    Variant(
        id="B018",
        says="Query shows nothing above the closed allocation boundary",
        clauses=("API-202.d",),
        build=UpToTheBoundary,
    ),
)
