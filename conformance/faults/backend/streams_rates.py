"""Faults in how many frames a stream lets through (API-258)."""

from __future__ import annotations

import math

from conformance.faults.backend.streams_parts import faults, streaming
from conformance.faults.registry import Variant
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.settings import Limits
from conformance.reference.backend.streams.buckets import Buckets, TokenBucket
from conformance.reference.backend.streams.subscribe import SubscribeStream


class NoBucket(TokenBucket):
    """Never runs out."""

    def take(self, now: float) -> bool:
        """Let everything through."""
        del now
        return True


class OneLess(TokenBucket):
    """Holds a token fewer than published."""

    def __init__(self, *, rate: int, burst: int, now: float) -> None:
        super().__init__(rate=rate, burst=burst - 1, now=now)


class TwiceTheBurst(TokenBucket):
    """Holds twice the tokens published."""

    def __init__(self, *, rate: int, burst: int, now: float) -> None:
        super().__init__(rate=rate, burst=2 * burst, now=now)


class NeverFilled(TokenBucket):
    """Is never filled up again."""

    def __init__(self, *, rate: int, burst: int, now: float) -> None:
        super().__init__(rate=0 * rate, burst=burst, now=now)


class FilledPerMinute(TokenBucket):
    """Takes its rate for one a minute."""

    def __init__(self, *, rate: int, burst: int, now: float) -> None:
        super().__init__(rate=rate, burst=burst, now=now)
        self._share = 1 / 60

    def take(self, now: float) -> bool:
        """Gain a sixtieth."""
        self._tokens += (now - self._at) * self.rate * (self._share - 1)
        return super().take(now)


class FixedSeconds(TokenBucket):
    """Counts frames anew in each second from its first one on."""

    def __init__(self, *, rate: int, burst: int, now: float) -> None:
        super().__init__(rate=rate, burst=burst, now=now)
        self._begun = now
        self._counted = (0, 0)

    def take(self, now: float) -> bool:
        """Let a burst through each second."""
        second = math.floor(now - self._begun)
        count = self._counted[1] + 1 if self._counted[0] == second else 1
        self._counted = second, count
        return count <= self.burst


def buckets_of(bucket: type[TokenBucket], *, updates: bool = True, pings: bool = True) -> type[Buckets]:
    """Make the buckets of a stream of which one or both are of another class."""

    class Other(Buckets):
        def __init__(self, limits: Limits, now: float) -> None:
            super().__init__(limits, now)
            if updates:
                self.updates = bucket(rate=self.updates.rate, burst=self.updates.burst, now=now)
            if pings:
                self.pings = bucket(rate=self.pings.rate, burst=self.pings.burst, now=now)

    return Other


class OneForBoth(Buckets):
    """Takes Pings from the bucket of the Updates."""

    def __init__(self, limits: Limits, now: float) -> None:
        super().__init__(limits, now)
        self.pings = self.updates


class OneForAll(Buckets):
    """Shares its buckets with every other stream."""

    shared: Buckets | None = None

    def __init__(self, limits: Limits, now: float) -> None:
        super().__init__(limits, now)
        first = OneForAll.shared = OneForAll.shared or self
        self.updates, self.pings = first.updates, first.pings


class OtherCode(Buckets):
    """Ends with another status when a bucket is empty."""

    def update(self, now: float) -> None:
        """Raise the other status."""
        self.take(self.updates, now)

    def ping(self, now: float) -> None:
        """Raise the other status."""
        self.take(self.pings, now)

    def take(self, bucket: TokenBucket, now: float) -> None:
        """Take a token or fail."""
        if not bucket.take(now):
            raise Failure(Code.INVALID_ARGUMENT, "too many frames")


class Unavailable(OtherCode):
    """Ends as if the backend were overloaded."""

    def take(self, bucket: TokenBucket, now: float) -> None:
        """Take a token or fail."""
        if not bucket.take(now):
            raise Failure(Code.UNAVAILABLE, "too many frames")


class CountsPongs(SubscribeStream):
    """Takes each Pong from the bucket of the Pings."""

    def on_pong(self, nonce: int) -> None:
        """Count the Pong."""
        self.buckets.ping(self.clock())
        super().on_pong(nonce)


class CountsNeedlessPongs(SubscribeStream):
    """Takes each Pong that answers nothing from the bucket of the Updates."""

    def on_pong(self, nonce: int) -> None:
        """Count the Pong."""
        if not self.challenge.is_open or nonce != self.challenge.last_nonce:
            self.buckets.update(self.clock())
        super().on_pong(nonce)


def bucket(kind: type[TokenBucket], *, updates: bool = True, pings: bool = True) -> dict[str, type]:
    """Name the part that other buckets make."""
    return {"buckets_class": buckets_of(kind, updates=updates, pings=pings)}


VARIANTS: tuple[Variant, ...] = (
    *faults(
        ("B176", "no frame is too many", "258.a 258.b 258.c", streaming(**bucket(NoBucket))),
        ("B685", "no Ping is too many", "258.a 258.b 258.c", streaming(**bucket(NoBucket, updates=False))),
        ("B686", "the burst is one frame short", "258.a 258.c 258.d", streaming(**bucket(OneLess))),
        ("B687", "the burst of Updates is twice as large", "258.a", streaming(**bucket(TwiceTheBurst, pings=False))),
        ("B688", "a bucket is never filled up again", "258.b", streaming(**bucket(NeverFilled))),
        ("B689", "a bucket is filled up by the minute", "258.b", streaming(**bucket(FilledPerMinute))),
        ("B177", "frames are counted anew each second", "258.b", streaming(**bucket(FixedSeconds))),
        ("B690", "Updates and Pings share a bucket", "258.c", streaming(buckets_class=OneForBoth)),
        ("B691", "all streams share their buckets", "258.c", streaming(buckets_class=OneForAll)),
        ("B692", "too many frames end INVALID_ARGUMENT", "258.a 258.c", streaming(buckets_class=OtherCode)),
        ("B693", "too many frames end UNAVAILABLE", "258.a 258.c", streaming(buckets_class=Unavailable)),
        ("B179", "a Pong counts as a Ping", "258.d", streaming(subscribe_class=CountsPongs)),
        ("B694", "a needless Pong counts as an Update", "258.d", streaming(subscribe_class=CountsNeedlessPongs)),
    ),
)
