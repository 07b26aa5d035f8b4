"""One pass over a recorded history, in the order of what happened: each operation is invoked, later it completes.

The pass keeps records of distinct envelopes and of the operations under way, nothing else. Everything a conforming
backend may do differently passes: gaps of any size, lagging newest reads, ids in any order within a request, pages cut
anywhere, lost answers, retries, envelopes past their expiry there or gone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from operator import lt

from conformance.oracle.history import atomicity, attempts, closed_world, order, own_writes, pages, prefix
from conformance.oracle.history.clock import DEFAULT_SKEW_NS, StoreClock
from conformance.oracle.history.events import Newest, Operation, Outcome, Publish, Query, Shown
from conformance.oracle.history.finding import Finding
from conformance.oracle.history.identity import Identity
from conformance.oracle.history.known import Known
from conformance.oracle.history.records import NOTHING, Value
from conformance.wire.transcript import Code, Meta


class Checker:
    """Judges a history piece by piece: call `invoked` and `completed` in the order of their instants.

    `operation` finds an operation again by the number given here, for the excerpt of a finding. At equal instants what
    is invoked comes first: only a completion strictly before an invocation orders two operations.
    """

    def __init__(
        self,
        operation: Callable[[int], Operation],
        *,
        settle_ns: int = atomicity.DEFAULT_SETTLE_NS,
        skew_ns: int = DEFAULT_SKEW_NS,
    ) -> None:
        self._known = Known(operation, StoreClock(skew_ns))
        self._prefix = prefix.Prefix(self._known)
        self._identity = Identity(self._known, self._prefix)
        self._atomicity = atomicity.Atomicity(self._known, settle_ns)
        self._own_writes = own_writes.OwnWrites(self._known)
        self._expected: dict[int, tuple[int, ...]] = {}

    def invoked(self, number: int, operation: Operation) -> None:
        """Take note that an operation begins."""
        if isinstance(operation, Publish):
            attempts.invoked(self._known, operation, number)
        elif isinstance(operation, Query):
            self._expected[number] = own_writes.expectations(self._known, operation)

    def completed(self, number: int, operation: Operation) -> None:
        """Judge what an operation showed."""
        if isinstance(operation, Publish):
            if operation.outcome is Outcome.STORED:
                self._receipts(number, operation)
            attempts.ended(self._known, operation, number)
            self._atomicity.ended(operation, number)
        elif isinstance(operation, Query):
            expected = self._expected.pop(number)
            if operation.status is Code.OK:
                self._page(number, operation, expected)
        elif operation.status is Code.OK:
            self._seen(number, operation, operation.results)
            highest = max((shown.meta.sequence_id for shown in operation.results), default=0)
            order.seen(self._known, operation.endpoint, highest, number)

    def finish(self) -> list[Finding]:
        """Judge what only the whole history can show; all findings in the order they were made."""
        self._own_writes.finish()
        self._prefix.finish()
        self._identity.finish()
        self._atomicity.finish()
        return self._known.findings_but_consequences()

    def _receipts(self, number: int, publish: Publish) -> None:
        known = self._known
        if len(publish.metas) != len(publish.sent):
            self._identity.contradictions.wrong_count(number)
        values, told, highest = known.values, True, 0
        for sent, meta in zip(publish.sent, publish.metas, strict=False):
            told = told and _is_told(values[sent.digest], number, meta)
        for sent, meta in zip(publish.sent, publish.metas, strict=False):
            self._identity.receipt(publish, number, sent, meta)
            highest = max(highest, meta.sequence_id)
            value = values[sent.digest]
            if value.attempts[0] == number and meta.topic == sent.topic:
                known.clock.learn(meta, publish.invoked_ns)
                if told and meta.sequence_id <= value.floor.anywhere.id:
                    order.below_the_floor(known, value, meta.sequence_id, by=number)
        order.seen(known, publish.endpoint, highest, number)

    def _page(self, number: int, query: Query, expected: tuple[int, ...]) -> None:
        known = self._known
        strange = self._seen(number, query, query.page)
        shown: dict[bytes, list[int]] = {position.topic: [] for position in query.positions}
        for each in query.page:
            if each.meta.topic in shown and each.meta.sequence_id not in strange:
                shown[each.meta.topic].append(each.meta.sequence_id)
        pages.full_when_more(known, query, number)
        for position in query.positions:
            ids = shown[position.topic]
            if not all(map(lt, ids, ids[1:])):
                pages.not_ascending(known, query, number, position.topic, ids)
                ids = sorted(set(ids))
            if ids and ids[0] <= position.cursor:
                ids = [each for each in ids if each > position.cursor]
            shown[position.topic] = ids
            if ids:
                order.seen(known, query.endpoint, ids[-1], number)
            topic = known.topics.get(position.topic)
            if topic is None:
                continue
            if ids:
                for envelope in self._prefix.reading(topic, position.cursor, ids, number):
                    self._own_writes.missed(envelope, number)
            atomicity.reached_the_end(known, topic, query, number)
        self._own_writes.answered(query, number, expected, shown)

    def _seen(self, number: int, operation: Query | Newest, answer: Sequence[Shown]) -> Set[int]:
        """Take note of what a read shows; the ids among it that cannot stand in the order of their topic."""
        envelopes = self._known.envelopes
        strange: set[int] = set()
        for shown in answer:
            meta = shown.meta
            envelope = envelopes.get(meta.sequence_id)
            if envelope is not None and shown.digest in (None, envelope.shown) and envelope.meta == meta:
                continue
            if not self._take_note(number, operation, shown):
                strange.add(meta.sequence_id)
        return strange

    def _take_note(self, number: int, operation: Query | Newest, shown: Shown) -> bool:
        """Judge a row that says something new; whether it has a place in the order of its topic."""
        known, at_ns = self._known, operation.completed_ns
        earlier = known.envelopes.get(shown.meta.sequence_id)
        is_first = earlier is None or earlier.shown is None
        envelope = self._identity.read(shown, number, at_ns=at_ns)
        if envelope is None or envelope.meta.topic != shown.meta.topic:
            return False
        if is_first and envelope.shown is not None:
            closed_world.visible(known, envelope, shown, number)
            value = known.values.get(envelope.shown)
            if value is not None:
                if value.claimed is NOTHING:
                    known.clock.learn(shown.meta, known.operation(value.attempts[0]).invoked_ns)
                if shown.meta.sequence_id <= value.floor.anywhere.id:
                    order.below_the_floor(known, value, shown.meta.sequence_id, by=number)
        return True


def check(
    history: Sequence[Operation],
    *,
    settle_ns: int = atomicity.DEFAULT_SETTLE_NS,
    skew_ns: int = DEFAULT_SKEW_NS,
) -> list[Finding]:
    """List what a history contradicts; its operations may stand in any order.

    `settle_ns` (nanoseconds) is how long a publish without an answer may take to commit and show everywhere, `skew_ns`
    what clocks of the target may be apart where an expiry is concerned.
    """
    checker = Checker(history.__getitem__, settle_ns=settle_ns, skew_ns=skew_ns)
    instants = [(operation.invoked_ns, 0, number) for number, operation in enumerate(history)]
    instants += [(operation.completed_ns, 1, number) for number, operation in enumerate(history)]
    instants.sort()
    for _, is_completion, number in instants:
        if is_completion:
            checker.completed(number, history[number])
        else:
            checker.invoked(number, history[number])
    return checker.finish()


def _is_told(value: Value, number: int, meta: Meta) -> bool:
    """Tell whether it is certain which entry of a receipt is new: a repeated value has the id it had before.

    Otherwise the entries may stand at the wrong indexes, which only reads show.
    """
    return value.attempts[0] == number or value.claimed.id == meta.sequence_id
