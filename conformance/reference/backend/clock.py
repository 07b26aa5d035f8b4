"""The wall clock of a deployment: that of the machine, moved by the offset an adapter has set."""

from __future__ import annotations

import os
import time
from pathlib import Path

FILE_NAME = "clock.offset"


class Clock:
    """Tells the time for admission and for server_ns; the storing transaction reads it once (API section 2).

    The offset stands in the data folder, so that it reaches every endpoint of the deployment.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE_NAME

    def now_ns(self) -> int:
        """Nanoseconds since the Unix epoch."""
        return time.time_ns() + self.offset_ns()

    def now_s(self) -> int:
        """Whole seconds since the Unix epoch, the unit of lifetimes."""
        return self.now_ns() // 1_000_000_000

    def offset_ns(self) -> int:
        """Nanoseconds by which this clock is ahead of the machine's; 0 unless it was moved."""
        try:
            return int(self._file.read_bytes())
        except FileNotFoundError:
            return 0

    def move(self, offset_ns: int) -> None:
        """Set the offset, in one step for whoever reads the clock meanwhile."""
        draft = self._file.with_suffix(f".{os.getpid()}")
        draft.write_bytes(str(offset_ns).encode())
        draft.replace(self._file)
