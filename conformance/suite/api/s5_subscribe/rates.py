"""The two buckets of a Subscribe stream, and what a stream may have let through (API-258).

When a frame reached the backend is not known: no sooner than it was sent, no later than it was answered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from conformance.oracle.frames.reading import Applied, PingSent, Pong, Reading, Update
from conformance.oracle.violation import Violation
from conformance.suite.api.s5_subscribe.endings import ended
from conformance.target.errors import Undecided
from conformance.wire.transcript import Code

if TYPE_CHECKING:
    from conformance.target.limits import Limits
    from conformance.target.streams import Stream, Subscription
    from conformance.wire.transcript import StreamCall

_SECOND_NS = 1_000_000_000
STEP_S = 1.0
_LOOK_S = 0.1
_LOOKS = 100


@dataclass(frozen=True, kw_only=True)
class Bucket:
    """One kind of frame, its published limits, and how it is sent and answered: by a number that is its own."""

    name: str
    rate: Callable[[Limits], int]
    burst: Callable[[Limits], int]
    send: Callable[[Subscription], int]
    answered: Callable[[Subscription, int], object]
    asks: type[PingSent] | type[Update]
    answers: type[Pong] | type[Applied]

    def spend(self, stream: Subscription, count: int) -> list[int]:
        """Send so many frames back to back; return their numbers."""
        return [self.send(stream) for _ in range(count)]

    def spent(self, stream: Subscription, count: int) -> None:
        """Send so many frames back to back and wait for all their answers."""
        for number in self.spend(stream, count):
            self.answered(stream, number)


UPDATES = Bucket(
    name="Updates",
    rate=lambda limits: limits.max_update_frames_per_second,
    burst=lambda limits: limits.max_update_burst,
    send=lambda stream: stream.update(),
    answered=lambda stream, number: stream.applied(number),
    asks=Update,
    answers=Applied,
)
PINGS = Bucket(
    name="Pings",
    rate=lambda limits: limits.max_ping_frames_per_second,
    burst=lambda limits: limits.max_ping_burst,
    send=lambda stream: stream.ping(),
    answered=lambda stream, number: stream.ponged(number),
    asks=PingSent,
    answers=Pong,
)
BUCKETS = (UPDATES, PINGS)
each_bucket = pytest.mark.parametrize("bucket", BUCKETS, ids=lambda bucket: bucket.name)


def exceeded(stream: Subscription, bucket: Bucket, limits: Limits, *, beside: Stream) -> None:
    """Judge a stream that was sent more frames than it may let through: within the rate, and RESOURCE_EXHAUSTED.

    Raises Undecided when it answered so slowly that all of them may have been in time. Reasons: `over-the-rate`,
    `wrong-code`.
    """
    for _ in range(_LOOKS):
        if not stream.watch(_LOOK_S) or all(answer is not None for _, answer in _pairs(stream.call, bucket)):
            break
    within_the_rate(stream.call, bucket, limits)
    if stream.call.status is None:
        raise Undecided(f"The stream answered so slowly that all its {bucket.name} may have been within the rate.")
    ended(stream, beside, Code.RESOURCE_EXHAUSTED)


def within_the_rate(call: StreamCall, bucket: Bucket, limits: Limits) -> None:
    """Judge that in no stretch of time more frames were answered than the burst and the rate times the stretch.

    The stretch from frame to frame is taken as long as it can have been, and a second longer: a bucket may be filled
    in steps. Reason: `over-the-rate`.
    """
    rate, burst = bucket.rate(limits), bucket.burst(limits)
    let_through = [(sent, answer) for sent, answer in _pairs(call, bucket) if answer is not None]
    for first, (sent_ns, _) in enumerate(let_through):
        for count, (_, answered_ns) in enumerate(let_through[first:], start=1):
            longest_s = (answered_ns - sent_ns) / _SECOND_NS
            if count > burst + rate * (longest_s + STEP_S):
                raise Violation(
                    "over-the-rate",
                    f"{count} {bucket.name} were answered within {longest_s:.3f} s; the burst is {burst}, the rate "
                    f"{rate} a second.",
                    witness={"stream": call.number, "endpoint": call.endpoint},
                )


def _pairs(call: StreamCall, bucket: Bucket) -> Sequence[tuple[int, int | None]]:
    """List when each frame of a bucket was sent and when it was answered, in nanoseconds; None for no answer."""
    events = Reading(call).events
    answers = {_number(event): event.at_ns for event in events if isinstance(event, bucket.answers)}
    return [(event.at_ns, answers.get(_number(event))) for event in events if isinstance(event, bucket.asks)]


def _number(event: object) -> int:
    if isinstance(event, Update | Applied):
        return event.id
    if isinstance(event, PingSent | Pong):
        return event.nonce
    raise TypeError("only frames of a bucket have a number here")
