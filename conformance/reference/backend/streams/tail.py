"""Notices what any endpoint of the deployment has committed, and wakes the streams that are registered for it.

Looked at every few milliseconds, and only while a stream is open: one row of counters tells whether anything was
committed since (a publish that begins moves the last id, one that ends takes an open range away), and only then the
rows above the closed allocation boundary of the look before are read. Every publish at or below that boundary had
finished by then (API-203), so nothing new can be below it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.store import Store, View

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """A row that has become visible; `length` is the length of its payload in bytes."""

    topic: bytes
    sequence_id: int
    length: int


class Listener(Protocol):
    """A stream, as the tail sees it."""

    def arrived(self, arrival: Arrival) -> None:
        """Take note of a row on a topic the stream watches."""

    def check_reader(self, now: float) -> None:
        """Look whether the client still reads."""

    def fail(self, failure: Failure) -> None:
        """End at once."""


class Tail:
    """One per endpoint; its thread starts with the first stream and ends with `shut`."""

    poll_s = 0.005

    def __init__(self, store: Store) -> None:
        self.store = store
        self._changed = threading.Condition()
        self._streams: dict[Listener, set[bytes]] = {}  # with the topics each watches
        self._watchers: dict[bytes, set[Listener]] = {}
        self._thread: threading.Thread | None = None
        self._is_shut = False
        self._looking = threading.Lock()
        self._state: tuple[int, ...] = ()
        self._boundary = 0
        self._heads: dict[bytes, int] = {}

    def join(self, stream: Listener) -> None:
        """Take in a stream; UNAVAILABLE while the store cannot be looked at, and once the backend shuts down."""
        with self._changed:
            if self._is_shut:
                raise Failure(Code.UNAVAILABLE, "the backend is shutting down")
            if not self._streams:
                self.start_over()
            self._streams[stream] = set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="tail of the store", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def leave(self, stream: Listener) -> None:
        """Forget a stream and the topics it watches."""
        with self._changed:
            self._drop(stream, self._streams.pop(stream, ()))

    def watch(self, stream: Listener, topics: Collection[bytes]) -> None:
        """Wake a stream for these topics from now on; what is committed already is the stream's to read."""
        with self._changed:
            if stream in self._streams:  # else it has ended while an update of it was handled
                self._streams[stream].update(topics)
                for topic in topics:
                    self._watchers.setdefault(topic, set()).add(stream)

    def unwatch(self, stream: Listener, topics: Collection[bytes]) -> None:
        """Wake a stream for these topics no longer."""
        with self._changed:
            if stream in self._streams:
                self._streams[stream].difference_update(topics)
                self._drop(stream, topics)

    def shut(self) -> None:
        """End every stream UNAVAILABLE and take in no more (API section 7)."""
        with self._changed:
            self._is_shut = True
            self._changed.notify_all()
        self.fail_all(Failure(Code.UNAVAILABLE, "the backend is shutting down"))

    def start_over(self) -> None:
        """Take the store as it is for the state to compare with; UNAVAILABLE when it cannot be read."""
        try:
            with self._looking, self.store.copy() as view:
                self._state, self._boundary, self._heads = (), self.boundary(view), {}
            self.look()
        except Failure as failure:
            raise self.lost(failure) from failure

    def look(self) -> Sequence[Arrival]:
        """Return the rows that have become visible since the look before."""
        with self._looking, self.store.copy() as view:
            state = self.state(view)
            if state == self._state:
                return ()
            arrivals = self.arrivals(view)
            self._state = state
            return arrivals

    def state(self, view: View) -> tuple[int, ...]:
        """Return counters that differ after every commit of a publish."""
        row = view.connection.execute("SELECT last, boundary, (SELECT COUNT(*) FROM open_range) FROM counter")
        return tuple(row.fetchone())

    def arrivals(self, view: View) -> Sequence[Arrival]:
        """Return what is new above the last boundary, and move the boundary."""
        rows = view.connection.execute(
            "SELECT topic, sequence_id, length(payload) FROM envelope WHERE sequence_id > ? ORDER BY sequence_id",
            (self._boundary,),
        ).fetchall()
        self._boundary = self.boundary(view)
        new = [
            Arrival(topic=topic, sequence_id=sequence_id, length=length)
            for topic, sequence_id, length in rows
            if sequence_id > self._heads.get(topic, 0)
        ]
        self._heads = {topic: sequence_id for topic, sequence_id, _ in rows if sequence_id > self._boundary}
        return new

    def boundary(self, view: View) -> int:
        """Return the closed allocation boundary of a snapshot (API-203)."""
        (boundary,) = view.connection.execute("SELECT boundary FROM counter").fetchone()
        return int(boundary)

    def dispatch(self, arrivals: Iterable[Arrival]) -> None:
        """Tell each stream of the rows on its topics."""
        for arrival in arrivals:
            with self._changed:
                watchers = list(self._watchers.get(arrival.topic, ()))
            for stream in watchers:
                stream.arrived(arrival)

    def lost(self, failure: Failure) -> Failure:
        """Return what streams fail with when the store cannot be looked at."""
        return Failure(Code.UNAVAILABLE, f"the backend is recovering its streams: {failure.message}")

    def fail_all(self, failure: Failure) -> None:
        """End every stream that is open; the next one that joins starts over."""
        with self._changed:
            streams, self._streams = self._streams, {}
            self._watchers.clear()
        for stream in streams:
            stream.fail(failure)

    def check_readers(self, now: float) -> None:
        """Let every stream look whether its client still reads."""
        with self._changed:
            streams = list(self._streams)
        for stream in streams:
            stream.check_reader(now)

    def _drop(self, stream: Listener, topics: Iterable[bytes]) -> None:
        for topic in topics:
            watchers = self._watchers.get(topic, set())
            watchers.discard(stream)
            if not watchers:
                self._watchers.pop(topic, None)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._streams or self._is_shut)
                if self._is_shut:
                    return
            try:
                self.dispatch(self.look())
            except Failure as failure:
                self.fail_all(self.lost(failure))
            except Exception:  # noqa: BLE001 - whatever it was, the streams end and the log gets the traceback
                _log.exception("the tail of the store failed unexpectedly")
                self.fail_all(Failure(Code.INTERNAL, "the backend failed"))
            self.check_readers(time.monotonic())
            with self._changed:
                self._changed.wait_for(lambda: self._is_shut, self.poll_s)
