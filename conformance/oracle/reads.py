"""One envelope in all the answers that show it (API-288.b, 211.a, 212.h; invariant H2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from conformance.oracle.metadata import complete, same_receipt
from conformance.oracle.payload import same_payload
from conformance.oracle.violation import Violation
from conformance.wire.transcript import Meta, Seen


def agree_everywhere(receipt: Meta, sightings: Sequence[Seen], *, sent: bytes | None = None) -> None:
    """Judge that every sighting of an envelope has the metadata of its receipt and, where carried, the payload sent.

    `sightings` are those of this envelope; `sent` its encoding as published. Whether an answer should carry the
    payload at all is judged elsewhere. Tolerated: stored bytes in any encoding (V11). Reasons: those of
    `metadata.complete`, `metadata.same_receipt` and `payload.same_payload`.
    """
    complete(receipt, where="The receipt")
    for seen in sightings:
        complete(seen.meta, where=seen.source)
        same_receipt(receipt, seen.meta, where=seen.source)
        if sent is not None and seen.envelope is not None:
            same_payload(sent, seen.envelope, where=seen.source)


def sightings_of(receipt: Meta, seen: Iterable[Seen]) -> tuple[Seen, ...]:
    """Pick the sightings of a receipt's envelope: same id or same topic and hash, so that a change of one shows."""
    key = (receipt.topic, receipt.message_hash)
    return tuple(
        each
        for each in seen
        if each.meta.sequence_id == receipt.sequence_id or (each.meta.topic, each.meta.message_hash) == key
    )


def shown_by(receipt: Meta, seen: Iterable[Seen], *, source: str) -> tuple[Seen, ...]:
    """Pick the sightings of a receipt's envelope and judge that there is one (API-202, 222.i). Reason: `lost`."""
    found = sightings_of(receipt, seen)
    if not found:
        raise Violation("lost", f"{source} does not show an envelope that has a receipt.", witness={"receipt": receipt})
    return found
