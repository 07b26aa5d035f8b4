"""When an idle stream must show that it lives, and when its client must (API-255, API-257).

Instants are monotonic seconds.
"""

from __future__ import annotations


class Idle:
    """How long a stream has sent nothing; what the client sends does not count."""

    def __init__(self, interval_s: float, now: float) -> None:
        self.interval_s = interval_s
        self._sent_at = now

    def sent(self, now: float) -> None:
        """Note that a frame was sent."""
        self._sent_at = now

    def due_at(self) -> float:
        """Return the instant of the next sign of life."""
        return self._sent_at + self.interval_s


class Challenge:
    """The Ping that waits for its Pong: one at a time, with nonces that count up from 1.

    The wait begins when the transport has taken the Ping: before that the client cannot have seen it.
    """

    def __init__(self, wait_s: float) -> None:
        self.wait_s = wait_s
        self.last_nonce = 0
        self.is_open = False
        self._deadline: float | None = None

    def ask(self) -> int:
        """Open a challenge and return its nonce."""
        self.last_nonce += 1
        self.is_open, self._deadline = True, None
        return self.last_nonce

    def taken(self, now: float) -> None:
        """Note that the transport has taken the frame sent last; the Ping is that frame when its wait has not begun."""
        if self.is_open and self._deadline is None:
            self._deadline = now + self.wait_s

    def answer(self, nonce: int) -> None:
        """Take a Pong: only the nonce of the open challenge answers it."""
        if self.is_open and nonce == self.last_nonce:
            self.is_open, self._deadline = False, None

    def due_at(self) -> float | None:
        """Return the instant at which the answer is missed; None while no answer is waited for."""
        return self._deadline

    def is_missed(self, now: float) -> bool:
        """Whether the wait has passed without the right Pong."""
        return self._deadline is not None and now >= self._deadline
