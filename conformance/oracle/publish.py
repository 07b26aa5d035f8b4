"""The answer of a publish: one entry per envelope (API-221, 222), or a refusal that names the envelope (API-223)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from conformance.oracle.metadata import same_receipt
from conformance.oracle.status import ended
from conformance.oracle.violation import Violation
from conformance.wire.transcript import Call, Code, Meta, PublishFailure

REASONS = (
    "UNSPECIFIED",
    "MALFORMED_PAYLOAD",
    "INVALID_KEY_PACKAGE",
    "INVALID_IDENTITY_UPDATE",
    "INVALID_SIGNATURE",
    "TOO_LARGE",
    "HANDLE_TAKEN",
    "HANDLE_NOT_ALLOWED",
    "HANDLE_TOO_SOON",
)
TOO_LARGE = REASONS.index("TOO_LARGE")


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """A lawful PublishError: its index, None for absent, and the reasons that fit (several where the order is open)."""

    index: int | None
    reasons: frozenset[int]

    def __str__(self) -> str:
        place = "no index" if self.index is None else f"index {self.index}"
        return f"{place} with {' or '.join(reason_name(reason) for reason in sorted(self.reasons))}"


def at(index: int, *reasons: int) -> Refusal:
    """Expect the envelope at this index to be named, with one of the reasons."""
    return Refusal(index=index, reasons=frozenset(reasons))


WHOLE_REQUEST = Refusal(index=None, reasons=frozenset({TOO_LARGE}))


def reason_name(reason: int) -> str:
    """Name a PublishError reason; an unknown one by its number."""
    return REASONS[reason] if 0 <= reason < len(REASONS) else f"unknown reason {reason}"


def one_meta_per_envelope(topics: Sequence[bytes], metas: Sequence[Meta]) -> None:
    """Judge that a publish answered one entry per envelope, at the envelope's own index (API-221, 212.b).

    `topics` are those of the envelopes sent, in order. Ids may stand in any order (V09). Reasons: `meta-count`,
    `wrong-order` (the right topics, permuted), `wrong-topic`.
    """
    if len(topics) != len(metas):
        raise Violation(
            "meta-count", f"A publish of {len(topics)} envelopes was answered with {len(metas)} entries of metadata."
        )
    for index, (topic, meta) in enumerate(zip(topics, metas, strict=True)):
        if meta.topic != topic:
            permuted = sorted(topics) == sorted(m.topic for m in metas)
            raise Violation(
                "wrong-order" if permuted else "wrong-topic",
                f"The entry at index {index} names another topic than the envelope sent there belongs on.",
                witness={"topic of the envelope": topic, "topic of the entry": meta.topic},
            )


def same_where_same(values: Sequence[Hashable], metas: Sequence[Meta]) -> None:
    """Judge the receipts of a batch with duplicates in it (API-221.b, 222.c): equal where the envelopes are equal.

    `values` has one entry per envelope sent, equal exactly where two envelopes have the same value. Reasons:
    `meta-count`, `metadata-differs`, `id-shared`.
    """
    if len(values) != len(metas):
        raise Violation(
            "meta-count", f"A publish of {len(values)} envelopes was answered with {len(metas)} entries of metadata."
        )
    firsts: dict[Hashable, int] = {}
    owners: dict[int, int] = {}
    for index, (value, meta) in enumerate(zip(values, metas, strict=True)):
        first = firsts.setdefault(value, index)
        same_receipt(metas[first], meta, where=f"The entry at index {index}, a duplicate of index {first},")
        owner = owners.setdefault(meta.sequence_id, first)
        if owner != first:
            raise Violation(
                "id-shared",
                f"The different envelopes at index {owner} and {index} got one sequence id.",
                witness={"entry": meta},
            )


def admitted(call: Call, failure: PublishFailure | None) -> None:
    """Judge that a publish was taken (API-230.l: no check beyond those the contract names).

    Reasons: `rejected`, `wrong-code`; Undecidable as in `status.ended`.
    """
    if failure is not None and not call.status.local and call.status.code is Code.INVALID_ARGUMENT:
        raise Violation(
            "rejected",
            f"A publish that admission must take was refused with {reason_name(failure.reason)}.",
            witness={"call": call.number, "index": failure.index, "message": failure.message},
        )
    ended(call, (Code.OK,))


def detailed(call: Call, failure: PublishFailure | None, details_problem: str | None) -> PublishFailure:
    """Judge that a publish ended INVALID_ARGUMENT with a PublishError that can be read (API-223.a), and return it.

    `details_problem` says why none could be read, if so. Reasons: `accepted`, `wrong-code`, `no-detail`; Undecidable
    as in `status.ended`.
    """
    ended(call, (Code.INVALID_ARGUMENT,))
    if failure is None:
        raise Violation(
            "no-detail",
            "A publish ended INVALID_ARGUMENT without a readable PublishError detail.",
            witness={"call": call.number, "problem": details_problem},
        )
    return failure


def refused(
    call: Call,
    failure: PublishFailure | None,
    details_problem: str | None,
    expected: Refusal,
    *alternatives: Refusal,
) -> None:
    """Judge that a publish was refused with INVALID_ARGUMENT and a PublishError that names the fault (API-223.a to f).

    `details_problem` as in `detailed`. `alternatives` are further lawful details: where
    several checks fail on one envelope give `expected` all their reasons (V12); where a bound on the whole request is
    broken besides, give WHOLE_REQUEST (V13). The message is free text (V08). Reasons: `accepted`, `wrong-code`,
    `no-detail`, `index-absent`, `index-present`, `wrong-index`, `wrong-reason`; Undecidable as in `status.ended`.
    """
    failure = detailed(call, failure, details_problem)
    lawful = (expected, *alternatives)
    if any(failure.index == each.index and failure.reason in each.reasons for each in lawful):
        return
    wrong_index = all(failure.index != each.index for each in lawful)
    reason = "wrong-reason"
    if wrong_index:
        reason = "index-absent" if failure.index is None else "wrong-index"
        reason = "index-present" if all(each.index is None for each in lawful) else reason
    place = "without an index" if failure.index is None else f"for index {failure.index}"
    raise Violation(
        reason,
        f"A publish was refused {place} as {reason_name(failure.reason)}, but the detail must be {expected}.",
        witness={
            "call": call.number,
            "message": failure.message,
            **({"also lawful": [str(each) for each in alternatives]} if alternatives else {}),
        },
    )
