"""The clock of this machine, for tests that compare it with the one of the target."""

from __future__ import annotations

import time


def now_ns() -> int:
    """Nanoseconds since the Unix epoch."""
    return time.time_ns()
