"""Ping and Pong: at most one Ping of the backend open, and each Ping of the client answered once (API-255.c, 256.a)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from conformance.oracle.frames.facts import Finding
from conformance.oracle.frames.reading import Ping, PingSent, Pong, PongSent, Reading


def open_pings(reading: Reading) -> Iterator[Finding]:
    """Find a Ping of the backend that came before the Pong to an earlier one had been sent. Reason: `second-ping`."""
    waiting: Ping | None = None
    for event in reading.events:
        if isinstance(event, Ping):
            if waiting is not None:
                yield Finding(
                    about=("API-255.c", "API-257"),
                    reason="second-ping",
                    sentence=f"A second Ping came while the Ping {waiting.nonce} had no Pong.",
                    places=(waiting.place, event.place),
                )
            waiting = event
        elif isinstance(event, PongSent) and waiting is not None and event.nonce == waiting.nonce:
            waiting = None


def pongs(reading: Reading) -> Iterator[Finding]:
    """Find a Pong whose nonce no unanswered Ping of the client carries. Reasons: `wrong-nonce`, `unasked-pong`."""
    open_ = Counter[int]()
    places: dict[int, int] = {}
    for event in reading.events:
        if isinstance(event, PingSent):
            open_[event.nonce] += 1
            places[event.nonce] = event.place
        elif isinstance(event, Pong):
            if open_[event.nonce] > 0:
                open_[event.nonce] -= 1
                continue
            waiting = [places[nonce] for nonce, count in open_.items() if count > 0]
            yield Finding(
                about=("API-256.a",),
                reason="wrong-nonce" if waiting else "unasked-pong",
                sentence=f"A Pong carries the nonce {event.nonce}, which no unanswered Ping has.",
                places=(*waiting[:1], event.place),
            )


def unanswered_pings(reading: Reading) -> int:
    """Count the Pings of the client that got no Pong."""
    asked = Counter(each.nonce for each in reading.requests if isinstance(each, PingSent))
    return (asked - Counter(each.nonce for each in reading.responses if isinstance(each, Pong))).total()


def pongs_in_order(reading: Reading) -> bool:
    """Tell whether the Pongs came in the order of their Pings, which the contract does not ask for."""
    asked = [each.nonce for each in reading.requests if isinstance(each, PingSent)]
    given = [each.nonce for each in reading.responses if isinstance(each, Pong)]
    return given == asked[: len(given)]
