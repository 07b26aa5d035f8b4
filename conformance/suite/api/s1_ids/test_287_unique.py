"""API-287: no two envelopes of a deployment share a sequence id."""

from __future__ import annotations

from functools import partial
from itertools import chain, cycle, islice

from conformance.craft.any_kind import KINDS, Envelope, new_envelope
from conformance.craft.draw import Draw
from conformance.craft.group_message import new_message
from conformance.craft.topics import group_topic
from conformance.oracle.order import one_id_one_envelope
from conformance.suite import covers
from conformance.target.node import Node
from conformance.target.together import together
from conformance.target.workload import publish_in_turn

WRITERS = 8
EACH = 6


def one_by_one(draw: Draw) -> list[list[Envelope]]:
    """Make requests of one envelope each, on topics of their own, of every kind in turn."""
    return [[new_envelope(draw, kind)] for kind in islice(cycle(KINDS), EACH)]


@covers("API-287.a")
def test_racing_publishes_to_one_topic_never_share_an_id(node: Node, draw: Draw) -> None:
    """API-287.a: clients that publish to one topic at once get ids of their own."""
    group_id = draw.group_id()
    work = [
        [[new_message(draw, group_id) for _ in range(1 + turn % 2)] for turn in range(EACH)] for _ in range(WRITERS)
    ]
    receipts = together(*(partial(publish_in_turn, node, requests) for requests in work))
    read = node.read_all(group_topic(group_id))
    one_id_one_envelope([*chain(*receipts), *(seen.meta for seen in read)])


@covers("API-287.b")
def test_racing_publishes_to_many_topics_never_share_an_id(node: Node, draw: Draw) -> None:
    """API-287.b: clients that publish to topics of their own at once get ids of their own."""
    work = [
        [[new_envelope(draw, KINDS[(writer + turn) % len(KINDS)])] for turn in range(EACH)] for writer in range(WRITERS)
    ]
    receipts = together(*(partial(publish_in_turn, node, requests) for requests in work))
    one_id_one_envelope(chain(*receipts))


@covers("API-287.b")
def test_publishes_through_two_endpoints_never_share_an_id(pair: tuple[Node, Node], draw: Draw) -> None:
    """API-287.b: clients that publish through two endpoints at once get ids of their own."""
    work = [one_by_one(draw) for _ in range(WRITERS)]
    receipts = together(*(partial(publish_in_turn, pair[writer % 2], requests) for writer, requests in enumerate(work)))
    one_id_one_envelope(chain(*receipts))
