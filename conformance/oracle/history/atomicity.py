"""Of the new envelopes of one publish all are stored or none (API-220; invariant H8), judged once a history is over.

Only for a publish without an answer: a receipt promises each envelope by itself (H5), and after a refusal none may be
seen (H10). Reads of several topics are no snapshot, and a publish may commit late; so an envelope counts as absent only
when its topic was read to the end some settle time after another envelope of the publish had been seen.
"""

from __future__ import annotations

from bisect import bisect_right

from conformance.oracle.history.events import Outcome, Publish, Query
from conformance.oracle.history.known import Known
from conformance.oracle.history.records import NOTHING, Topic, Value

# The time limit of a publish by default, and half as much again.
DEFAULT_SETTLE_NS = 15_000_000_000


class Atomicity:
    """Remembers the publishes of several values whose outcome is unknown."""

    def __init__(self, known: Known, settle_ns: int) -> None:
        self._known = known
        self._settle_ns = settle_ns
        self._unknown: list[int] = []

    def ended(self, publish: Publish, number: int) -> None:
        """Take note of a publish that ended."""
        if publish.outcome is Outcome.UNKNOWN and len(publish.sent) > 1:
            self._unknown.append(number)

    def finish(self) -> None:
        """Judge each publish: an envelope that only it can have stored is seen, another is not and will not be."""
        for number in self._unknown:
            values = [self._known.values[sent.digest] for sent in self._known.publish(number).sent]
            own = [value for value in values if set(value.attempts) - set(value.refused) == {number}]
            seen = [value for value in own if value.visible is not NOTHING]
            never = [value for value in own if value.visible is NOTHING and value.claimed is NOTHING]
            if seen and never:
                self._judge(number, min(seen, key=self._seen_at), never)

    def _seen_at(self, value: Value) -> int:
        return self._known.operation(value.visible.by).completed_ns

    def _judge(self, number: int, seen: Value, never: list[Value]) -> None:
        for value in never:
            absent = self._absent(value, self._seen_at(seen) + self._settle_ns)
            if absent and not self._gone(seen, absent[-1]):
                self._known.report(
                    "H8",
                    ("API-220.b", "API-220.e"),
                    "partly-stored",
                    f"Of a publish without an answer id {seen.visible.id} is stored and another envelope is not.",
                    by=(number, seen.visible.by, *absent),
                    topic=value.topic,
                    ids=(seen.visible.id,),
                )
                return

    def _gone(self, seen: Value, reader: int) -> bool:
        stored = self._known.envelopes[seen.visible.id].meta
        return self._known.clock.may_have_come_and_gone(stored, self._known.operation(reader).completed_ns)

    def _absent(self, value: Value, from_ns: int) -> tuple[int, ...]:
        """Give the reads that together show that a value is not on its topic, the last one sent after `from_ns`."""
        topic = self._known.topics.get(value.topic)
        if topic is None or topic.whole is None:
            return ()
        query = self._known.operation(topic.whole)
        if not isinstance(query, Query) or query.invoked_ns < from_ns:
            return ()
        cursor = next(position.cursor for position in query.positions if position.topic == value.topic)
        if cursor == 0:
            return (topic.whole,)
        # whatever its id, it lies above what had been seen when it was first sent (H3)
        lowest = value.floor.topic
        below = self._closed(topic, lowest.id, cursor) if cursor > lowest.id else ()
        return () if below is None else (lowest.by, *below, topic.whole)

    def _closed(self, topic: Topic, lowest: int, cursor: int) -> tuple[int, ...] | None:
        """Give the reads that left nothing out between two ids; None when there is room for an unseen envelope."""
        readers: dict[int, None] = {}
        ids = topic.ids[bisect_right(topic.ids, lowest) : bisect_right(topic.ids, cursor)]
        for each in ids:
            envelope = self._known.envelopes[each]
            if envelope.below is None or envelope.below > lowest:
                return None
            readers[envelope.below_by] = None
            lowest = each
        return tuple(readers) if lowest == cursor else None


def reached_the_end(known: Known, topic: Topic, query: Query, number: int) -> None:
    """Take note of an answered Query that its limit did not cut."""
    if not query.has_more and (topic.whole is None or known.operation(topic.whole).invoked_ns <= query.invoked_ns):
        topic.whole = number
