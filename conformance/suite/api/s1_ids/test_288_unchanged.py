"""API-288: an envelope keeps its sequence id in every receipt and every read."""

from __future__ import annotations

from conformance.craft.any_kind import new_envelope, one_of_each_kind
from conformance.craft.draw import Draw
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.reads import same_field
from conformance.suite import covers
from conformance.suite.api.each import each_kind
from conformance.target.deployment import Deployment
from conformance.target.node import Node
from conformance.target.pool import Pool
from conformance.target.settled import sightings


@covers("API-288.a")
@each_kind
def test_another_client_gets_the_first_id_again(deployment: Deployment, node: Node, draw: Draw, kind: Kind) -> None:
    """API-288.a: a repeated publish shows the id of the first one, from the same client and from another one."""
    envelope = new_envelope(draw, kind)
    first = node.publish(envelope).meta
    again = [client.publish(envelope).meta for client in (node, deployment.fresh_node())]
    same_field("sequence_id", first, again, where="The receipt of a repeat")


@covers("API-288.a")
@each_kind
def test_another_endpoint_answers_with_the_first_id(pair: tuple[Node, Node], draw: Draw, kind: Kind) -> None:
    """API-288.a: a publish repeated through another endpoint shows the id of the first one."""
    envelope = new_envelope(draw, kind)
    first, again = (node.publish(envelope).meta for node in pair)
    same_field("sequence_id", first, [again], where="The receipt of a repeat through another endpoint")


@covers("API-288.a")
def test_a_restarted_backend_answers_with_the_first_id(pool: Pool, draw: Draw) -> None:
    """API-288.a: a publish repeated after a restart of the backend shows the id of the first one."""
    with pool.exclusive() as deployment:
        node, sent = deployment.node(), one_of_each_kind(draw)
        first = node.publish(*sent).metas
        deployment.restart()
        again = node.publish(*sent).metas
    for before, after in zip(first, again, strict=True):
        same_field("sequence_id", before, [after], where="The receipt of a repeat after a restart")


@covers("API-288.b")
@each_kind
def test_every_read_shows_the_id_of_the_receipt(node: Node, draw: Draw, kind: Kind) -> None:
    """API-288.b: Query, and QueryNewest in both forms, show the id that the receipt showed."""
    envelope = new_envelope(draw, kind)
    receipt = node.publish(envelope).meta
    shown = sightings(node, topic_of(envelope))
    same_field("sequence_id", receipt, (seen.meta for seen in shown), where="A read")
