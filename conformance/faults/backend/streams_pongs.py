"""Faults in Pongs: those a stream sends, those it takes, and how long it waits for one (API-256, API-257)."""

from __future__ import annotations

from conformance.faults.backend.streams_parts import faults, streaming
from conformance.faults.registry import Variant
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.streams.keepalive import Challenge
from conformance.reference.backend.streams.subscribe import SubscribeStream

LOW_HALF = (1 << 32) - 1


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


VARIANTS: tuple[Variant, ...] = (
    *faults(
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
)
