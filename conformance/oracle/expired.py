"""Envelopes past their expiry (OPS-002): they may be there or gone, but not there for one read and gone for another."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from conformance.oracle.violation import Violation
from conformance.wire.transcript import Meta, Seen


def not_hidden(
    receipts: Iterable[Meta], newest: Collection[Seen], later: Iterable[Seen], repeats: Iterable[Meta]
) -> None:
    """Judge that QueryNewest shows what is still stored although it has expired (API-244.d).

    Each receipt is of the only envelope of its topic. `newest` is what QueryNewest kept answering once no copy could
    lag, `later` what other reads showed after that and `repeats` what the same bytes, published again, were answered.
    Nothing that is gone comes back, so an old id in either of these was stored all the time; a new id is a new
    envelope (V46). Reasons: `missing-result`.
    """
    named = {seen.meta.topic for seen in newest}
    proofs = [(seen.meta, seen.source) for seen in later] + [(meta, "the receipt of a repeat") for meta in repeats]
    stored = {(meta.topic, meta.sequence_id): by for meta, by in reversed(proofs)}
    for receipt in receipts:
        by = stored.get((receipt.topic, receipt.sequence_id))
        if by is not None and receipt.topic not in named:
            raise Violation(
                "missing-result",
                "QueryNewest leaves out an envelope that is still stored.",
                witness={"envelope": receipt, "shown by": by},
            )
