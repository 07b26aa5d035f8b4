"""Publishes that their client gives up half-way: cancelled, or hung up on, after a time of its own choosing each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from conformance.craft.any_kind import new_envelope
from conformance.craft.topics import Kind, topic_of
from conformance.suite.api.s3_publish.judging import Envelope, topics_of, wire
from conformance.target.patience import until

if TYPE_CHECKING:
    from conformance.craft.draw import Draw
    from conformance.target.answers import Published
    from conformance.target.deployment import Deployment
    from conformance.target.node import Node
    from conformance.wire.transcript import Seen

# how far through an undisturbed publish, or a little beyond its end, a client may give up
_LATEST = 1.2
_TOPICS = 4
MANY_TOPICS = 16  # a batch that takes a while, so that giving up seldom comes too early or too late


def batch(node: Node, draw: Draw, kind: Kind, topics: int = _TOPICS) -> list[Envelope]:
    """Make one envelope on each of several topics, at most as many as a publish may have."""
    return [new_envelope(draw, kind) for _ in range(min(topics, node.limits.max_publish_topics))]


def patience(node: Node, draw: Draw, kind: Kind, topics: int = _TOPICS) -> float:
    """Choose how many seconds to wait for an answer, by how long a publish of such a batch has just taken."""
    call = node.publish(*batch(node, draw, kind, topics)).confirmed().call
    return draw.random.uniform(0, _LATEST) * (call.ended_ns - call.started_ns) / 1e9


def abandoned(deployment: Deployment, *sent: Envelope, after_s: float, disconnect: bool) -> Published:
    """Publish and go away after `after_s` seconds: cancel the call, or hang up on a connection of its own."""
    leaving = deployment.fresh_node() if disconnect else deployment.node()
    if disconnect:
        leaving.configuration().ok()  # connected before the time runs
    return leaving.publish_abandoned(*sent, after_s=after_s, disconnect=disconnect)


def request_of(sent: Sequence[Envelope]) -> list[tuple[bytes, bytes]]:
    """Name the topic and the encoding of each envelope."""
    return [(topic_of(envelope), wire(envelope)) for envelope in sent]


def settled_read(node: Node, batches: Sequence[Sequence[Envelope]]) -> tuple[Seen, ...]:
    """Read all topics until each batch shows whole or not at all, or the patience is over; each topic has one envelope.

    What is not there may come yet. What has come in part, and stays so for seconds, is no longer on its way.
    """
    topics = [topics_of(*each) for each in batches]

    def whole(seen: Sequence[Seen]) -> bool:
        there = {each.meta.topic for each in seen}
        return all(there.issuperset(each) or there.isdisjoint(each) for each in topics)

    return until(lambda: node.envelopes_on(*(topic for each in topics for topic in each)), whole)
