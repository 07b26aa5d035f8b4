"""Receipts that contradict a read or each other, explained once all reads are known (API-221, 222, 287, 288; H1).

The explanations, in this order: a response has its entries at the wrong indexes; two envelopes share an id; one value
is stored twice; a receipt or a read shows an id that is not the value's own.
"""

from __future__ import annotations

from conformance.oracle.history.events import Publish, Query, Sent
from conformance.oracle.history.known import Known
from conformance.oracle.history.records import Envelope, Sighting
from conformance.wire.transcript import Meta


class Contradictions:
    """Collects contradictions while a history is gone over, and reports each by its cause at the end."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._claims: dict[int, None] = {}
        self._moved: set[int] = set()
        self._two_ids: dict[tuple[bytes, Sighting, Sighting], None] = {}

    def claim(self, publish: int) -> None:
        """Take note that a receipt of this publish may speak of another envelope than the one at its index."""
        self._claims[publish] = None

    def two_ids(self, key: bytes, one: Sighting, other: Sighting) -> None:
        """Take note that one value, or one hash on a topic, was shown under two ids."""
        first, second = sorted((one, other))
        self._two_ids[key, first, second] = None

    def wrong_count(self, number: int) -> None:
        """Report a response with another number of entries than its request has envelopes."""
        publish = self._known.publish(number)
        self._known.report(
            "H2",
            ["API-221.a"],
            "meta-count",
            f"A publish of {len(publish.sent)} envelopes was answered with {len(publish.metas)} entries of metadata.",
            by=(number,),
            topic=b"",
            ids=(),
        )

    def wrong_topic(self, number: int, sent: Sent, meta: Meta) -> None:
        """Report an entry that names another topic than the envelope sent at its index belongs on."""
        publish = self._known.publish(number)
        moved = sorted(each.topic for each in publish.sent) == sorted(each.topic for each in publish.metas)
        if moved:
            self._moved.add(number)
        self._known.report(
            "H2",
            self._misplaced_clauses(publish, number) if moved else ["API-212.b"],
            "wrong-order" if moved else "wrong-topic",
            f"The entry for an envelope sent to topic {sent.topic.hex()} names topic {meta.topic.hex()}.",
            by=(number,),
            topic=meta.topic,
            ids=(meta.sequence_id,),
        )

    def shared(self, envelope: Envelope, topic: bytes, *, by: tuple[int, ...]) -> None:
        """Report two envelopes that carry one id; the second was shown on `topic`, by the last of the operations."""
        self._known.shared.add(envelope.meta.sequence_id)
        self._known.report(
            "H1",
            ["API-287.a" if envelope.meta.topic == topic else "API-287.b"],
            "id-shared",
            f"Two different envelopes carry sequence id {envelope.meta.sequence_id}.",
            by=by[-1:] if self._shows(by[-1], envelope.meta) else by,
            topic=envelope.meta.topic,
            ids=(envelope.meta.sequence_id,),
        )

    def payload_changed(self, envelope: Envelope, *, by: tuple[int, int]) -> None:
        """Report an envelope that a read showed with another payload than somebody sent or read."""
        self._known.report(
            "H2",
            ["API-211.a"],
            "payload-changed",
            f"Id {envelope.meta.sequence_id} was read with another payload than it was published or read with.",
            by=by,
            topic=envelope.meta.topic,
            ids=(envelope.meta.sequence_id,),
        )

    def explain(self) -> None:
        """Report every contradiction by its cause."""
        misplaced = self._moved | {number for number in self._claims if self._misplaced(number)}
        for number in self._claims:
            if number not in misplaced:
                self._foreign(number, misplaced)
        for key, one, other in self._two_ids:
            if {one.by, other.by}.isdisjoint(misplaced) and {one.id, other.id}.isdisjoint(self._known.lost):
                self._explain_two_ids(key, one, other)

    def _shows(self, number: int, meta: Meta) -> bool:
        """Tell whether one answer shows an entry; then it may hold the contradicting one as well."""
        operation = self._known.operation(number)
        if isinstance(operation, Publish):
            return False
        answer = operation.page if isinstance(operation, Query) else operation.results
        return any(shown.meta == meta for shown in answer)

    def _misplaced(self, number: int) -> bool:
        """Report a response that names, at some index, an envelope which the same request has at another one."""
        known, publish = self._known, self._known.publish(number)
        values = {each.digest for each in publish.sent}
        for index, (sent, meta) in enumerate(zip(publish.sent, publish.metas, strict=False)):
            envelope = known.envelopes.get(meta.sequence_id)
            if envelope is not None and envelope.shown != sent.digest and envelope.shown in values:
                known.report(
                    "H2",
                    self._misplaced_clauses(publish, number),
                    "wrong-order",
                    f"The entry at index {index} is that of an envelope which the request has at another index.",
                    by=(number, envelope.read),
                    topic=meta.topic,
                    ids=(meta.sequence_id,),
                )
                return True
        return False

    def _foreign(self, number: int, misplaced: set[int]) -> None:
        """Report an entry with the id of an envelope that the request did not hold."""
        known, publish = self._known, self._known.publish(number)
        for sent, meta in zip(publish.sent, publish.metas, strict=False):
            envelope = known.envelopes.get(meta.sequence_id)
            if envelope is None or envelope.meta != meta:
                continue
            if envelope.shown is not None and envelope.shown not in known.values:
                self.payload_changed(envelope, by=(envelope.read, number))
            elif envelope.shown is not None and envelope.shown != sent.digest:
                self.shared(envelope, meta.topic, by=(envelope.read, number))
            elif envelope.claimed != sent.digest and envelope.receipt not in misplaced:
                self.shared(envelope, meta.topic, by=(envelope.receipt, number))

    def _explain_two_ids(self, key: bytes, one: Sighting, other: Sighting) -> None:
        known = self._known
        receipts = [isinstance(known.operation(each.by), Publish) for each in (one, other)]
        copies = [known.envelopes[each.id] for each in (one, other)]
        values = {known.digest_of(copy) for copy in copies} - {None}
        if len(values) > 1 and copies[0].meta.message_hash == copies[1].meta.message_hash:
            self._one_hash(copies, (one.by, other.by))
            return
        key = min((value for value in values if value is not None), default=key)
        both_stored = all(copy.shown == key for copy in copies)
        by: tuple[int, ...] = (one.by, other.by)
        if all(receipts):
            # each id as the first receipt to name it did
            named = zip(copies, by, strict=True)
            by = tuple(copy.receipt if copy.claimed == key else number for copy, number in named)
            clauses = ["API-222.b"] if known.overlap(*by) else ["API-222.a", "API-288.a"]
            if by[0] == by[1]:
                clauses = ["API-221.b", "API-222.c"]
        elif both_stored or not any(receipts):
            clauses, publishes = self._of_attempts(key)
            by = (*(tuple(copy.read for copy in copies) if both_stored else by), *publishes)
        else:
            receipt = one if receipts[0] else other
            value = known.values.get(key)
            clauses = ["API-288.b"]
            if value is not None and value.attempts[0] != receipt.by:
                clauses = ["API-288.a", "API-288.b"]
                by = (*by, value.attempts[0])
        if copies[0].meta.message_hash != copies[1].meta.message_hash:
            clauses.append("API-211.c")
        known.report(
            "H1",
            clauses,
            "stored-twice" if both_stored and not all(receipts) else "id-differs",
            f"One envelope carries two sequence ids, {one.id} and {other.id}.",
            by=by,
            topic=copies[0].meta.topic,
            ids=(one.id, other.id),
        )

    def _one_hash(self, copies: list[Envelope], by: tuple[int, int]) -> None:
        self._known.report(
            "H1",
            ["API-211.b"],
            "hash-shared",
            "Two different envelopes of one topic carry the same message hash.",
            by=by,
            topic=copies[0].meta.topic,
            ids=[copy.meta.sequence_id for copy in copies],
        )

    def _of_attempts(self, key: bytes) -> tuple[list[str], tuple[int, ...]]:
        """Name the clause that a value stored twice breaks, and its publishes that did it."""
        value = self._known.values.get(key)
        attempts = value.attempts if value is not None else ()
        if len(attempts) == 1:
            return ["API-222.c"], attempts
        for place, one in enumerate(attempts):
            for other in attempts[:place]:
                if self._known.overlap(one, other):
                    return ["API-222.b"], (one, other)
        return ["API-222.a"], attempts[:2]

    def _misplaced_clauses(self, publish: Publish, number: int) -> list[str]:
        """Name API-221.c as well when the request holds stored and new envelopes, or one twice."""
        values = [self._known.values[sent.digest] for sent in publish.sent]
        mixed = len({id(value) for value in values}) < len(values)
        mixed = mixed or any(value.attempts[0] != number for value in values)
        return ["API-221.a", *(["API-221.c"] if mixed else [])]
