"""One envelope in all the answers that show it (API-288, 211, 212.c, 212.h; invariant H2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from conformance.oracle.metadata import HASH_BYTES, complete, same_receipt
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


def same_field(name: str, receipt: Meta, sightings: Iterable[Meta], *, where: str) -> None:
    """Judge that one field of the metadata is the same in every sighting of an envelope as in its receipt (API-288).

    For clauses about one field: which sightings are of this envelope has to be known otherwise, as on a topic that
    holds nothing else. `where` names the answers. Reason: the name of the field with `-differs`.
    """
    expected = getattr(receipt, name)
    for meta in sightings:
        found = getattr(meta, name)
        if found != expected:
            raise Violation(
                f"{name.replace('_', '-')}-differs",
                f"{where} shows another {name} for an envelope than its receipt.",
                witness={"receipt": expected, "shown": found, "envelope": receipt},
            )


def one_hash(receipt: Meta, sightings: Iterable[Meta], *, where: str) -> None:
    """Judge that the hash of an envelope can be a SHA-256 and is the same wherever it is shown (API-211.b).

    The stored bytes are not visible, so any 32 bytes will do (V11). Reasons: `hash-length`, `message-hash-differs`.
    """
    if len(receipt.message_hash) != HASH_BYTES:
        raise Violation(
            "hash-length",
            f"A receipt carries a message hash of {len(receipt.message_hash)} bytes; SHA-256 has {HASH_BYTES}.",
            witness={"hash": receipt.message_hash, "envelope": receipt},
        )
    same_field("message_hash", receipt, sightings, where=where)


def same_payload_everywhere(sent: bytes, sightings: Iterable[Seen]) -> None:
    """Judge that every sighting that carries the envelope carries the value that was sent, and that one does (API-211).

    `sightings` as in `agree_everywhere`. Reasons: `lost`, and those of `payload.same_payload`.
    """
    carrying = [seen for seen in sightings if seen.envelope is not None]
    if not carrying:
        raise Violation("lost", "No read returns an envelope that was published.", witness={"envelope": sent})
    for seen in carrying:
        same_payload(sent, seen.envelope or b"", where=seen.source)


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
