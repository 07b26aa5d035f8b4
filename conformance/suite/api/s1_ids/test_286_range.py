"""API-286: every sequence id lies between 1 and 2^63-1."""

from __future__ import annotations

from conformance.craft.any_kind import one_of_each_kind
from conformance.craft.draw import Draw
from conformance.craft.topics import topic_of
from conformance.oracle.order import in_range
from conformance.suite import covers
from conformance.target.node import Node
from conformance.target.pool import Pool


@covers("API-286.a")
def test_ids_lie_between_1_and_the_largest_signed_number(node: Node, draw: Draw) -> None:
    """API-286.a: every id in a receipt or a read is at least 1 and at most 2^63-1."""
    sent = one_of_each_kind(draw)
    receipts = node.publish(*sent).metas
    read = node.envelopes_on(*(topic_of(envelope) for envelope in sent))
    in_range([*receipts, *(seen.meta for seen in read)])


@covers("API-286.a")
def test_the_first_ids_of_a_deployment_are_in_range(pool: Pool, draw: Draw) -> None:
    """API-286.a: the very first envelope of a deployment has an id of at least 1, so that cursor 0 is below it."""
    with pool.exclusive() as deployment:
        node, sent = deployment.node(), one_of_each_kind(draw)
        receipts = [node.publish(envelope).meta for envelope in sent]
        read = node.envelopes_on(*(topic_of(envelope) for envelope in sent))
    in_range([*receipts, *(seen.meta for seen in read)])
