"""Whether each entry of a publish response belongs to the envelope at its index (API-221), told by what Query shows."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.oracle.absence import value_of
from conformance.oracle.reads import agree_everywhere, shown_by
from conformance.oracle.violation import Undecidable, Violation
from conformance.wire.transcript import Meta, Seen


def own_entries(sent: Sequence[bytes], metas: Sequence[Meta], seen: Sequence[Seen]) -> None:
    """Judge that the entry at each index is that of the envelope sent there, also among envelopes of one topic.

    `sent` are the encoded envelopes of one publish, `metas` its entries, `seen` complete reads of its topics
    afterwards. Ids may stand in any order (V09). An entry whose envelope came back as none of those sent tells nothing
    about indexes: Undecidable. Reasons: `meta-count`, `lost`, `wrong-order`.
    """
    _one_for_each(sent, metas)
    values = [value_of(envelope) for envelope in sent]
    for index, meta in enumerate(metas):
        shown = {value_of(each.envelope) for each in shown_by(meta, seen, source="Query") if each.envelope is not None}
        if values[index] in shown:
            continue
        others = [other for other, value in enumerate(values) if value in shown]
        if not others:
            raise Undecidable(f"the entry at index {index} names an envelope that is none of those published")
        raise Violation(
            "wrong-order",
            f"The entry at index {index} is that of the envelope sent at index {others[0]}.",
            witness={"entry": meta, "entry at that index": metas[others[0]]},
        )


def stored_as_sent(sent: Sequence[bytes], metas: Sequence[Meta], seen: Sequence[Seen]) -> None:
    """Judge that every envelope of a publish is shown under its own entry with the very value sent (API-230, 211).

    Parameters as in `own_entries`. Reasons: `meta-count`, `lost`, and those of `reads.agree_everywhere`.
    """
    _one_for_each(sent, metas)
    for envelope, meta in zip(sent, metas, strict=True):
        agree_everywhere(meta, shown_by(meta, seen, source="Query"), sent=envelope)


def _one_for_each(sent: Sequence[bytes], metas: Sequence[Meta]) -> None:
    if len(sent) != len(metas):
        raise Violation(
            "meta-count", f"A publish of {len(sent)} envelopes was answered with {len(metas)} entries of metadata."
        )
