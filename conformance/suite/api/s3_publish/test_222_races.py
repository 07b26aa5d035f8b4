"""API-222: an envelope that is published several times at the same moment is stored once, and nobody fails for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import pytest

from conformance.craft.any_kind import KINDS, new_envelope, new_identifier, one_of_each_kind
from conformance.craft.draw import Draw
from conformance.craft.topics import Kind
from conformance.oracle.absence import one_copy_of_each
from conformance.oracle.publish import same_where_same
from conformance.suite import covers
from conformance.suite.api.each import PAGED_KINDS, each_kind
from conformance.suite.api.s3_publish.judging import Envelope, shown, wire
from conformance.target.deployment import Deployment
from conformance.target.holding import held_publish
from conformance.target.node import Node
from conformance.target.pool import Pool
from conformance.target.together import together

WRITERS = 8
# a long request is admitted for longer, and so meets the others more often
OF_EACH_KIND = 13
each_round = pytest.mark.parametrize("number", range(4), ids="round-{}".format)


@covers("API-222.b")
@each_kind
def test_one_envelope_of_many_clients_at_once_is_stored_once(deployment: Deployment, draw: Draw, kind: Kind) -> None:
    """API-222.b: clients that publish one envelope at the same moment get one receipt, and one copy is there."""
    with _clients(deployment) as clients:
        _race(clients, [[new_envelope(draw, kind)]] * WRITERS)


@covers("API-222.b")
@each_round
def test_one_request_of_many_clients_at_once_is_stored_once(deployment: Deployment, draw: Draw, number: int) -> None:
    """API-222.b: the same holds for each envelope of a long request."""
    with _clients(deployment) as clients:
        _race(clients, [_long_request(draw)] * WRITERS)


@covers("API-222.b")
@each_round
def test_overlapping_requests_of_opposite_order_all_succeed(deployment: Deployment, draw: Draw, number: int) -> None:
    """API-222.b: requests that share their envelopes in opposite order do not hinder each other."""
    request = _long_request(draw)
    with _clients(deployment) as clients:
        _race(clients, [request, request[::-1]] * (WRITERS // 2))


@covers("API-222.b")
@each_round
def test_one_request_at_two_endpoints_at_once_is_stored_once(pair: tuple[Node, Node], draw: Draw, number: int) -> None:
    """API-222.b: it makes no difference that the same moment happens at two endpoints."""
    request = _long_request(draw)
    _race(pair * (WRITERS // 2), [request, request[::-1], request[::-1], request] * (WRITERS // 4))


@covers("API-222.b")
def test_an_envelope_of_a_publish_in_progress_is_a_duplicate(pool: Pool, draw: Draw) -> None:
    """API-222.b: what is published again while it is still being stored shares the receipt of the publish ahead."""
    envelopes, others = one_of_each_kind(draw), one_of_each_kind(draw)
    with pool.exclusive() as deployment:
        node, other = deployment.node(), deployment.fresh_node()
        with held_publish(deployment, *envelopes) as held:
            again = held.beside(partial(other.publish, *reversed(envelopes)))
            # while these are stored, the publish sent before them comes to where it has to wait for the held one
            for envelope in others:
                node.publish(envelope).ok()
        same_where_same([*KINDS, *reversed(KINDS)], [*held.answer.result().metas, *again.result().metas])
        one_copy_of_each(shown(node, *envelopes), map(wire, envelopes))


def _race(nodes: Sequence[Node], requests: Sequence[Sequence[Envelope]]) -> None:
    """Publish every request through its node at the same moment, and judge that each envelope was stored once."""
    answers = together(*(partial(node.publish, *request) for node, request in zip(nodes, requests, strict=True)))
    sent = [wire(envelope) for request in requests for envelope in request]
    same_where_same(sent, [meta for answer in answers for meta in answer.metas])
    one_copy_of_each(shown(nodes[0], *requests[0]), set(sent))


@contextmanager
def _clients(deployment: Deployment) -> Iterator[list[Node]]:
    """Connect the writers, each over a connection of its own that is open already."""
    nodes = [deployment.fresh_node() for _ in range(WRITERS)]
    for node in nodes:
        node.configuration().ok()
    yield nodes
    for node in nodes:
        node.close()


def _long_request(draw: Draw) -> list[Envelope]:
    """Make a request of many envelopes of all kinds that Query serves, on one topic of each."""
    identifiers = [new_identifier(draw, kind) for kind in PAGED_KINDS]
    return [
        new_envelope(draw, kind, identifier)
        for _ in range(OF_EACH_KIND)
        for kind, identifier in zip(PAGED_KINDS, identifiers, strict=True)
    ]
