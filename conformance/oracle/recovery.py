"""What became of a publish that ended OUT_OF_RANGE (API-290): a Query after that status is the last word on it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from conformance.oracle.absence import all_or_none, never_visible, one_copy_of_each
from conformance.oracle.metadata import same_receipt
from conformance.oracle.violation import Violation
from conformance.wire.transcript import Meta, Seen


def still_shown(earlier: Iterable[Seen], later: Iterable[Seen]) -> None:
    """Judge that a complete read shows, unchanged, every envelope that was seen before it (API-202, 288, 290.a).

    `later` are complete reads of all topics of `earlier`, none of whose envelopes has expired. Reasons: `lost`,
    `metadata-differs`.
    """
    shown = {seen.meta.sequence_id: seen for seen in later}
    for seen in earlier:
        again = shown.get(seen.meta.sequence_id)
        if again is None:
            raise Violation(
                "lost", "An envelope that was seen is not shown by a later read.", witness={"seen before": seen.meta}
            )
        same_receipt(seen.meta, again.meta, where=f"A later {again.source}")


def settled_whole(request: Sequence[tuple[bytes, bytes]], watched: Iterable[Seen], read: Collection[Seen]) -> None:
    """Judge the read that follows OUT_OF_RANGE: the whole request or nothing of it, and all that watchers saw (290.a).

    `request` has the topic and encoding of each envelope, all sent for the first time and on topics of their own.
    `read` are complete reads of those topics. Reasons: `lost`, `metadata-differs`, `partly-stored`.
    """
    still_shown(watched, read)
    all_or_none(request, read)


def as_settled(
    sent: Sequence[bytes],
    retried: Sequence[bytes],
    receipts: Iterable[Meta],
    read: Collection[Seen],
    end: Sequence[Seen],
) -> None:
    """Judge what follows the read: it stays the last word, and a retry of a part is answered in line with it (290.a).

    `sent` is the whole request, `retried` the part that was sent again and answered with `receipts`; `read` what was
    shown in between and `end` what is shown afterwards. What was not there before the retry must not come without it.
    Reasons: `lost`, `metadata-differs`, `stored-twice`, `stored-despite-failure`.
    """
    still_shown(read, end)
    shown = {seen.meta.sequence_id: seen.meta for seen in end}
    for receipt in receipts:
        if receipt.sequence_id not in shown:
            raise Violation(
                "lost", "An id that answers a retry belongs to no envelope on its topic.", witness={"receipt": receipt}
            )
        same_receipt(receipt, shown[receipt.sequence_id], where="A read after the retry")
    if read:
        one_copy_of_each(end, sent)
    else:
        one_copy_of_each(end, retried)
        never_visible(end, [envelope for envelope in sent if envelope not in retried])
