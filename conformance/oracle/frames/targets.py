"""Catch-up targets: an id of their own topic or 0, not below a receipt the client held (API-252.c, 260.b)."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.oracle.frames.deliveries import known_ids
from conformance.oracle.frames.facts import Finding, Known
from conformance.oracle.frames.reading import Reading
from conformance.oracle.frames.registrations import Registration, Walked


def targets(reading: Reading, walked: Walked, known: Known) -> Iterator[Finding]:
    """Find targets that no head of their topic explains (H11, H12).

    Reasons: `foreign-target` (it is an id of another topic), `unknown-target` (no id at all, on closed topics),
    `stale-target` (below a receipt held before the request was sent, where no copy lags).
    """
    by_topic = known_ids(walked, known)
    owner = {number: topic for topic, ids in by_topic.items() for number in ids}
    clause = "API-260.b" if reading.static else "API-252.c"
    for registration in walked.registrations:
        target = registration.target
        if target is None:
            continue
        own = by_topic.get(registration.topic, set())
        if target and target not in own and target in owner:
            yield _finding(
                registration, clause, "foreign-target", f"The target {target} of a topic is an id of another topic."
            )
        elif target and target not in own and registration.topic in known.closed:
            yield _finding(
                registration, clause, "unknown-target", f"The target {target} of a topic is no id of that topic."
            )
        elif not known.lagging:
            yield from _stale(reading, registration, known, clause, target)


def _stale(reading: Reading, registration: Registration, known: Known, clause: str, target: int) -> Iterator[Finding]:
    asked_ns = reading.call.frames[registration.requested].at_ns
    held = [
        receipt.meta.sequence_id
        for receipt in known.receipts
        if receipt.meta.topic == registration.topic
        and receipt.received_ns < asked_ns
        and receipt.meta.sequence_id not in known.expired
    ]
    if max(held, default=0) > target:
        yield _finding(
            registration,
            clause,
            "stale-target",
            f"The target {target} is below id {max(held)}, whose receipt was held before the topic was added.",
        )


def _finding(registration: Registration, clause: str, reason: str, sentence: str) -> Finding:
    return Finding(
        about=(clause,),
        reason=reason,
        sentence=sentence,
        places=(registration.requested, registration.place),
        facts={"topic": registration.topic, "cursor": registration.cursor},
    )
