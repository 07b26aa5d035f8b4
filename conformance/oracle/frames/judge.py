"""All rules over one recorded stream, and the Violation a test raises."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.oracle.frames.acknowledgements import acknowledgements
from conformance.oracle.frames.deliveries import holes, orders, sightings, strays
from conformance.oracle.frames.ending import ending
from conformance.oracle.frames.excerpt import violation
from conformance.oracle.frames.facts import Finding, Known
from conformance.oracle.frames.fairness import fairness, shared_history, unfair_later
from conformance.oracle.frames.opening import opening
from conformance.oracle.frames.pings import open_pings, pongs, pongs_in_order, unanswered_pings
from conformance.oracle.frames.reading import Reading, Strange
from conformance.oracle.frames.registrations import Walked, walk
from conformance.oracle.frames.targets import targets
from conformance.wire.transcript import Code, StreamCall

NOTHING_KNOWN = Known()


def findings(call: StreamCall, known: Known = NOTHING_KNOWN) -> tuple[Finding, ...]:
    """List everything in a stream that contradicts the contract, whether it has ended or still runs."""
    reading = Reading(call)
    return tuple(_all(reading, walk(reading), known))


def judge(call: StreamCall, known: Known = NOTHING_KNOWN, *about: str) -> None:
    """Judge a stream by the clauses (`API-253.c`), requirements or reasons named; by all rules when none is.

    Raises a Violation of the finding that the fewest and earliest frames prove.
    """
    reading = Reading(call)
    found = [each for each in _all(reading, walk(reading), known) if each.concerns(*about)]
    if found:
        least = min(found, key=lambda each: (len(each.places), max(each.places, default=0)))
        raise violation(least, reading, alike=sum(each.reason == least.reason for each in found))


def notes(call: StreamCall, known: Known = NOTHING_KNOWN) -> tuple[str, ...]:
    """List what is worth telling of a stream and decides nothing, one sentence each."""
    reading = Reading(call)
    walked = walk(reading)
    return tuple(dict.fromkeys(_notes(reading, walked, known)))


def caught_up_together(call: StreamCall) -> bool:
    """Tell whether two topics or more took several frames to catch up; without that a stream cannot be unfair."""
    return shared_history(walk(Reading(call)))


def _all(reading: Reading, walked: Walked, known: Known) -> Iterator[Finding]:
    yield from _unreadable(reading)
    yield from opening(reading, walked)
    yield from acknowledgements(reading, walked)
    yield from targets(reading, walked, known)
    yield from strays(walked, static=reading.static)
    yield from orders(walked)
    yield from holes(walked, known)
    yield from sightings(walked, known)
    yield from fairness(walked, known)
    yield from open_pings(reading)
    yield from pongs(reading)
    yield from ending(reading, walked, known)


def _unreadable(reading: Reading) -> Iterator[Finding]:
    for each in reading.responses:
        if isinstance(each, Strange) and not each.readable:
            yield Finding(
                about=("API-210",),
                reason="bad-frame",
                sentence="A frame of a stream is no message of it at all.",
                places=(each.place,),
                facts={"bytes": reading.call.frames[each.place].data},
            )


def _notes(reading: Reading, walked: Walked, known: Known) -> Iterator[str]:
    status = reading.call.status
    if status is not None and status.code is Code.OK and not status.local:
        if walked.unanswered:
            yield "Updates sent shortly before the client ended its requests got no Applied; the stream ended OK."
        if unanswered_pings(reading):
            yield "Pings sent shortly before the client ended its requests got no Pong; the stream ended OK."
        if walked.problems:
            yield "An invalid request frame shortly before the end of the requests did not fail the stream."
    if any(isinstance(each, Strange) and each.readable for each in reading.responses):
        yield "The stream has a frame with none of the members of its type set."
    if not pongs_in_order(reading):
        yield "Pongs came in another order than their Pings had been sent in."
    yield from unfair_later(walked, known)
