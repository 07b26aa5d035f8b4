"""The SQLite file that every endpoint process of a deployment shares: connections, transactions, errors as statuses.

Write-ahead logging with synchronous FULL: a committed transaction survives a kill of any process, readers never wait
for a writer, and each read transaction is one snapshot.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.write_lock import WriteLock

FILE_NAME = "backend.sqlite"
LOCK_NAME = "write.lock"
IDLE_READERS = 16
_PRIMARY_CODE = 0xFF  # the low byte of an extended SQLite result code


class Database:
    """Connections to the store of one deployment.

    An operation that cannot get its turn within `store_ms` milliseconds ends DEADLINE_EXCEEDED, a broken rule of the
    schema INTERNAL, any other trouble with the file UNAVAILABLE (status table of API section 7).
    """

    def __init__(self, folder: Path, *, schema: Sequence[str], store_ms: int) -> None:
        self._path = folder / FILE_NAME
        self._store_s = store_ms / 1000
        self._lock = WriteLock(folder / LOCK_NAME)
        self._readers: deque[sqlite3.Connection] = deque()
        with self._lock.held(self._store_s), _as_statuses():
            self._writer = self.connect()
            self._writer.execute("PRAGMA journal_mode = WAL")
            self._writer.execute("BEGIN IMMEDIATE")
            for statement in schema:
                self._writer.execute(statement)
            self._writer.execute("COMMIT")

    def connect(self) -> sqlite3.Connection:
        """Return a connection of its own, for a caller that keeps one."""
        connection = sqlite3.connect(self._path, timeout=self._store_s, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """One read transaction: everything read inside comes from one snapshot."""
        with _as_statuses():
            connection = self._take_reader()
            try:
                connection.execute("BEGIN")
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                connection.close()
                raise
        self._give_back(connection)

    @contextmanager
    def write(self, deadline: Deadline) -> Iterator[sqlite3.Connection]:
        """One write transaction, committed and synced when the block ends, rolled back when it raises."""
        with self._lock.held(min(self._store_s, deadline.remaining())), _as_statuses():
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                deadline.check()
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # SQLite may have rolled back by itself
                    self._writer.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close every connection that is not in use."""
        with self._lock.held(self._store_s), closing(self._writer):
            while self._readers:
                self._readers.pop().close()
        self._lock.close()

    def _take_reader(self) -> sqlite3.Connection:
        try:
            return self._readers.pop()
        except IndexError:
            return self.connect()

    def _give_back(self, connection: sqlite3.Connection) -> None:
        if len(self._readers) < IDLE_READERS:
            self._readers.append(connection)
        else:
            connection.close()


@contextmanager
def _as_statuses() -> Iterator[None]:
    """Raise the Failure that stands for an error of the store."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise Failure(Code.INTERNAL, "a stored value would break an invariant") from error
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise Failure(Code.DEADLINE_EXCEEDED, "the store was busy for too long") from error
        raise Failure(Code.UNAVAILABLE, "the store is not reachable") from error
