"""The store hold: a control that stops the next publish between the allocation of its ids and its commit.

It lives in the store itself, so it reaches whichever endpoint process serves that publish.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from conformance.reference.backend.database import Database
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.owners import is_alive

POLL_S = 0.005
CONTROL_S = 10.0


class Hold:
    """Arms, reports and releases the hold; the publish that meets it waits here."""

    def __init__(self, database: Database, folder: Path) -> None:
        self._database = database
        self._folder = folder

    def arm(self) -> None:
        """Stop the next publish that allocates ids; a publish held before is let go."""
        with self._database.write(Deadline(CONTROL_S, "the store hold")) as connection:
            connection.execute("UPDATE hold SET armed = 1, low = NULL")

    def release(self) -> bool:
        """Let the held publish go on and disarm; whether one stood held at this moment."""
        held = self.is_holding()
        with self._database.write(Deadline(CONTROL_S, "the store release")) as connection:
            connection.execute("UPDATE hold SET armed = 0, low = NULL")
        return held

    def is_holding(self) -> bool:
        """Whether a publish of a living process stands held, its ids allocated and its range open."""
        with self._database.read() as connection:
            row = connection.execute("SELECT owner FROM hold JOIN open_range USING (low)").fetchone()
        return row is not None and is_alive(self._folder, row[0])

    def capture(self, connection: sqlite3.Connection, low: int) -> bool:
        """Inside the transaction that opens a range: whether this publish is the one to stop."""
        return connection.execute("UPDATE hold SET armed = 0, low = ? WHERE armed", (low,)).rowcount > 0

    def wait(self, low: int, deadline: Deadline) -> None:
        """Stand still until released; DEADLINE_EXCEEDED when the publish runs out of time first."""
        while True:
            with self._database.read() as connection:
                if connection.execute("SELECT low FROM hold").fetchone() != (low,):
                    return
            deadline.check()
            time.sleep(POLL_S)
