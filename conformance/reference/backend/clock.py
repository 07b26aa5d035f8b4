"""The wall clock of the backend."""

from __future__ import annotations

import time


class Clock:
    """Tells the time for server_ns; the storing transaction reads it once (API section 2)."""

    def now_ns(self) -> int:
        """Nanoseconds since the Unix epoch."""
        return time.time_ns()
