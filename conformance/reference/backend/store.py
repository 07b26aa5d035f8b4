"""The stored envelopes: the schema, inserting, and what a snapshot shows of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

from conformance.reference.backend.database import Database

_META = "sequence_id, topic, message_hash, server_ns, expiry_ns, is_commit_or_proposal"


@dataclass(frozen=True, kw_only=True)
class Stored:
    """One row; `payload` is None when it was not read."""

    sequence_id: int
    topic: bytes
    message_hash: bytes
    server_ns: int
    expiry_ns: int
    is_commit_or_proposal: bool
    payload: bytes | None = field(default=None, repr=False)

    @property
    def key(self) -> tuple[bytes, bytes]:
        """The idempotency key (API-222)."""
        return self.topic, self.message_hash


class View:
    """What one snapshot of the store shows; a prefix of every topic (API-201)."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def after(self, topic: bytes, cursor: int, count: int) -> list[Stored]:
        """Up to `count` envelopes of a topic above a cursor, lowest sequence id first."""
        return self._rows(
            "WHERE topic = ? AND sequence_id > ? ORDER BY sequence_id LIMIT ?", (topic, cursor, count), payload=True
        )

    def newest(self, topic: bytes, *, payload: bool) -> Stored | None:
        """Return the envelope with the highest sequence id on a topic."""
        rows = self._rows("WHERE topic = ? ORDER BY sequence_id DESC LIMIT 1", (topic,), payload=payload)
        return rows[0] if rows else None

    def lookup(self, topic: bytes, message_hash: bytes) -> Stored | None:
        """Return the envelope with an idempotency key, without its payload."""
        rows = self._rows("WHERE topic = ? AND message_hash = ?", (topic, message_hash), payload=False)
        return rows[0] if rows else None

    def _rows(self, condition: str, values: Sequence[object], *, payload: bool) -> list[Stored]:
        columns = f"{_META}, payload" if payload else f"{_META}, NULL"
        sql = f"SELECT {columns} FROM envelope {condition}"  # noqa: S608 - built from the constants of this module
        return [
            Stored(
                sequence_id=row[0],
                topic=row[1],
                message_hash=row[2],
                server_ns=row[3],
                expiry_ns=row[4],
                is_commit_or_proposal=bool(row[5]),
                payload=row[6],
            )
            for row in self.connection.execute(sql, values)
        ]


class Store:
    """Inserts envelopes and opens views of them."""

    view_type: Callable[[sqlite3.Connection], View] = View

    def __init__(self, database: Database) -> None:
        self.database = database

    @staticmethod
    def schema(first_sequence_id: int) -> tuple[str, ...]:
        """Return the statements that make an empty file a store and leave an existing store as it is."""
        last = int(first_sequence_id) - 1
        return (
            "CREATE TABLE IF NOT EXISTS envelope ("
            "sequence_id INTEGER PRIMARY KEY, topic BLOB NOT NULL, message_hash BLOB NOT NULL,"
            " server_ns INTEGER NOT NULL, expiry_ns INTEGER NOT NULL, is_commit_or_proposal INTEGER NOT NULL,"
            " payload BLOB NOT NULL)",
            "CREATE UNIQUE INDEX IF NOT EXISTS envelope_key ON envelope (topic, message_hash)",
            "CREATE UNIQUE INDEX IF NOT EXISTS envelope_order ON envelope (topic, sequence_id)",
            "CREATE TABLE IF NOT EXISTS open_range (low INTEGER PRIMARY KEY, owner TEXT NOT NULL)",
            "CREATE TABLE IF NOT EXISTS open_topic (topic BLOB NOT NULL, low INTEGER NOT NULL,"
            " PRIMARY KEY (topic, low)) WITHOUT ROWID",
            "CREATE INDEX IF NOT EXISTS open_topic_range ON open_topic (low)",
            "CREATE TABLE IF NOT EXISTS counter ("
            "only INTEGER PRIMARY KEY CHECK (only = 1), last INTEGER NOT NULL, boundary INTEGER NOT NULL)",
            f"INSERT OR IGNORE INTO counter VALUES (1, {last}, {last})",  # noqa: S608 - an integer
            "CREATE TABLE IF NOT EXISTS hold ("
            "only INTEGER PRIMARY KEY CHECK (only = 1), armed INTEGER NOT NULL, low INTEGER)",
            "INSERT OR IGNORE INTO hold VALUES (1, 0, NULL)",
        )

    @contextmanager
    def current(self) -> Iterator[View]:
        """Open a view of everything committed: for Query (API-202), and for the duplicates of a publish."""
        with self.database.read() as connection:
            yield self.view_type(connection)

    def copy(self) -> AbstractContextManager[View]:
        """Open the view that reads other than Query are answered from; it may lag the current one."""
        return self.current()

    def insert(self, connection: sqlite3.Connection, rows: Iterable[Stored]) -> None:
        """Store rows inside a write transaction."""
        connection.executemany(
            f"INSERT INTO envelope ({_META}, payload) VALUES (?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - constant columns
            [
                (
                    row.sequence_id,
                    row.topic,
                    row.message_hash,
                    row.server_ns,
                    row.expiry_ns,
                    row.is_commit_or_proposal,
                    row.payload,
                )
                for row in rows
            ],
        )
