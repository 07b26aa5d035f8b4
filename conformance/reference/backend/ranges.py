"""Sequence ids and their open ranges (API-201, API-203, API-286, API-287, API-289, API-291).

A publish first takes its ids from the one counter of the deployment and registers them, with its topics, as an open
range: durable before anything is stored. It may commit only when no lower open range shares a topic with it, so ids
of one topic become visible in ascending order. Every id below the lowest open range belongs to a finished publish.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from conformance.reference.backend.database import Database
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.hold import Hold
from conformance.reference.backend.owners import Owner, is_alive
from conformance.reference.backend.settings import MAX_SEQUENCE_ID

POLL_S = 0.005  # how soon a waiting publish learns of a range that another process closed
ABANDON_S = 30.0


@dataclass(frozen=True, kw_only=True)
class Span:
    """The ids of one publish in progress; `held` when the store hold has stopped it."""

    ids: Sequence[int]
    held: bool

    @property
    def low(self) -> int:
        """The lowest id, which names the open range."""
        return self.ids[0]


class IdAllocator:
    """Takes ids from the counter of the deployment, inside a write transaction."""

    def reserve(self, connection: sqlite3.Connection, count: int) -> Sequence[int]:
        """Return the next `count` ids; INTERNAL when the range of API-286 is used up."""
        (last,) = connection.execute("SELECT last FROM counter").fetchone()
        if last > MAX_SEQUENCE_ID - count:
            raise Failure(Code.INTERNAL, "the sequence ids are used up")
        connection.execute("UPDATE counter SET last = ?", (last + count,))
        return range(last + 1, last + count + 1)


class OpenRanges:
    """The ranges of ids whose publish has neither committed nor been given up."""

    def __init__(self, *, database: Database, folder: Path, allocator: IdAllocator, hold: Hold) -> None:
        self.database = database
        self.allocator = allocator
        self.hold = hold
        self._folder = folder
        self._owner = Owner(folder)
        self._changed = threading.Condition()
        self._given_up: set[int] = set()

    def open(self, topics: Collection[bytes], count: int, deadline: Deadline) -> Span:
        """Allocate `count` ids and register them as open on `topics`, durably."""
        with self.database.write(deadline) as connection:
            ids = self.allocator.reserve(connection, count)
            connection.execute("INSERT INTO open_range VALUES (?, ?)", (ids[0], self._owner.name))
            connection.executemany("INSERT INTO open_topic VALUES (?, ?)", [(topic, ids[0]) for topic in topics])
            held = self.hold.capture(connection, ids[0])
        return Span(ids=ids, held=held)

    def is_blocked(self, connection: sqlite3.Connection, span: Span) -> bool:
        """Whether a lower open range shares a topic with this one."""
        return bool(
            connection.execute(
                "SELECT EXISTS (SELECT 1 FROM open_topic AS mine JOIN open_topic AS other USING (topic)"
                " WHERE mine.low = ? AND other.low < mine.low)",
                (span.low,),
            ).fetchone()[0]
        )

    def wait_turn(self, span: Span, deadline: Deadline) -> None:
        """Wait until no lower open range shares a topic; DEADLINE_EXCEEDED when the publish runs out of time."""
        while True:
            with self.database.read() as connection:
                if not self.is_blocked(connection, span):
                    return
            deadline.check()
            self.close_dead(deadline)
            with self._changed:
                self._changed.wait(POLL_S)

    def close(self, connection: sqlite3.Connection, span: Span) -> None:
        """Close a range in the transaction that stores its envelopes.

        Raises UNAVAILABLE when it is closed already: nothing may be stored at or below the boundary (API-203).
        """
        if self.remove(connection, [span.low]) != 1:
            raise Failure(Code.UNAVAILABLE, "the publish was given up for dead")

    def abandon(self, span: Span) -> None:
        """Close a range whose publish stores nothing.

        When the store refuses for long, the range is remembered and closed by the next operation that gets through.
        """
        self._given_up.add(span.low)
        with suppress(Failure):
            self._close_given_up(Deadline(ABANDON_S, "the end of a failed publish"))

    def close_dead(self, deadline: Deadline) -> None:
        """Close every range whose process has died, and those of this process that were given up."""
        if self._given_up:
            self._close_given_up(deadline)
        with self.database.read() as connection:
            ranges = connection.execute("SELECT low, owner FROM open_range").fetchall()
        foreign = {owner for _, owner in ranges if owner != self._owner.name}
        dead = {owner for owner in foreign if not is_alive(self._folder, owner)}
        if dead:
            with self.database.write(deadline) as connection:
                self.remove(connection, [low for low, owner in ranges if owner in dead])
            self.tell_waiters()

    def boundary(self, connection: sqlite3.Connection) -> int:
        """Return the closed allocation boundary (API-203): at or below it every publish has finished."""
        (boundary,) = connection.execute("SELECT boundary FROM counter").fetchone()
        return int(boundary)

    def tell_waiters(self) -> None:
        """Wake the publishes of this process that wait for a lower range, after one was closed."""
        with self._changed:
            self._changed.notify_all()

    def shut(self) -> None:
        """Stop vouching for the ranges of this process."""
        self._owner.close()

    def remove(self, connection: sqlite3.Connection, lows: Sequence[int]) -> int:
        """Take ranges off the register inside a write transaction; return how many were on it."""
        removed = 0
        for low in lows:
            connection.execute("DELETE FROM open_topic WHERE low = ?", (low,))
            removed += connection.execute("DELETE FROM open_range WHERE low = ?", (low,)).rowcount
        self.raise_boundary(connection)
        return removed

    def raise_boundary(self, connection: sqlite3.Connection) -> None:
        """Move the boundary to just below the lowest open range, never down (API-291)."""
        connection.execute(
            "UPDATE counter SET boundary = MAX(boundary, COALESCE((SELECT MIN(low) - 1 FROM open_range), last))"
        )

    def _close_given_up(self, deadline: Deadline) -> None:
        lows = list(self._given_up)
        with self.database.write(deadline) as connection:
            self.remove(connection, lows)
        self._given_up.difference_update(lows)
        self.tell_waiters()
