"""Signs of life on streams on which nothing happens: when they come, when they must, and the wait for a Pong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from conformance.oracle.frames import silence_broken
from conformance.oracle.frames.reading import Keepalive, Ping, PingSent, Pong, Reading, Started, Strange
from conformance.oracle.violation import Violation
from conformance.target.errors import Undecided
from conformance.target.streams import StaticSubscription, Subscription

if TYPE_CHECKING:
    from conformance.target.stream_frames import Sign
    from conformance.target.streams import Stream
    from conformance.wire.transcript import Code, StreamCall

# What a busy machine may add to any time, in seconds: the contract names no bound at all.
SLACK_S = 5.0
SECOND_NS = 1_000_000_000
SLACK_NS = int(SLACK_S * SECOND_NS)
_MS_NS = 1_000_000
_EARLY = 0.9


def interval_s(stream: Stream) -> float:
    """Wait for Started and give the announced interval in seconds."""
    return stream.started().interval_ms / 1000


def sign_of_life(stream: Stream, nth: int) -> Sign:
    """Wait for the nth Ping or Keepalive of a stream, whichever its kind has, counted from 1."""
    if isinstance(stream, Subscription):
        return stream.pinged(nth)
    if isinstance(stream, StaticSubscription):
        return stream.kept_alive(nth)
    raise TypeError("there are two kinds of stream")


def shows_that_it_lives(stream: Stream, times: int) -> None:
    """Wait for so many signs of life of a stream and judge that its silences were short enough."""
    sign_of_life(stream, times)
    silence_broken(stream.call, slack_ns=SLACK_NS)


def chatters_until_asked(stream: Subscription) -> None:
    """Send Pongs nobody asked for, three in each interval, until a Ping comes, or must have come."""
    step_s = interval_s(stream) / 3
    for nonce in range(int((2 * interval_s(stream) + SLACK_S) / step_s) + 1):
        if signs(stream.call):
            return
        stream.pong(1 << 40 | nonce)
        stream.watch(step_s)


def signs(call: StreamCall) -> list[Ping | Keepalive]:
    """List the signs of life of a stream."""
    return [event for event in Reading(call).events if isinstance(event, Ping | Keepalive)]


def early_signs(call: StreamCall) -> Iterator[str]:
    """Note signs of life that came well before the announced interval had passed without a frame (V18)."""
    interval_ns, since_ns = 0, 0
    for event in Reading(call).responses:
        if isinstance(event, Started):
            interval_ns = event.interval_ms * _MS_NS
        if isinstance(event, Ping | Keepalive) and event.at_ns - since_ns < _EARLY * interval_ns:
            yield f"{call.rpc} sends signs of life before the announced interval has passed in silence."
        since_ns = event.at_ns


def nothing_but_signs(call: StreamCall) -> None:
    """Judge that whatever came on a static stream on which nothing happened is a Keepalive. Reason: `bad-frame`."""
    for event in Reading(call).responses:
        if isinstance(event, Strange):
            raise Violation(
                "bad-frame",
                "A silent SubscribeStatic stream got a frame that is no Keepalive.",
                witness={"stream": call.number, "bytes": call.frames[event.place].data},
            )


def may_have_ended(stream: Stream, code: Code) -> None:
    """Raise Undecided when a stream has ended with another code than the one its client has provoked."""
    status = stream.call.status
    if status is not None and status.code is not code:
        raise Undecided(f"{stream.call.rpc} ended {status.code.name} while it was watched.")


def waited_for_pong(call: StreamCall, wait_s: float) -> None:
    """Judge how long a stream that has ended waited for the Pong to its first Ping. Reasons: `too-early`, `too-late`.

    The Ping was sent after whatever the client had got an answer to before it: so far back a late look at it cannot
    put it.
    """
    events = Reading(call).events
    ping = next((event for event in events if isinstance(event, Ping)), None)
    if ping is None or call.ended_ns is None:
        raise Undecided(f"{call.rpc} has not ended for a Ping.")
    before = events[: ping.place]
    answered = {event.nonce for event in before if isinstance(event, Pong)}
    asked = [event.at_ns for event in before if isinstance(event, PingSent) and event.nonce in answered]
    sent_ns = max(asked, default=call.started_ns)
    _in_time("too-early", call, (call.ended_ns - sent_ns) / SECOND_NS, wait_s, least=wait_s)
    _in_time("too-late", call, (call.ended_ns - ping.at_ns) / SECOND_NS, wait_s, most=wait_s + SLACK_S)


def _in_time(
    reason: str, call: StreamCall, waited_s: float, wait_s: float, *, least: float = 0.0, most: float = float("inf")
) -> None:
    if not least <= waited_s <= most:
        raise Violation(
            reason,
            f"A stream without a Pong ended after {waited_s:.3f} s; the wait is {wait_s:g} s.",
            witness={"stream": call.number, "endpoint": call.endpoint},
        )
