"""Faults in why and how a stream ends (API-259)."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.faults.backend.streams_parts import faults, streaming
from conformance.faults.registry import Variant
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.streams.frames import Target
from conformance.reference.backend.streams.static import StaticStream
from conformance.reference.backend.streams.stream import EndOfStream
from conformance.reference.backend.streams.subscribe import SubscribeStream
from conformance.reference.backend.streams.subscription import Registration

PATIENCE_S = 1.0


class NoUseForIt(SubscribeStream):
    """Ends, in order, when it has had no topic for a while."""

    without_since: float | None = None

    def check_client(self, now: float) -> None:
        """Look whether there is a topic."""
        super().check_client(now)
        if self.parts.subscription.registered:
            self.without_since = None
        elif self.without_since is None:
            self.without_since = now
        elif now > self.without_since + PATIENCE_S:
            raise EndOfStream


class TooIdle(SubscribeStream):
    """Fails when it has had no topic for a while."""

    opened_at: float | None = None

    def check_client(self, now: float) -> None:
        """Look whether there is a topic."""
        super().check_client(now)
        self.opened_at = self.opened_at or now
        if not self.parts.subscription.registered and now > self.opened_at + PATIENCE_S:
            raise Failure(Code.DEADLINE_EXCEEDED, "the stream is idle")


class CaughtUp(StaticStream):
    """Ends, in order, when there is nothing more to deliver."""

    def check_client(self, now: float) -> None:
        """End in the first silence."""
        super().check_client(now)
        if now >= self.sign_of_life_at():
            raise EndOfStream


class Deaf(SubscribeStream):
    """Fails when its client ends the requests with a Ping open."""

    def on_half_close(self) -> None:
        """Miss the Pong."""
        if self.challenge.is_open:
            self.fail(Failure(Code.UNAVAILABLE, "the client left with a Ping open"))
        else:
            super().on_half_close()


class WaitsForThePong(SubscribeStream):
    """Does not notice the end of the requests."""

    def on_half_close(self) -> None:
        """Wait until the next Pong is missed."""


class Broken(SubscribeStream):
    """Takes the end of the requests for a broken call while the last topics are new."""

    added_at = 0.0

    def register(self, added: Sequence[Registration]) -> list[Target]:
        """Note when topics were added."""
        self.added_at = self.clock() if added else self.added_at
        return super().register(added)

    def on_half_close(self) -> None:
        """Cancel what is going on."""
        if self.clock() < self.added_at + PATIENCE_S:
            self.fail(Failure(Code.CANCELLED, "the client is gone"))
        else:
            super().on_half_close()


class DeliversOn(SubscribeStream):
    """Takes the end of the requests for a wish to receive on, where there is a topic."""

    def on_half_close(self) -> None:
        """End only a stream that has no topic."""
        if not self.parts.subscription.registered:
            super().on_half_close()


VARIANTS: tuple[Variant, ...] = (
    *faults(
        ("B180", "a stream without topics ends after a second", "259.a", streaming(subscribe_class=NoUseForIt)),
        ("B695", "a stream without topics is idle after a second", "259.a", streaming(subscribe_class=TooIdle)),
        ("B181", "a half-close with a Ping open ends UNAVAILABLE", "259.b", streaming(subscribe_class=Deaf)),
        ("B182", "a half-close waits for the missed Pong", "259.b 259.c", streaming(subscribe_class=WaitsForThePong)),
        ("B696", "a half-close just behind an add ends CANCELLED", "259.b", streaming(subscribe_class=Broken)),
        ("B697", "a stream with topics outlives a half-close", "259.b 259.c", streaming(subscribe_class=DeliversOn)),
        ("B184", "a static stream ends once it has caught up", "259.d", streaming(static_class=CaughtUp)),
    ),
)
