"""The publishes that carried a value, from invocation to answer: what each outcome settles about the value."""

from __future__ import annotations

from conformance.oracle.history import closed_world, order
from conformance.oracle.history.events import Outcome, Publish
from conformance.oracle.history.known import Known
from conformance.oracle.history.own_writes import confirm
from conformance.oracle.history.records import NOTHING, Floor, Value


def invoked(known: Known, publish: Publish, number: int) -> None:
    """Take note of an attempt to store its values, which is under way from now on."""
    floors: dict[bytes, Floor] = {}
    for sent in publish.sent:
        value = known.values.get(sent.digest)
        if value is None:
            if sent.topic not in floors:
                floors[sent.topic] = order.floor(known, publish, sent.topic)
            value = known.values[sent.digest] = Value(sent.topic, floors[sent.topic])
        elif number in value.running:
            continue
        value.attempts += (number,)
        value.running += (number,)


def ended(known: Known, publish: Publish, number: int) -> None:
    """Take note of how an attempt ended, after its receipts: they may confirm values, or a refusal may forbid them."""
    for digest in {sent.digest: None for sent in publish.sent}:
        value = known.values[digest]
        value.running = _without(value.running, number)
        if publish.outcome is Outcome.REFUSED:
            value.refused += (number,)
        elif publish.outcome is Outcome.UNKNOWN:
            value.unknown += (number,)
        elif value.candidates is None:
            value.candidates = value.running + value.unknown
        if value.suspects is not None:
            closed_world.settle(known, value, publish.outcome, number)
        if value.candidates is None or publish.outcome is Outcome.UNKNOWN:
            continue
        value.candidates = _without(value.candidates, number)
        if not value.candidates and value.claimed is not NOTHING:
            confirm(known, value, at_ns=publish.completed_ns)


def _without(numbers: tuple[int, ...], number: int) -> tuple[int, ...]:
    if numbers == (number,):
        return ()
    return tuple(each for each in numbers if each != number) if number in numbers else numbers
