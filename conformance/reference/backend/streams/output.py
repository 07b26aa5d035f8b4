"""What one stream has to send besides envelopes, and how much piles up behind a client that does not read.

Instants are monotonic seconds.
"""

from __future__ import annotations

from collections import deque


class Output:
    """Answers in the order of their requests, and the account of what the transport has not taken.

    The transport takes a frame when flow control lets its last byte go. A stream is over its bound when the frame
    handed over has been left for `stalled_s` seconds, and it, the answers behind it and the live envelopes that
    arrived meanwhile are more than `bound_bytes`. The time is there for a client that reads: one publish can bring
    more than the bound at once.
    """

    bound_bytes = 16 * 1024 * 1024
    stalled_s = 0.5

    def __init__(self) -> None:
        self._answers: deque[bytes] = deque()
        self._answer_bytes = 0
        self._handed_bytes = 0
        self._handed_at: float | None = None
        self._arrived_bytes = 0

    def push(self, frame: bytes) -> None:
        """Queue an answer."""
        self._answers.append(frame)
        self._answer_bytes += len(frame)

    def has_answers(self) -> bool:
        """Whether an answer waits."""
        return bool(self._answers)

    def pop(self) -> bytes | None:
        """Return the next answer."""
        if not self._answers:
            return None
        frame = self._answers.popleft()
        self._answer_bytes -= len(frame)
        return frame

    def handed(self, length: int, now: float) -> None:
        """Note that a frame of `length` bytes was handed to the transport."""
        self._handed_bytes, self._handed_at, self._arrived_bytes = length, now, 0

    def taken(self) -> None:
        """Note that the transport has taken it."""
        self._handed_bytes, self._handed_at, self._arrived_bytes = 0, None, 0

    def arrived(self, length: int) -> None:
        """Note a live envelope of `length` bytes that the stream owes."""
        if self._handed_at is not None:
            self._arrived_bytes += length

    def held(self) -> int:
        """Bytes handed over and not taken, queued, or owed behind them."""
        return self._handed_bytes + self._answer_bytes + self._arrived_bytes

    def is_stalled(self, now: float) -> bool:
        """Whether the frame handed over has been left for longer than a client that reads leaves it."""
        return self._handed_at is not None and now - self._handed_at >= self.stalled_s

    def is_over(self, now: float) -> bool:
        """Whether the client has stopped reading and the bound is passed."""
        return self.is_stalled(now) and self.held() > self.bound_bytes
