"""Faults of what becomes visible when: late below what was read, out of order, or not at all (API-201, API-202)."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from conformance.faults.registry import Variant
from conformance.reference.backend.admission import Candidate
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.publisher import Publisher
from conformance.reference.backend.ranges import OpenRanges, Span
from conformance.reference.backend.readers import QueryReader
from conformance.reference.backend.settings import Settings
from conformance.reference.backend.store import Store, Stored, View

LAG_S = 1.0


class SlowCheckAfterAllocation(Backend):
    """B011."""

    class _Ranges(OpenRanges):
        def is_blocked(self, connection: sqlite3.Connection, span: Span) -> bool:
            return False

    class _Publisher(Publisher):
        slow_bytes = 1024

        def commit_in_turn(self, new: Sequence[Candidate], span: Span, deadline: Deadline) -> dict[tuple[bytes, bytes], Stored]:
            if any(len(candidate.payload) > self.slow_bytes for candidate in new):
                time.sleep(0.02)
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


class LaggingQuery(QueryReader):
    """Reads a copy of the store that is brought up to date once a second."""

    copy: sqlite3.Connection | None = None
    copied_at = 0.0
    lock = threading.Lock()

    def is_outdated(self) -> bool:
        return self.copy is None or time.monotonic() - self.copied_at > LAG_S

    @contextmanager
    def view(self) -> Iterator[View]:
        with self.lock:
            if self.is_outdated():
                self.copied_at = time.monotonic()
                self.copy = self.copy or self.store.database.connect()
                self.copy.rollback()
                self.copy.execute("BEGIN")
                self.copy.execute("SELECT last FROM counter").fetchone()
            assert self.copy is not None
            yield self.store.view_type(self.copy)


class QueryLags(Backend):
    """B016."""

    query_class = LaggingQuery


class OtherEndpointsLag(Backend):
    """B305."""

    class _Query(LaggingQuery):
        written = True

        def is_outdated(self) -> bool:
            written, self.written = self.written, False
            return super().is_outdated() or written

    query_class = _Query

    def __init__(self, settings: Settings, folder: Path) -> None:
        super().__init__(settings, folder)
        store_new = self.publisher.store_new

        def noticed(new: Sequence[Candidate], deadline: Deadline) -> dict[tuple[bytes, bytes], Stored]:
            stored = store_new(new, deadline)
            self.query.written = True
            return stored

        self.publisher.store_new = noticed
