"""API-201 on streams: nothing is delivered behind what a stream or a Query has shown already."""

from __future__ import annotations

from functools import partial

from conformance.craft.draw import Draw
from conformance.oracle.paging import ascending
from conformance.oracle.prefix import TopicRead, no_hole
from conformance.suite import covers
from conformance.suite.api.s5_subscribe.kinds import StreamKind, each_stream_kind
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.target.deployment import Deployment
from conformance.target.node import Node
from conformance.target.tail import Tail
from conformance.target.together import meanwhile

WRITERS = 4
EACH = 8
PER_PUBLISH = 4


@covers("API-201.b")
@each_stream_kind
def test_nothing_is_delivered_behind_what_was_shown(
    deployment: Deployment, node: Node, draw: Draw, kind: StreamKind
) -> None:
    """API-201.b: beside racing writers a stream delivers no id below one that it, or a Query, has shown without it."""
    traffic, reader = Traffic(node, draw), deployment.fresh_node()
    topic = traffic.topic()
    tail = Tail(reader, topic)
    work = [[traffic.envelopes(topic, PER_PUBLISH) for _ in range(EACH)] for _ in range(WRITERS)]
    with kind.open(node, topic) as stream:
        meanwhile(tail, *(partial(traffic.publish_in_turn, requests) for requests in work))
        traffic.arrive([topic], stream)
        delivered = [row.meta for row in stream.rows_of(topic)]
    ascending(delivered)
    pages = [TopicRead(source="Query", cursor=page.cursor, ids=page.ids) for page in tail.pages]
    rows = TopicRead(source=stream.call.rpc, cursor=0, ids=tuple(meta.sequence_id for meta in delivered))
    no_hole([*pages, rows])
