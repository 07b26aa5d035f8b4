"""Faults and variations of how streams show that they live (API-255)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from conformance.faults.backend.streams_parts import faults, streaming, variation
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import SubscribeResponse
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.streams.keepalive import Idle
from conformance.reference.backend.streams.static import StaticStream
from conformance.reference.backend.streams.stream import Stream
from conformance.reference.backend.streams.subscribe import SubscribeStream


class Mute(Idle):
    """Is never idle."""

    def due_at(self) -> float:
        """Return an instant that never comes."""
        return math.inf


class AsleepAtFirst(SubscribeStream):
    """Watches its silence only from the first envelope on."""

    has_sent = False

    def send(self, frame: bytes) -> Iterator[bytes]:
        """Note the first Messages frame."""
        self.has_sent = self.has_sent or SubscribeResponse.FromString(frame).HasField("messages")
        return super().send(frame)

    def sign_of_life_at(self) -> float:
        """Return an instant that never comes before that."""
        return super().sign_of_life_at() if self.has_sent else math.inf


class ContentWithPongs(SubscribeStream):
    """Takes what comes from the client for traffic on its own side."""

    def on_pong(self, nonce: int) -> None:
        """Put the next Ping off."""
        super().on_pong(nonce)
        with self.changed:
            self.parts.idle.sent(self.clock())


class Impatient(SubscribeStream):
    """Sends a Ping in each silence, whether or not one is open."""

    def sign_of_life_at(self) -> float:
        """Look at the silence only."""
        return Stream.sign_of_life_at(self)


class AsksItsClient(StaticStream):
    """Expects an answer to its Keepalive, which no client can give."""

    asked_at = math.inf

    def sign_of_life(self) -> bytes:
        """Begin to wait."""
        self.asked_at = min(self.asked_at, self.clock())
        return super().sign_of_life()

    def check_client(self, now: float) -> None:
        """Fail when no answer came within two intervals."""
        if now > self.asked_at + 2 * self.parts.idle.interval_s:
            raise Failure(Code.DEADLINE_EXCEEDED, "no answer to a Keepalive")


class Pinging(StaticStream):
    """Sends a Ping, as on the other kind of stream, before each Keepalive but the first."""

    turn = 0

    def sign_of_life(self) -> bytes:
        """Take turns."""
        self.turn += 1
        return (
            super().sign_of_life()
            if self.turn % 2
            else SubscribeResponse(ping={"nonce": self.turn}).SerializeToString()
        )


class Eager(Idle):
    """Shows that it lives far more often than announced, whatever else is sent (V18)."""

    _next_at = 0.0

    def due_at(self) -> float:
        """Return the next of instants a quarter of an interval apart."""
        return self._next_at

    def sent(self, now: float) -> None:
        """Count on from the last sign of life."""
        super().sent(now)
        if now >= self._next_at:
            self._next_at = now + self.interval_s / 4


class EmptyBehind(Stream):
    """Sends a Messages frame without envelopes behind every other frame (V45)."""

    owed = False

    def next_frame(self) -> bytes:
        """Take turns."""
        self.owed = not self.owed
        return self.frames.messages(self.frames.begin_messages()) if self.owed else super().next_frame()


class StaticEmptyBehind(EmptyBehind, StaticStream):
    """The same on a static stream."""


class SubscribeEmptyBehind(EmptyBehind, SubscribeStream):
    """The same on a Subscribe stream."""


ALL = (
    "255.a 255.b 255.c 255.d 255.e 256.a 257.a 257.a1 257.b 258.a 258.b 258.c 258.d 259.a 259.b 259.c 259.d 260.a 260.b"
    " 260.c 260.d 261.a 281.c 281.g 281.h 281.i 281.k 281.l 281.n"
)

VARIANTS: tuple[Variant, ...] = (
    *faults(
        ("B167", "no stream ever shows that it lives", "255.a", streaming(idle_class=Mute)),
        ("B670", "silence counts from the first envelope on only", "255.a", streaming(subscribe_class=AsleepAtFirst)),
        ("B671", "a Pong of the client puts the next Ping off", "255.e", streaming(subscribe_class=ContentWithPongs)),
        ("B168", "a Ping is sent in each silence, open or not", "255.c", streaming(subscribe_class=Impatient)),
        (
            "B169",
            "a static stream is closed for a missing answer",
            "255.d 259.d",
            streaming(static_class=AsksItsClient),
        ),
        ("B672", "a static stream sends Pings as well", "255.d", streaming(static_class=Pinging)),
    ),
    variation("V18", "signs of life come at a quarter of the interval", ALL, streaming(idle_class=Eager)),
    variation(
        "V45",
        "a Messages frame without envelopes comes behind every frame",
        ALL,
        streaming(static_class=StaticEmptyBehind, subscribe_class=SubscribeEmptyBehind),
    ),
)
