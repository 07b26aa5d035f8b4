"""Sequence ids over all topics (API-286 to API-289): one id for one envelope, later publishes above what was seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from conformance.oracle.metadata import FIRST_SEQUENCE_ID, LAST_SEQUENCE_ID
from conformance.oracle.violation import Violation
from conformance.wire.transcript import Meta


def in_range(metas: Iterable[Meta]) -> None:
    """Judge that every id lies from 1 to 2^63-1 (API-286). Reason: `id-range`."""
    for meta in metas:
        if not FIRST_SEQUENCE_ID <= meta.sequence_id <= LAST_SEQUENCE_ID:
            raise Violation(
                "id-range",
                f"An envelope carries sequence id {meta.sequence_id}, outside 1 to 2^63-1.",
                witness={"envelope": meta},
            )


def one_id_one_envelope(metas: Iterable[Meta]) -> None:
    """Judge that ids and envelopes belong together one to one, over all topics (API-287, 288; invariant H1).

    An envelope is its topic and hash. Pass any sightings of any call; leave out an envelope that was published again
    after its expiry, which may be stored anew (V46). Reasons: `id-shared`, `stored-twice`.
    """
    by_id: dict[int, Meta] = {}
    by_key: dict[tuple[bytes, bytes], Meta] = {}
    for meta in metas:
        key = (meta.topic, meta.message_hash)
        other = by_id.setdefault(meta.sequence_id, meta)
        if (other.topic, other.message_hash) != key:
            raise Violation(
                "id-shared",
                f"Two different envelopes carry sequence id {meta.sequence_id}.",
                witness={"one": other, "other": meta},
            )
        other = by_key.setdefault(key, meta)
        if other.sequence_id != meta.sequence_id:
            raise Violation(
                "stored-twice",
                f"One envelope carries two sequence ids, {other.sequence_id} and {meta.sequence_id}.",
                witness={"one": other, "other": meta},
            )


def ids_above(new: Sequence[Meta], *, seen: Sequence[Meta]) -> None:
    """Judge that every new envelope of a publish has an id above all seen before it was invoked (API-289; H3).

    `new`: only envelopes no earlier request carried, whatever became of it (V38). `seen`: visible in a read or a
    receipt before the publish began, on any topic. Within `new` any order is lawful (V09). Reason: `id-not-above`.
    """
    if not new or not seen:
        return
    lowest, highest = min(new, key=_id), max(seen, key=_id)
    if lowest.sequence_id <= highest.sequence_id:
        raise Violation(
            "id-not-above",
            f"A publish that began after id {highest.sequence_id} was visible got id {lowest.sequence_id}.",
            witness={"new": lowest, "seen before": highest},
        )


def distinct(metas: Sequence[Meta]) -> None:
    """Judge that envelopes with different values got different ids, and on one topic different hashes (API-211.d).

    Pass the receipts of envelopes no two of which have the same value. Reason: `merged`.
    """
    seen: dict[object, Meta] = {}
    for meta in metas:
        for identity in (meta.sequence_id, (meta.topic, meta.message_hash)):
            other = seen.setdefault(identity, meta)
            if other is not meta:
                raise Violation(
                    "merged",
                    "Two envelopes with different values were taken for one.",
                    witness={"one": other, "other": meta},
                )


def _id(meta: Meta) -> int:
    return meta.sequence_id
