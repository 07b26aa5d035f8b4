"""Metadata that was shown with two values under one id (API-211.b, 212, 222; invariant H2), explained at the end.

What reads show is taken for what is stored. A receipt that says otherwise is at fault; if it answers a repeat, the
repeat is, and what it raced with decides which clause that breaks.
"""

from __future__ import annotations

from conformance.oracle.history.events import Publish
from conformance.oracle.history.known import Known
from conformance.oracle.history.records import NOBODY, Envelope
from conformance.wire.transcript import Meta

_FIELDS = {
    "message_hash": "API-211.b",
    "server_ns": "API-212.c",
    "topic": "API-212.b",
    "expiry_ns": "API-212.h",
    "is_commit_or_proposal": "API-212.h",
}
_MOST = 1000


class Changes:
    """Collects the entries of metadata that differ from the first one shown under their id."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._shown: dict[int, list[tuple[Meta, int]]] = {}

    def shown(self, envelope: Envelope, meta: Meta, number: int) -> None:
        """Take note that operation `number` showed an envelope with other metadata."""
        if len(self._shown) < _MOST or meta.sequence_id in self._shown:
            entries = self._shown.setdefault(meta.sequence_id, [(envelope.meta, envelope.first)])
            if len(entries) < _MOST:
                entries.append((meta, number))

    def explain(self) -> None:
        """Report, for each id, two operations that contradict each other, and which of them is at fault."""
        for number, entries in self._shown.items():
            receipts = [(meta, by) for meta, by in entries if self._is_receipt(by)]
            read = [(meta, by) for meta, by in entries if not self._is_receipt(by)]
            for other in read[1:]:
                if other[0] != read[0][0]:
                    self._report(number, read[0], other, ["API-212.h"])
            # without a read the first receipt is believed
            stored = read[0] if read else receipts[0]
            for receipt in receipts:
                if all(receipt[0] != meta for meta, _ in read or [stored]):
                    self._report(number, stored, receipt, *self._of_receipt(number, receipt[1]))

    def _is_receipt(self, number: int) -> bool:
        return isinstance(self._known.operation(number), Publish)

    def _of_receipt(self, number: int, receipt: int) -> tuple[list[str], int]:
        """Name the clause that a receipt breaks, as that of a repeat or not, and the publish it repeats."""
        envelope = self._known.envelopes[number]
        value = self._known.values.get(self._known.digest_of(envelope) or b"")
        others = [each for each in value.attempts if each != receipt] if value is not None else []
        for each in others:
            if self._known.overlap(each, receipt):
                return ["API-222.b"], each
        for each in others:
            if self._known.before(each, receipt):
                return ["API-222.a"], each
        return ["API-212.h"], NOBODY

    def _report(
        self, number: int, one: tuple[Meta, int], other: tuple[Meta, int], clauses: list[str], repeated: int = NOBODY
    ) -> None:
        changed = [name for name in _FIELDS if getattr(one[0], name) != getattr(other[0], name)]
        self._known.report(
            "H2",
            [*clauses, *(_FIELDS[name] for name in changed)],
            "metadata-differs",
            f"Id {number} was shown with two values of {' and '.join(changed) or 'its fields'}.",
            by=(one[1], other[1], repeated),
            topic=one[0].topic,
            ids=(number,),
        )
