"""Each read shows a beginning of its topic's order (API-201; invariants H4 and H13): no hole, nothing behind its end.

What a read that starts at a cursor shows of a topic, up to the highest id shown, is all there is between the two; so
every id that anybody ever sees in between must be among it, whichever came first. Per envelope it is enough to keep
from where on the ids just below it have been read. Frames of a stream are such reads as well, each from where the
last one ended (H6).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from conformance.oracle.history.events import Outcome, Publish, Query
from conformance.oracle.history.known import Known
from conformance.oracle.history.records import NOBODY, Envelope, Topic

_MOST_LEFT_OUT = 1000


class Prefix:
    """Keeps every topic in order; what was left out is explained once all reads are known."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._left_out: dict[tuple[int, int], None] = {}

    def enter(self, topic: Topic, envelope: Envelope, *, at_ns: int) -> None:
        """Put an envelope seen for the first time into its topic's order; a read may have closed its place."""
        number, ids = envelope.meta.sequence_id, topic.ids
        if not ids or number > ids[-1]:
            ids.append(number)
            return
        place = bisect_right(ids, number)
        ids.insert(place, number)
        after = self._known.envelopes[ids[place + 1]]
        if after.below is None or after.below >= number or self._known.may_be_gone(after, at_ns):
            return
        self._note(envelope, after.below_by)

    def reading(self, topic: Topic, cursor: int, ids: Sequence[int], number: int) -> list[Envelope]:
        """Judge that operation `number` showed `ids`, ascending and all entered, of a topic above `cursor`.

        Returns the envelopes that it left out.
        """
        envelopes, everything = self._known.envelopes, topic.ids
        left_out: list[Envelope] = []
        between = everything[bisect_right(everything, cursor) : bisect_right(everything, ids[-1])]
        if between != ids:
            shown = set(ids)
            left_out = [envelopes[each] for each in between if each not in shown]
            for envelope in left_out:
                self._note(envelope, number)
        for each in ids:
            envelope = envelopes[each]
            if envelope.below is None or cursor <= envelope.below:  # a later read is the better witness
                envelope.below, envelope.below_by = cursor, number
            cursor = each
        return left_out

    def finish(self) -> None:
        """Report what was left out, but for what no read ever shows: that is lost, not out of order (see H5)."""
        for missing, reader in self._left_out:
            if missing not in self._known.lost:
                self._report(self._known.envelopes[missing], reader)

    def _note(self, envelope: Envelope, reader: int) -> None:
        may_be_gone = self._known.may_be_gone(envelope, self._known.operation(reader).completed_ns)
        if not may_be_gone and len(self._left_out) < _MOST_LEFT_OUT:
            self._left_out[envelope.meta.sequence_id, reader] = None

    def _report(self, envelope: Envelope, reader: int) -> None:
        known, missing = self._known, envelope.meta.sequence_id
        page = known.operation(reader)
        assert isinstance(page, Query)  # noqa: S101 - only a Query reads a topic from a cursor
        rows = [known.envelopes.get(shown.meta.sequence_id) for shown in page.page]
        above = {
            row.meta.sequence_id: self._one_request(envelope, row)
            for row in rows
            if row is not None and row.meta.topic == envelope.meta.topic and row.meta.sequence_id > missing
        }
        together = {each: request for each, request in above.items() if request != NOBODY}
        next_above = min(together or above)
        shown_by = self._witness(envelope, reader, above[next_above])
        seen_before = known.before(shown_by, reader)
        known.report(
            "H13" if together else "H4",
            ("API-201.a", "API-240.d") if seen_before else ("API-201.a",),
            "hole" if seen_before else "late-insert",
            f"A Query showed id {next_above} of a topic without id {missing}, which "
            + ("is stored there" if seen_before else "came in behind it")
            + (" by the same publish." if together else "."),
            by=(shown_by, reader, above[next_above], self._doubt(envelope)),
            topic=envelope.meta.topic,
            ids=(missing, next_above),
        )

    def _witness(self, envelope: Envelope, reader: int, request: int) -> int:
        """Give an operation that shows what a read left out: a read, if all else could mean that it was lost."""
        for number in (request, envelope.first):
            if number == NOBODY or (number == request and self._known.publish(number).outcome is not Outcome.STORED):
                continue
            told_later = not self._known.before(number, reader)
            if told_later or not isinstance(self._known.operation(number), Publish):
                return number
        return envelope.read if envelope.read != NOBODY else envelope.first

    def _doubt(self, envelope: Envelope) -> int:
        """Give a publish that may have stored an envelope though another one has the receipt, or NOBODY."""
        value = self._known.values.get(self._known.digest_of(envelope) or b"")
        never_read = envelope.read == NOBODY and value is not None
        return value.candidates[0] if never_read and value is not None and value.candidates else NOBODY

    def _one_request(self, one: Envelope, other: Envelope) -> int:
        """Give a publish that carried both envelopes, one that was answered OK if there is one, or NOBODY."""
        values = [self._known.values.get(self._known.digest_of(each) or b"") for each in (one, other)]
        attempts = [set(value.attempts) - set(value.refused) if value is not None else set() for value in values]
        both = sorted(attempts[0] & attempts[1])
        confirmed = (each for each in both if self._known.publish(each).outcome is Outcome.STORED)
        return next(confirmed, both[0] if both else NOBODY)
