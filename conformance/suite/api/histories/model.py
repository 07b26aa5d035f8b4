"""The abstract backend: per topic a rising list of envelopes, and nothing else. One client drives it and the target.

A machine judges one clause and only follows in all else, so that a fault elsewhere does not speak against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from conformance.craft.draw import Draw
from conformance.craft.malformed import MALFORMED
from conformance.craft.plans import BatchPlan, Cast, EnvelopePlan, QueryPlan, Repeat
from conformance.craft.strategies import FORM_NAMES, UNSIGNED_KINDS, publish_plans, query_plans
from conformance.craft.topics import topic_of
from conformance.craft.traffic import DEFECTS
from conformance.oracle.history.digest import value_digest
from conformance.oracle.metadata import same_receipt
from conformance.oracle.newest import lawful_newest
from conformance.oracle.order import ids_above
from conformance.oracle.paging import PageFacts, complete_walk, effective_limit, lawful_page, lowest_cursors
from conformance.oracle.reads import same_payload_everywhere
from conformance.oracle.status import ended
from conformance.oracle.violation import Violation
from conformance.suite.api.machines import driven
from conformance.target.node import Node, Position
from conformance.target.patience import until
from conformance.wire.transcript import Code, Meta, Seen

SLOTS = 2
STEPS = 24
_MOST_PAGES = 200


def _request(fewest: int, most: int) -> st.SearchStrategy[BatchPlan]:
    plans = publish_plans(slots=SLOTS, forms=FORM_NAMES, batches=1, fewest=fewest, envelopes=most, largest=300)
    return plans.map(lambda requests: requests[0])


first_request = _request(6, 12)
one_request = _request(1, 4)


class Stored:
    """What the target must hold by its receipts: every envelope by the digest of its value."""

    def __init__(self) -> None:
        self.metas: dict[bytes, Meta] = {}
        self.sent: dict[bytes, bytes] = {}

    def ids(self, topics: Iterable[bytes]) -> dict[bytes, list[int]]:
        """Give the ids of each topic, ascending."""
        found: dict[bytes, list[int]] = {topic: [] for topic in topics}
        for meta in self.metas.values():
            found.setdefault(meta.topic, []).append(meta.sequence_id)
        return {topic: sorted(ids) for topic, ids in found.items()}


class Machine(RuleBasedStateMachine):
    """Carries out publishes and reads in any order, and judges those that concern `clause`."""

    def __init__(self, node: Node, draw: Draw, clause: str, found: list[AssertionError]) -> None:
        super().__init__()
        self.found = found
        self.node = node
        # bytes that are the same whenever hypothesis plays an example again, identifiers that never are
        self.draw = Draw(0, draw.identifier(16))
        self.clause = clause
        self.cast = Cast(self.draw)
        self.topics = [self.cast.topic(kind, slot) for kind in UNSIGNED_KINDS for slot in range(SLOTS)]
        self.stored = Stored()

    @initialize(plan=first_request)
    def stock(self, plan: BatchPlan) -> None:
        """Publish some envelopes to begin with."""
        self.publish(plan)

    @rule(plan=one_request)
    def publish(self, plan: BatchPlan) -> None:
        """Publish new envelopes and repeats of earlier ones, in any encoding."""
        wires = self._wires(plan)
        metas = self.node.publish(*wires).metas
        before, new = tuple(self.stored.metas.values()), list[Meta]()
        for wire, meta in zip(wires, metas, strict=True):
            value = value_digest(wire)
            known = self.stored.metas.get(value)
            if known is None:
                self.stored.metas[value], self.stored.sent[value] = meta, wire
                new.append(meta)
            elif self.clause == "API-222.a":
                with self.judging():
                    same_receipt(known, meta, where="The receipt of a repeat")
        if self.clause == "API-289.a":
            with self.judging():
                ids_above(new, seen=before)

    @rule(plan=one_request, defect=st.sampled_from(DEFECTS), place=st.integers(0, 4))
    def publish_what_must_fail(self, plan: BatchPlan, defect: str, place: int) -> None:
        """Publish a request with a malformed envelope in it; what it shares with others stays as it was."""
        wires = self._wires(plan)
        call = self.node.publish(*wires[:place], MALFORMED[defect].build(self.draw).broken, *wires[place:]).call
        ended(call, (Code.INVALID_ARGUMENT,))
        if self.clause == "API-220.a":
            with self.judging():
                self._holds_nothing_else({topic_of(wire) for wire in wires})

    @precondition(lambda self: self.clause in ("API-202.c", "API-211.a"))
    @rule(plan=query_plans(topics=len(UNSIGNED_KINDS) * SLOTS))
    def query(self, plan: QueryPlan) -> None:
        """Ask for one page of any topics, from any cursors, with any limit."""
        ids, positions = self.stored.ids(self.topics), self._positions(plan)
        cursors = lowest_cursors((position.topic or b"", position.cursor) for position in positions)
        eligible = sum(number > cursor for topic, cursor in cursors.items() for number in ids[topic])
        limit = plan.resolve_limit(eligible, ceiling=self.node.limits.max_query_limit)
        page = self.node.query(*positions, limit=limit)
        with self.judging():
            if self.clause == "API-202.c":
                facts = PageFacts(metas=page.metas, has_more=page.has_more)
                lawful_page(facts, stored=ids, cursors=cursors, limit=self._effective(limit))
            else:
                self._carries_what_was_sent(page.seen)

    @precondition(lambda self: self.clause == "API-240.h")
    @rule(
        plan=query_plans(topics=len(UNSIGNED_KINDS) * SLOTS), limits=st.lists(st.integers(1, 6), min_size=1, max_size=3)
    )
    def walk(self, plan: QueryPlan, limits: list[int]) -> None:
        """Page topics to the end, with limits in turn."""
        positions = self._positions(plan)
        start = lowest_cursors((position.topic or b"", position.cursor) for position in positions)
        cursors, pages = dict(start), list[PageFacts]()
        while len(pages) < _MOST_PAGES and (not pages or pages[-1].has_more):
            page = self.node.query(
                *(Position(*entry) for entry in cursors.items()), limit=limits[len(pages) % len(limits)]
            )
            pages.append(PageFacts(metas=page.metas, has_more=page.has_more))
            for meta in page.metas:
                cursors[meta.topic] = max(meta.sequence_id, cursors.get(meta.topic, 0))
        used = [self._effective(limits[number % len(limits)]) for number in range(len(pages))]
        with self.judging():
            complete_walk(pages, stored=self.stored.ids(self.topics), cursors=start, limits=used)

    @precondition(lambda self: self.clause == "API-244.b")
    @rule(slots=st.lists(st.integers(0, len(UNSIGNED_KINDS) * SLOTS - 1), min_size=1, max_size=6), full=st.booleans())
    def newest(self, slots: list[int], full: bool) -> None:
        """Ask for the newest envelopes; a copy that lags gets time to catch up (API section 1)."""
        published = self.node.limits
        most = published.max_newest_full_topics if full else published.max_newest_metadata_topics
        topics = [self.topics[slot] for slot in slots][:most]
        ids = self.stored.ids(self.topics)
        wanted = {(topic, ids[topic][-1]) for topic in topics if ids[topic]}
        answer = until(
            lambda: self.node.newest(*topics, full=full),
            lambda given: wanted <= {(seen.meta.topic, seen.meta.sequence_id) for seen in given.results},
        )
        with self.judging():
            lawful_newest(answer.results, requested=topics, stored=ids, full=full, may_lag=False)

    @contextmanager
    def judging(self) -> Iterator[None]:
        """Keep the violation that a judgement in the block finds."""
        try:
            yield
        except AssertionError as violation:
            self.found.append(violation)
            raise

    def _wires(self, plan: BatchPlan) -> list[bytes]:
        """Encode a request, without what would make it span too many topics."""
        items: list[EnvelopePlan | Repeat] = list(plan.items)
        wires = [self.cast.encode(item) for item in items]
        while len({topic_of(wire) for wire in wires}) > self.node.limits.max_publish_topics:
            wires.pop()
        return wires

    def _positions(self, plan: QueryPlan) -> list[Position]:
        ids = self.stored.ids(self.topics)
        named = [self.topics[slot] for slot in plan.topics]
        positions = [
            Position(topic, cursor.resolve(ids[topic])) for topic, cursor in zip(named, plan.cursors, strict=True)
        ]
        return positions[: self.node.limits.max_query_topics]

    def _effective(self, limit: int) -> int:
        published = self.node.limits
        return effective_limit(limit, default=published.default_query_limit, ceiling=published.max_query_limit)

    def _holds_nothing_else(self, topics: Iterable[bytes]) -> None:
        ids = self.stored.ids(self.topics)
        for topic in topics:
            for seen in self.node.read_all(topic):
                if seen.meta.sequence_id not in ids[topic]:
                    raise Violation(
                        "stored-despite-failure",
                        "A publish that failed left an envelope behind.",
                        witness={"envelope": seen.meta},
                    )

    def _carries_what_was_sent(self, page: Sequence[Seen]) -> None:
        by_id = {meta.sequence_id: self.stored.sent[value] for value, meta in self.stored.metas.items()}
        for seen in page:
            if seen.meta.sequence_id in by_id:
                same_payload_everywhere(by_id[seen.meta.sequence_id], [seen])


def follows_the_model(node: Node, draw: Draw, clause: str) -> None:
    """Drive the target and the model through sequences of calls; a few examples, each of many calls.

    Raises Violation for a call about `clause` whose answer the model does not allow.
    """
    found: list[AssertionError] = []

    class Bound(Machine):
        def __init__(self) -> None:
            super().__init__(node, draw, clause, found)

    driven(Bound, draw, found, steps=STEPS)
