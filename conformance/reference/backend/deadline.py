"""A time limit of the backend's own, measured on the monotonic clock."""

from __future__ import annotations

import time

from conformance.reference.backend.failure import Code, Failure


class Deadline:
    """The instant after which an operation must end DEADLINE_EXCEEDED (status table of API section 7)."""

    def __init__(self, seconds: float, operation: str) -> None:
        self._end = time.monotonic() + seconds
        self._operation = operation

    def remaining(self) -> float:
        """Seconds left, never below zero."""
        return max(0.0, self._end - time.monotonic())

    def check(self) -> None:
        """Raise DEADLINE_EXCEEDED when the instant has passed."""
        if self.remaining() <= 0:
            raise Failure(Code.DEADLINE_EXCEEDED, f"{self._operation} did not finish within its time limit")
