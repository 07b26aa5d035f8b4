"""How many Update and Ping frames a client may send on one stream (API-258). Instants are monotonic seconds."""

from __future__ import annotations

from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.settings import Limits


class TokenBucket:
    """Holds at most `burst` tokens and gains `rate` a second, evenly."""

    def __init__(self, *, rate: int, burst: int, now: float) -> None:
        self.rate = rate
        self.burst = burst
        self._tokens = float(burst)
        self._at = now

    def take(self, now: float) -> bool:
        """Take one token and return whether there was one."""
        self._tokens = min(float(self.burst), self._tokens + (now - self._at) * self.rate)
        self._at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class Buckets:
    """The buckets of one stream; a Pong has none, because it answers the backend's own Ping."""

    def __init__(self, limits: Limits, now: float) -> None:
        self.updates = TokenBucket(rate=limits.max_update_frames_per_second, burst=limits.max_update_burst, now=now)
        self.pings = TokenBucket(rate=limits.max_ping_frames_per_second, burst=limits.max_ping_burst, now=now)

    def update(self, now: float) -> None:
        """Admit one Update frame, valid or not; RESOURCE_EXHAUSTED when its bucket is empty."""
        if not self.updates.take(now):
            raise Failure(Code.RESOURCE_EXHAUSTED, "more Update frames than the stream may send")

    def ping(self, now: float) -> None:
        """Admit one Ping frame; RESOURCE_EXHAUSTED when its bucket is empty."""
        if not self.pings.take(now):
            raise Failure(Code.RESOURCE_EXHAUSTED, "more Ping frames than the stream may send")
