"""The lock that lets one writer of a deployment at a time into the store, across threads and processes.

SQLite's own lock would do, but its waiters sleep up to a tenth of a second between attempts, so that a busy process
can keep another one out for seconds. Here a waiter looks again every millisecond.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.reference.backend.failure import Code, Failure

LOOK_AGAIN_S = 0.001


class WriteLock:
    """Threads of one process queue on a lock in memory, their first one against other processes on a locked file."""

    def __init__(self, path: Path) -> None:
        self._threads = threading.Lock()
        self._descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)

    @contextmanager
    def held(self, seconds: float) -> Iterator[None]:
        """Hold the lock for the block; DEADLINE_EXCEEDED when it cannot be had within `seconds`."""
        end = time.monotonic() + seconds
        if not self._threads.acquire(timeout=seconds):
            raise Failure(Code.DEADLINE_EXCEEDED, "the store was busy for too long")
        try:
            self._lock_file(end)
            try:
                yield
            finally:
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        finally:
            self._threads.release()

    def close(self) -> None:
        """Close the file; the lock cannot be taken again."""
        os.close(self._descriptor)

    def _lock_file(self, end: float) -> None:
        while True:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= end:
                    raise Failure(Code.DEADLINE_EXCEEDED, "the store was busy for too long") from None
                time.sleep(LOOK_AGAIN_S)
            else:
                return
