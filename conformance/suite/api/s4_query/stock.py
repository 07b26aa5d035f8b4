"""Quiet topics filled for one case: nobody else writes to them, so what a read must show is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle

from conformance.craft.any_kind import Envelope, new_envelope
from conformance.craft.draw import Draw
from conformance.craft.plans import QueryPlan
from conformance.craft.topics import IDENTIFIER_BYTES, Kind, topic, topic_of
from conformance.oracle.paging import PageFacts, effective_limit, eligible_ids, lowest_cursors
from conformance.suite.api.each import PAGED_KINDS
from conformance.target.answers import Newest, Page
from conformance.target.errors import Missing
from conformance.target.node import Node, Position
from conformance.target.patience import until
from conformance.wire.transcript import Meta, Seen

_MOST_PER_REQUEST = 8


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One page, the position each topic was read from, the effective limit, and how many envelopes were eligible."""

    page: PageFacts
    cursors: Mapping[bytes, int]
    limit: int
    eligible: int


@dataclass(frozen=True, kw_only=True)
class Walk:
    """Pages read one after the other, each above the ids shown before, and the effective limit of each."""

    pages: tuple[PageFacts, ...]
    cursors: Mapping[bytes, int]
    limits: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class AskedNewest:
    """The results of a QueryNewest, the topics it named, and the seconds from the last publish to its answer."""

    results: tuple[Seen, ...]
    requested: tuple[bytes, ...]
    waited_s: float


class Stock:
    """Topics of one case, one for each of `counts` that holds so many envelopes; `kinds` take turns.

    Nothing is published before `ids` is first needed. Requests mix the topics, so that the ids of one topic lie
    between those of another, and several envelopes of a topic come from one publish.
    """

    def __init__(self, node: Node, draw: Draw, *counts: int, kinds: Sequence[Kind] = PAGED_KINDS) -> None:
        self.node = node
        self._draw = draw
        self._counts = counts
        self._published_ns = 0
        self._ids: dict[bytes, list[int]] | None = None
        self._failed: AssertionError | None = None
        self._owners = [
            (kind, draw.identifier(IDENTIFIER_BYTES[kind])) for kind, _ in zip(cycle(kinds), counts, strict=False)
        ]
        self.topics = tuple(topic(kind, identifier) for kind, identifier in self._owners)

    @property
    def ids(self) -> dict[bytes, list[int]]:
        """The sequence ids each topic holds, ascending. Raises what a failed publish raises, the same at every call."""
        if self._failed is not None:
            raise self._failed.with_traceback(None)
        if self._ids is None:
            try:
                self._ids = self._fill()
            except AssertionError as failed:  # a property would publish again for every example it shrinks to
                self._failed = failed
                raise
        return self._ids

    def add(self, slot: int) -> None:
        """Publish one more envelope to topic number `slot`."""
        ids = self.ids[self.topics[slot]]
        ids.extend(meta.sequence_id for meta in self._publish(new_envelope(self._draw, *self._owners[slot])))

    def ask(self, *positions: Position, limit: int = 0) -> Asked:
        """Query `positions`, as many of them as one request may name. Raises what reading a failed page raises."""
        positions = positions[: self.node.limits.max_query_topics]
        cursors = self.cursors(positions)
        eligible = sum(len(ids) for ids in eligible_ids(self.ids, cursors).values())
        page = facts(self.node.query(*positions, limit=limit))
        return Asked(page=page, cursors=cursors, limit=paged_by(self.node, limit), eligible=eligible)

    def ask_as_planned(self, plan: QueryPlan) -> Asked:
        """Query what `plan` says, its limit lowered to the published maximum (what lies above is API-241's own)."""
        positions = [
            Position(self.topics[slot], cursor.resolve(self.ids[self.topics[slot]]))
            for slot, cursor in zip(plan.topics, plan.cursors, strict=True)
        ][: self.node.limits.max_query_topics]
        eligible = sum(len(ids) for ids in eligible_ids(self.ids, self.cursors(positions)).values())
        ceiling = self.node.limits.max_query_limit
        return self.ask(*positions, limit=min(plan.resolve_limit(eligible, ceiling=ceiling), ceiling))

    def walk(self, *positions: Position, limits: Sequence[int]) -> Walk:
        """Page `positions` to the end with each of `limits` in turn; stop when there are more pages than envelopes."""
        positions = positions[: self.node.limits.max_query_topics]
        start = self.cursors(positions)
        cursors, pages, used = dict(start), list[PageFacts](), list[int]()
        most = sum(len(ids) for ids in eligible_ids(self.ids, start).values()) + 1
        while len(pages) < most and (not pages or pages[-1].has_more):
            used.append(limits[len(pages) % len(limits)])
            pages.append(facts(self.node.query(*(Position(*entry) for entry in cursors.items()), limit=used[-1])))
            for meta in pages[-1].metas:
                cursors[meta.topic] = max(meta.sequence_id, cursors.get(meta.topic, 0))
        return Walk(pages=tuple(pages), cursors=start, limits=tuple(paged_by(self.node, limit) for limit in used))

    def newest(self, *topics: bytes, full: bool = False) -> AskedNewest:
        """Ask for the newest envelope of `topics`, as many of them as one request may name.

        Asks again while a lagging copy may be catching up (API section 1); it may still be behind when patience ends.
        """
        published = self.node.limits
        named = topics[: published.max_newest_full_topics if full else published.max_newest_metadata_topics]
        current = {(name, self.ids[name][-1]) for name in named if self.ids[name]}

        def is_current(answer: Newest) -> bool:
            return current <= {(seen.meta.topic, seen.meta.sequence_id) for seen in answer.results}

        answer = until(lambda: self.node.newest(*named, full=full), is_current)
        waited_s = (answer.call.ended_ns - self._published_ns) / 1e9
        return AskedNewest(results=answer.results, requested=named, waited_s=waited_s)

    @staticmethod
    def cursors(positions: Sequence[Position]) -> Mapping[bytes, int]:
        """Give the position that each topic of a Query must be read from."""
        return lowest_cursors((position.topic or b"", position.cursor) for position in positions)

    def _fill(self) -> dict[bytes, list[int]]:
        found: dict[bytes, list[int]] = {name: [] for name in self.topics}
        for request in self._requests():
            for meta in self._publish(*request):
                found.setdefault(meta.topic, []).append(meta.sequence_id)
        return {name: sorted(ids) for name, ids in found.items()}

    def _publish(self, *envelopes: Envelope) -> tuple[Meta, ...]:
        answer = self.node.publish(*envelopes)
        self._published_ns = answer.call.ended_ns
        return answer.metas

    def _requests(self) -> Iterator[list[Envelope]]:
        request: list[Envelope] = []
        for turn in range(max(self._counts, default=0)):
            for (kind, identifier), count in zip(self._owners, self._counts, strict=True):
                if turn >= count:
                    continue
                envelope = new_envelope(self._draw, kind, identifier)
                topics = {topic_of(each) for each in (*request, envelope)}
                if len(request) == _MOST_PER_REQUEST or len(topics) > self.node.limits.max_publish_topics:
                    yield request
                    request = []
                request.append(envelope)
        if request:
            yield request


def needs_room_for(node: Node, topics: int) -> None:
    """Raise Missing unless one Query, and one QueryNewest of either form, may name so many topics."""
    limits = node.limits
    if min(limits.max_query_topics, limits.max_newest_full_topics, limits.max_newest_metadata_topics) < topics:
        raise Missing("limits", f"one request may name fewer than {topics} topics")


def paged_by(node: Node, limit: int) -> int:
    """Give the limit that a node must page by when asked for `limit`."""
    return effective_limit(limit, default=node.limits.default_query_limit, ceiling=node.limits.max_query_limit)


def facts(page: Page) -> PageFacts:
    """Take from a page what the oracles judge. Raises what reading a failed page raises."""
    return PageFacts(metas=tuple(seen.meta for seen in page.seen), has_more=page.has_more)
