"""Liveness (H7): a stream that shows signs of life delivers what was published, within a time; and it breaks silence.

Only times of this side's one clock are compared. Every threshold is a parameter: the contract names none.
"""

from __future__ import annotations

from conformance.oracle.frames.excerpt import violation
from conformance.oracle.frames.facts import Finding, Known
from conformance.oracle.frames.reading import REQUESTS, Ping, PongSent, Reading, Started
from conformance.oracle.frames.registrations import Registration, walk
from conformance.wire.transcript import StreamCall

_NS_PER_MS = 1_000_000


def delivered_in_time(call: StreamCall, known: Known, *, patience_ns: int) -> None:
    """Judge that nothing confirmed is missing `patience_ns` after its receipt and its registration (H7).

    A frame that came later than that is the sign of life without which nothing is judged, and the envelope must not
    be missing at that frame. Raises a Violation of reason `liveness`.
    """
    reading = Reading(call)
    for registration in walk(reading).registrations:
        late = _late(reading, registration, known, patience_ns)
        if late is not None:
            raise violation(late, reading)


def silence_broken(call: StreamCall, *, slack_ns: int, until_ns: int | None = None) -> None:
    """Judge that no more than twice the announced interval and `slack_ns` passed without a frame (API-255.a, d, e).

    Looked at up to `until_ns`, the end of the stream without it. While a Ping is unanswered a Subscribe stream may be
    silent. Raises a Violation of reason `silent`.
    """
    reading = Reading(call)
    started = next((each for each in reading.responses if isinstance(each, Started)), None)
    if started is None:
        return
    ends = [each for each in (until_ns, call.ended_ns, call.cancelled_ns) if each is not None]
    end_ns = min(ends, default=reading.events[-1].at_ns)
    longest_ns = 2 * started.interval_ms * _NS_PER_MS + slack_ns
    since_ns, place, asked = started.at_ns, started.place, None
    for event in reading.events[started.place + 1 :]:
        if isinstance(event, PongSent) and asked is not None and event.nonce == asked.nonce:
            since_ns, asked = event.at_ns, None
        elif not isinstance(event, REQUESTS):
            _demand_short(reading, place, since_ns, min(event.at_ns, end_ns), longest_ns, quiet=asked is not None)
            since_ns, place = event.at_ns, event.place
            asked = event if isinstance(event, Ping) else asked
    _demand_short(reading, place, since_ns, end_ns, longest_ns, quiet=asked is not None)


def _demand_short(reading: Reading, place: int, since_ns: int, now_ns: int, longest_ns: int, *, quiet: bool) -> None:
    if not quiet and now_ns - since_ns > longest_ns:
        raise violation(
            Finding(
                about=("API-255.a",),
                reason="silent",
                sentence=f"Nothing came for {(now_ns - since_ns) / 1e6:.0f} ms; {longest_ns / 1e6:.0f} are allowed.",
                places=(place,),
            ),
            reading,
        )


def _late(reading: Reading, registration: Registration, known: Known, patience_ns: int) -> Finding | None:
    for receipt in known.receipts:
        number = receipt.meta.sequence_id
        if receipt.meta.topic != registration.topic or number <= registration.cursor or number in known.expired:
            continue
        due_ns = max(receipt.received_ns, registration.at_ns) + patience_ns
        sign = next((each for each in reading.responses if each.at_ns > due_ns), None)
        if sign is None or (registration.removal is not None and registration.removal < sign.place):
            continue
        if not any(each.meta.sequence_id == number and each.place <= sign.place for each in registration.deliveries):
            return Finding(
                about=("API-254",),
                reason="liveness",
                sentence=f"Id {number} had not been delivered {patience_ns / 1e9:g} s after its receipt; "
                "the stream was alive.",
                places=(registration.requested, registration.place, sign.place),
                facts={"topic": registration.topic},
            )
    return None
