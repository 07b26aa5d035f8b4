"""Faults in how streams show that they live, and ask their clients to (API-255 to API-257)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from conformance.faults.backend.streams_parts import faults, streaming, variation
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import SubscribeResponse
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.streams.keepalive import Challenge, Idle
from conformance.reference.backend.streams.static import StaticStream
from conformance.reference.backend.streams.stream import Stream
from conformance.reference.backend.streams.subscribe import SubscribeStream

LOW_HALF = (1 << 32) - 1


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


class AnyPong(Challenge):
    """Takes any Pong for the answer."""

    def answer(self, nonce: int) -> None:
        """Do not compare."""
        super().answer(self.last_nonce)


class HalfANonce(Challenge):
    """Compares the low half of a nonce."""

    def answer(self, nonce: int) -> None:
        """Compare 32 bits."""
        super().answer(self.last_nonce if nonce & LOW_HALF == self.last_nonce else nonce)


class AnyNonceSoFar(Challenge):
    """Takes the nonce of any Ping so far for the answer."""

    def answer(self, nonce: int) -> None:
        """Accept earlier nonces."""
        super().answer(self.last_nonce if 0 < nonce <= self.last_nonce else nonce)


class AnyFrame(SubscribeStream):
    """Takes any frame of the client for the answer."""

    def on_request(self, request: bytes) -> None:
        """Close the challenge first."""
        with self.changed:
            self.challenge.answer(self.challenge.last_nonce)
        super().on_request(request)


class OtherStatus(SubscribeStream):
    """Ends with another status when the Pong is missed."""

    code = Code.UNAVAILABLE

    def check_pong(self, now: float) -> None:
        """Raise the other status."""
        if self.challenge.is_missed(now):
            raise Failure(self.code, "no Pong")


class Cancelling(OtherStatus):
    """Ends as if the client had cancelled."""

    code = Code.CANCELLED


class Forgiving(SubscribeStream):
    """Never misses a Pong."""

    def check_pong(self, now: float) -> None:
        """Let it pass."""


class Hasty(Challenge):
    """Waits for a third of the configured time."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(wait_s / 3)


class Dawdling(Challenge):
    """Waits for eight times the configured time."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(8 * wait_s)


class OneWait(Challenge):
    """Lets the first wait run on behind its Pong."""

    first: float | None = None

    def taken(self, now: float) -> None:
        """Keep the first deadline."""
        super().taken(now)
        self.first = self.first or self._deadline

    def answer(self, nonce: int) -> None:
        """Close the challenge, but not its wait."""
        super().answer(nonce)
        self._deadline = self.first


class OnlyTheFirst(Challenge):
    """Knows the nonce of its first Ping only."""

    def answer(self, nonce: int) -> None:
        """Compare with the first nonce."""
        super().answer(nonce if self.last_nonce == 1 else -1)


class OwnCounter(SubscribeStream):
    """Counts its Pongs."""

    count = 0

    def on_ping(self, nonce: int) -> None:
        """Answer with the next number."""
        self.count += 1
        super().on_ping(self.count)


class HalfAnEcho(SubscribeStream):
    """Echoes the low half of a nonce."""

    def on_ping(self, nonce: int) -> None:
        """Cut the nonce."""
        super().on_ping(nonce & LOW_HALF)


class AnswersOnce(SubscribeStream):
    """Answers each nonce once."""

    def __init__(self, **parts: object) -> None:
        super().__init__(**parts)  # type: ignore[arg-type]  # handed on as they came
        self.answered: set[int] = set()

    def on_ping(self, nonce: int) -> None:
        """Leave a nonce that came before without an answer."""
        if nonce not in self.answered:
            self.answered.add(nonce)
            super().on_ping(nonce)


class AnswersTheNextOne(SubscribeStream):
    """Answers a Ping when the next one comes."""

    waiting: int | None = None

    def on_ping(self, nonce: int) -> None:
        """Answer the one before."""
        self.waiting, answer = nonce, self.waiting
        if answer is not None:
            super().on_ping(answer)


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
        ("B171", "Pongs are counted instead of echoed", "256.a", streaming(subscribe_class=OwnCounter)),
        ("B673", "a Pong has 32 bits of its nonce", "256.a", streaming(subscribe_class=HalfAnEcho)),
        ("B674", "equal nonces get one Pong", "256.a", streaming(subscribe_class=AnswersOnce)),
        ("B675", "the last Ping has to wait for another one", "256.a", streaming(subscribe_class=AnswersTheNextOne)),
        ("B173", "any Pong is the right one", "257.a", streaming(challenge_class=AnyPong)),
        ("B676", "any frame of the client is the Pong", "255.c 257.a", streaming(subscribe_class=AnyFrame)),
        ("B677", "32 bits of the nonce of a Pong are compared", "257.a", streaming(challenge_class=HalfANonce)),
        ("B678", "the nonce of an earlier Ping will do", "257.a", streaming(challenge_class=AnyNonceSoFar)),
        ("B174", "a missed Pong ends UNAVAILABLE", "257.a 257.a1", streaming(subscribe_class=OtherStatus)),
        ("B679", "a missed Pong ends CANCELLED", "257.a 257.a1", streaming(subscribe_class=Cancelling)),
        ("B680", "a missed Pong does not matter", "257.a 257.a1", streaming(subscribe_class=Forgiving)),
        ("B681", "the wait for a Pong is a third of the configured one", "257.a1", streaming(challenge_class=Hasty)),
        (
            "B682",
            "the wait for a Pong is eight times the configured one",
            "257.a1",
            streaming(challenge_class=Dawdling),
        ),
        ("B683", "the first wait for a Pong runs on behind it", "257.b 259.a", streaming(challenge_class=OneWait)),
        ("B684", "only the Pong to the first Ping counts", "257.b 259.a", streaming(challenge_class=OnlyTheFirst)),
    ),
    variation("V18", "signs of life come at a quarter of the interval", ALL, streaming(idle_class=Eager)),
    variation(
        "V45",
        "a Messages frame without envelopes comes behind every frame",
        ALL,
        streaming(static_class=StaticEmptyBehind, subscribe_class=SubscribeEmptyBehind),
    ),
)
