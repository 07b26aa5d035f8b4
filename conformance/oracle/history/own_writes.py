"""A Query shows what was confirmed before it was sent (API-202, 240; invariant H5), unless its limit cut it out.

An envelope counts as confirmed from the moment the receipt of the publish that stored it is held. A receipt does not
tell whether its publish stored the envelope or found it stored; so while a publish that carried the same value before
the first receipt has no answer, nothing is confirmed, and after a lost answer never.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence

from conformance.oracle.history.events import Outcome, Query, Shown
from conformance.oracle.history.known import Known
from conformance.oracle.history.records import NOBODY, Envelope, Value

_MOST_MISSES = 1000


def confirm(known: Known, value: Value, *, at_ns: int) -> None:
    """Take note that the receipt that stored `value` is held since an instant."""
    envelope = known.envelopes.get(value.claimed.id)
    if envelope is None or envelope.confirmed_ns is not None or envelope.meta.topic != value.topic:
        return
    envelope.confirmed_ns = at_ns
    topic = known.topic(value.topic)
    topic.confirmed = max(topic.confirmed, value.claimed)


def expectations(known: Known, query: Query) -> tuple[int, ...]:
    """Give, when a Query is invoked, the highest confirmed id of each of its topics; 0 for none."""
    topics = known.topics
    return tuple(topics[position.topic].confirmed.id if position.topic in topics else 0 for position in query.positions)


class OwnWrites:
    """Judges each Query by what was confirmed before it; what was missed is explained once all reads are known."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._misses: list[tuple[Envelope, int]] = []

    def answered(
        self, query: Query, number: int, expected: Collection[int], shown: Mapping[bytes, Sequence[int]]
    ) -> None:
        """Judge what an answered Query leaves out at the end of its topics; `shown` holds ascending ids per topic."""
        cut = len(query.page) >= query.limit and query.has_more
        for position, highest in zip(query.positions, expected, strict=True):
            ids = shown.get(position.topic)
            reached = ids[-1] if ids else position.cursor
            # cut out lawfully: the page is full, and of this topic it ends below
            if highest <= reached or cut:
                continue
            topic = self._known.topics[position.topic]
            for missing in topic.ids[bisect_right(topic.ids, reached) :]:
                self.missed(self._known.envelopes[missing], number)

    def missed(self, envelope: Envelope, number: int) -> None:
        """Take note of an envelope that Query `number` left out, if it had been confirmed and cannot have expired."""
        query, confirmed_ns = self._known.operation(number), envelope.confirmed_ns
        if confirmed_ns is None or confirmed_ns >= query.invoked_ns or len(self._misses) >= _MOST_MISSES:
            return
        if not self._known.may_be_gone(envelope, query.completed_ns):
            self._misses.append((envelope, number))

    def finish(self) -> None:
        """Report what was missed."""
        for envelope, number in self._misses:
            if envelope.read == NOBODY:
                self._known.lost.add(envelope.meta.sequence_id)
            query = self._known.operation(number)
            assert isinstance(query, Query)  # noqa: S101 - `number` is that of a Query
            self._known.report(
                "H5",
                self._clauses(envelope, query),
                "own-write-missing",
                f"A Query sent after the receipt for id {envelope.meta.sequence_id} was held does not show it, "
                "and neither its limit nor has_more explains it.",
                by=(envelope.receipt, number),
                topic=envelope.meta.topic,
                ids=(envelope.meta.sequence_id,),
            )

    def _clauses(self, envelope: Envelope, query: Query) -> list[str]:
        value = self._known.values.get(envelope.claimed or b"")
        up_to_date = self._is_up_to_date(query, envelope)
        if up_to_date and envelope.read == NOBODY and value is not None and self._was_refused(value, envelope):
            return ["API-222.i"]  # never stored, and once before its publish had failed
        full = len(query.page) >= query.limit
        if up_to_date and full and not query.has_more and not any(_is_above(row, envelope) for row in query.page):
            return ["API-202.c", "API-240.g"]  # the limit did cut it out, and has_more denies it
        same_endpoint = self._known.operation(envelope.receipt).endpoint == query.endpoint
        clauses = ["API-202.a" if same_endpoint else "API-202.b", *(["API-202.c"] if full or query.has_more else [])]
        return [*clauses, "API-202.e"] if value is not None and self._was_repeated(value, envelope, query) else clauses

    def _was_refused(self, value: Value, envelope: Envelope) -> bool:
        return any(self._known.before(each, envelope.receipt) for each in value.refused)

    def _is_up_to_date(self, query: Query, envelope: Envelope) -> bool:
        """Tell whether a page shows what was only published once an envelope had been confirmed."""
        shown = (self._known.envelopes.get(each.meta.sequence_id) for each in query.page)
        receipts = [each.receipt for each in shown if each is not None and each.receipt != NOBODY]
        return any(self._known.operation(each).invoked_ns > (envelope.confirmed_ns or 0) for each in receipts)

    def _was_repeated(self, value: Value, envelope: Envelope, query: Query) -> bool:
        """Tell whether the receipt of a repeat was held as well when the Query was sent."""
        others = (self._known.publish(each) for each in value.attempts if each != envelope.receipt)
        return any(each.outcome is Outcome.STORED and each.completed_ns < query.invoked_ns for each in others)


def _is_above(shown: Shown, envelope: Envelope) -> bool:
    return shown.meta.topic == envelope.meta.topic and shown.meta.sequence_id > envelope.meta.sequence_id
