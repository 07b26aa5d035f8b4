"""API-203: what a stream shows lies at or below the closed allocation boundary, so that every read shows it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from operator import le

from conformance.craft.draw import Draw
from conformance.oracle.violation import Violation
from conformance.suite import Notes, covers
from conformance.suite.api.s5_subscribe.kinds import StreamKind, each_stream_kind
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.target.answers import Page
from conformance.target.deployment import Deployment
from conformance.target.node import Node, Position
from conformance.target.patience import until
from conformance.target.together import meanwhile
from conformance.wire.transcript import Meta

WRITERS = 3
EACH = 15
GLANCE_S = 0.005


@dataclass(frozen=True, kw_only=True)
class Read:
    """A page that was asked for when a stream had delivered `delivered`, from below the first of them."""

    delivered: tuple[Meta, ...]
    page: Page

    @property
    def missing(self) -> tuple[Meta, ...]:
        """What the page does not show although its limit did not cut it."""
        shown = {meta.sequence_id for meta in self.page.metas}
        end = max(shown, default=0) if self.page.has_more else self.delivered[-1].sequence_id
        return tuple(meta for meta in self.delivered if meta.sequence_id not in shown and meta.sequence_id <= end)


@covers("API-203.b")
@each_stream_kind
def test_what_a_stream_delivers_is_shown_by_query(
    deployment: Deployment, node: Node, draw: Draw, notes: Notes, kind: StreamKind
) -> None:
    """API-203.b: beside racing writers, what a stream has delivered is there for a Query that is sent right then."""
    traffic, reader, reads = Traffic(node, draw), deployment.fresh_node(), list[Read]()
    topic = traffic.topic()
    work = [traffic.envelopes(topic, EACH) for _ in range(WRITERS)]
    with kind.open(node, topic) as stream:

        def read() -> None:
            seen = sum(len(each.delivered) for each in reads)
            stream.watch(GLANCE_S)
            new = tuple(row.meta for row in stream.rows[seen:])
            if new:
                page = reader.query(Position(topic, new[0].sequence_id - 1), limit=node.limits.max_query_limit)
                reads.append(Read(delivered=new, page=page))

        meanwhile(read, *(partial(traffic.publish_one_by_one, envelopes) for envelopes in work))
    for each in reads:
        shown_once_confirmed(traffic, each, notes)


@covers("API-203.b")
@each_stream_kind
def test_what_a_stream_delivers_is_the_newest_or_below(node: Node, draw: Draw, kind: StreamKind) -> None:
    """API-203.b: QueryNewest comes to show the last envelope that a stream has delivered, or a later one."""
    traffic = Traffic(node, draw)
    topic = traffic.topic()
    with kind.open(node, topic) as stream:
        for _ in range(3):
            traffic.arrive([topic], stream)
            last = stream.rows[-1].meta.sequence_id
            newest = until(partial(newest_of, node, topic), partial(le, last))
            if newest < last:
                witness = {"delivered": last, "newest": newest}
                raise Violation("stale-newest", "A stream has delivered more than QueryNewest shows.", witness=witness)


def newest_of(node: Node, topic: bytes) -> int:
    """Give the id that QueryNewest shows for a topic, 0 when none."""
    return max((seen.meta.sequence_id for seen in node.newest(topic).results), default=0)


def shown_once_confirmed(traffic: Traffic, read: Read, notes: Notes) -> None:
    """Judge a page: what is missing although its receipt was held before the page was asked for is a violation."""
    confirmed = {receipt.meta: receipt.received_ns for receipt in traffic.known().receipts}
    for meta in read.missing:
        if confirmed.get(meta, read.page.call.started_ns) < read.page.call.started_ns:
            raise Violation("hole", "A Query does not show what a stream has delivered.", witness={"delivered": meta})
        notes.add("A Query did not show an envelope that a stream had delivered; its publish was not yet answered.")
