"""What must not be stored (API-220, 222, 230; invariants H8, H9, H10): refused envelopes, second copies, strangers.

Each function takes what complete reads of the topics showed. Envelopes are compared by value, whatever their encoding.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from conformance.oracle.payload import payload_fields
from conformance.oracle.violation import Violation
from conformance.wire.transcript import Meta, Seen

Value = frozenset[tuple[str, bytes | int]]


def value_of(envelope: bytes) -> Value:
    """Give an envelope's value in a form that can be compared and counted; WireError when it is no message."""
    return frozenset(payload_fields(envelope).items())


def nothing_stored(before: Iterable[Seen], after: Iterable[Seen], *, expired: Collection[int] = ()) -> None:
    """Judge that a failed publish changed nothing on its topics (API-220.a, d; 290.b).

    Only where the failure settles it: after INVALID_ARGUMENT and ABORTED, and after OUT_OF_RANGE when the request was
    refused for its length on the wire. Reasons: `stored-despite-failure`, `lost`.
    """
    old = {seen.meta.sequence_id: seen for seen in before}
    new = {seen.meta.sequence_id: seen for seen in after}
    for number in sorted(new.keys() - old.keys()):
        raise Violation(
            "stored-despite-failure",
            "A publish that failed left an envelope behind.",
            witness={"envelope": new[number].meta, "seen by": new[number].source},
        )
    for number in sorted(old.keys() - new.keys() - set(expired)):
        raise Violation("lost", "A publish that failed took an envelope away.", witness={"envelope": old[number].meta})


def closed_world(seen: Iterable[Seen], sent: Mapping[bytes, Iterable[bytes]]) -> None:
    """Judge that every envelope shown is one that somebody sent to that topic (API-220, 211; H9).

    `sent` holds per topic the encoded envelopes of all publishes that may have stored something. Sightings without
    the envelope are judged by their topic only. Reasons: `foreign-topic`, `unknown-envelope`.
    """
    values = {topic: {value_of(envelope) for envelope in envelopes} for topic, envelopes in sent.items()}
    for each in seen:
        if each.meta.topic not in values:
            raise Violation(
                "foreign-topic",
                f"{each.source} shows an envelope on a topic nobody published to.",
                witness={"envelope": each.meta},
            )
        if each.envelope is not None and value_of(each.envelope) not in values[each.meta.topic]:
            raise Violation(
                "unknown-envelope",
                f"{each.source} shows an envelope that nobody sent to its topic.",
                witness={"envelope": each.meta, "bytes": each.envelope},
            )


def never_visible(seen: Iterable[Seen], refused: Iterable[bytes]) -> None:
    """Judge that no envelope is shown that was only ever sent in refused requests (API-220, 223, 232; H10).

    Refused: every request that carried it ended INVALID_ARGUMENT or ABORTED. Reason: `stored-despite-failure`.
    """
    values = {value_of(envelope) for envelope in refused}
    for each in seen:
        if each.envelope is not None and value_of(each.envelope) in values:
            raise Violation(
                "stored-despite-failure",
                f"{each.source} shows an envelope that was refused.",
                witness={"envelope": each.meta},
            )


def one_copy(seen: Iterable[Seen], envelope: bytes) -> None:
    """Judge that one read of a topic shows exactly one copy of an envelope that was published (API-222, 211.c).

    `seen` is one complete read of the topic. Reasons: `stored-twice`, `lost`.
    """
    one_copy_of_each(seen, (envelope,))


def one_copy_of_each(seen: Iterable[Seen], envelopes: Iterable[bytes]) -> None:
    """Judge that reads of several topics show exactly one copy of each envelope that was published (API-222).

    `seen` are complete reads, one of each topic. Reasons: `stored-twice`, `lost`.
    """
    copies: dict[Value, list[Meta]] = {value_of(envelope): [] for envelope in envelopes}
    for each in seen:
        if each.envelope is not None and (value := value_of(each.envelope)) in copies:
            copies[value].append(each.meta)
    for value, metas in copies.items():
        if len(metas) > 1:
            raise Violation("stored-twice", f"One envelope is stored {len(metas)} times.", witness={"copies": metas})
        if not metas:
            raise Violation("lost", "An envelope that was published is not shown.", witness={"value": dict(value)})


def all_or_none(request: Sequence[tuple[bytes, bytes]], seen: Iterable[Seen]) -> None:
    """Judge that of one request either every envelope is stored or none (API-220; H8).

    `request` has the topic and encoding of each envelope. `seen` are complete reads of all its topics, made once
    nothing of it can be on its way any more: reads of several topics are no snapshot, so read again before judging an
    unsettled request. No other request that may have stored something shares an envelope with it. Reason:
    `partly-stored`.
    """
    shown = {(each.meta.topic, value_of(each.envelope)) for each in seen if each.envelope is not None}
    present = [(topic, value_of(envelope)) in shown for topic, envelope in request]
    if any(present) and not all(present):
        stored = [index for index, there in enumerate(present) if there]
        missing = [index for index, there in enumerate(present) if not there]
        raise Violation(
            "partly-stored",
            f"Of the {len(request)} envelopes of one publish only {len(stored)} are stored.",
            witness={
                "stored indexes": stored,
                "missing indexes": missing,
                "topics of the missing": [request[index][0] for index in missing],
            },
        )
