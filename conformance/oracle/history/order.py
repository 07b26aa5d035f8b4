"""A publish invoked after an envelope was seen gets greater ids (API-289; invariant H3).

The bound of a value is what had been seen when its first attempt was invoked: an earlier attempt, even one that
seemed to fail, may have taken its id before that (V38).
"""

from __future__ import annotations

from conformance.oracle.history.events import Publish
from conformance.oracle.history.known import Known
from conformance.oracle.history.records import NOTHING, Floor, Sighting, Value


def seen(known: Known, endpoint: str, highest: int, number: int) -> None:
    """Take note of the highest id that operation `number` showed at an endpoint."""
    if highest > known.highest.id:
        known.highest = Sighting(highest, number)
    if highest > known.highest_at.get(endpoint, NOTHING).id:
        known.highest_at[endpoint] = Sighting(highest, number)


def floor(known: Known, publish: Publish, topic: bytes) -> Floor:
    """Give what a new envelope on `topic` of a publish that is invoked now must lie above."""
    elsewhere = NOTHING
    for endpoint, sighting in known.highest_at.items():
        if endpoint != publish.endpoint and sighting.id > elsewhere.id:
            elsewhere = sighting
    return Floor(known.highest, known.topic(topic).highest, elsewhere)


def below_the_floor(known: Known, value: Value, number: int, *, by: int) -> None:
    """Report that operation `by` showed a value under an id `number` that is not above all seen before it."""
    first = known.publish(value.attempts[0])
    several = ("API-289.e",) if len(first.sent) > 1 else ()
    floors = {
        "API-289.a": value.floor.topic,
        "API-289.b": value.floor.anywhere if value.floor.anywhere.id != value.floor.topic.id else NOTHING,
        "API-289.c": value.floor.elsewhere if _one_endpoint(known, value) else NOTHING,
    }
    for clause, lower in floors.items():
        if number <= lower.id:
            known.report(
                "H3",
                (clause, *several),
                "id-not-above",
                f"A publish that began after id {lower.id} had been seen got id {number}.",
                by=(lower.by, value.attempts[0], by),
                topic=value.topic,
                ids=(number, lower.id),
            )


def _one_endpoint(known: Known, value: Value) -> bool:
    return len({known.operation(each).endpoint for each in value.attempts}) == 1
