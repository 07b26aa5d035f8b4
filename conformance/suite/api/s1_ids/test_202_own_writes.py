"""API-202: a Query shows what a publish response has confirmed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import chain

import pytest

from conformance.craft.any_kind import new_envelope
from conformance.craft.draw import Draw
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.paging import PageFacts, effective_limit, reads_own_writes
from conformance.suite import covers
from conformance.suite.api.each import each_paged_kind
from conformance.suite.api.s1_ids.stock import a_topic_of
from conformance.target.answers import Page
from conformance.target.deployment import Deployment
from conformance.target.errors import Undecided
from conformance.target.holding import held_publish
from conformance.target.limits import Limits
from conformance.target.node import Node
from conformance.target.pool import Pool
from conformance.target.together import together
from conformance.target.workload import write_then_read
from conformance.wire.transcript import Meta

WRITERS = 4
EACH = 8


def shows(page: Page, receipts: Iterable[Meta], limits: Limits, *, limit: int = 0) -> None:
    """Judge a page that was asked for from the start, with `limit`, when `receipts` were held."""
    held: dict[bytes, set[int]] = {}
    for meta in receipts:
        held.setdefault(meta.topic, set()).add(meta.sequence_id)
    reads_own_writes(
        PageFacts(metas=page.metas, has_more=page.has_more),
        receipts=held,
        cursors=dict.fromkeys(held, 0),
        limit=effective_limit(limit, default=limits.default_query_limit, ceiling=limits.max_query_limit),
    )


@covers("API-202.a")
def test_a_query_sent_at_once_after_the_receipt_shows_the_envelope(deployment: Deployment, draw: Draw) -> None:
    """API-202.a: several clients publish, and read over another connection as soon as they hold the receipt."""
    work = [a_topic_of(draw, EACH) for _ in range(WRITERS)]
    reads = together(
        *(
            partial(write_then_read, deployment.fresh_node(), deployment.fresh_node(), topic, envelopes)
            for topic, envelopes in work
        )
    )
    for read in chain(*reads):
        shows(read.page, read.receipts, deployment.limits)


@covers("API-202.b")
@pytest.mark.parametrize("written", [0, 1], ids=["written-to-the-first", "written-to-the-second"])
def test_a_query_to_another_endpoint_shows_the_envelope(pair: tuple[Node, Node], draw: Draw, written: int) -> None:
    """API-202.b: several clients publish through one endpoint and at once read through the other one."""
    writer, reader = pair[written], pair[1 - written]
    work = [a_topic_of(draw, EACH) for _ in range(WRITERS)]
    reads = together(*(partial(write_then_read, writer, reader, topic, envelopes) for topic, envelopes in work))
    for read in chain(*reads):
        shows(read.page, read.receipts, reader.limits)


@covers("API-202.c")
@pytest.mark.parametrize("limit", [1, 2, 3, 7, 0])
def test_only_the_limit_cuts_a_confirmed_envelope_out(node: Node, draw: Draw, limit: int) -> None:
    """API-202.c: a page of several topics leaves a confirmed envelope out only when it is full, and from its end."""
    stocked = [a_topic_of(draw, count) for count in (1, 3, 4, 2)]
    receipts = node.publish(*chain(*(envelopes for _, envelopes in stocked))).metas
    for count in range(1, len(stocked) + 1):
        asked = [topic for topic, _ in stocked[:count]]
        page = node.query(*asked, limit=limit)
        shows(page, [meta for meta in receipts if meta.topic in asked], node.limits, limit=limit)


@covers("API-202.d")
def test_an_unfinished_publish_elsewhere_hides_nothing(pool: Pool, draw: Draw) -> None:
    """API-202.d: while a publish with a lower id is unfinished, a Query shows what was confirmed on other topics."""
    held_topic, unfinished = a_topic_of(draw, 1)
    topic, envelopes = a_topic_of(draw, 2)
    with pool.exclusive() as deployment:
        node = deployment.node()
        with held_publish(deployment, *unfinished) as held:
            receipts = node.publish(*envelopes).metas
            page = node.query(topic)
            beside = node.query(held_topic, topic)
        lower = held.answer.result().meta.sequence_id
    if lower > min(meta.sequence_id for meta in receipts):
        raise Undecided("The publish that was held had no lower id than the one confirmed beside it.")
    shows(page, receipts, node.limits)
    shows(beside, receipts, node.limits)


@covers("API-202.e")
@each_paged_kind
def test_a_query_after_the_receipt_of_a_repeat_shows_the_envelope(
    deployment: Deployment, node: Node, draw: Draw, kind: Kind
) -> None:
    """API-202.e: after a repeated publish was answered, by another client as well, a Query shows the envelope."""
    envelope = new_envelope(draw, kind)
    other, topic = deployment.fresh_node(), topic_of(envelope)
    node.query(topic).ok()
    node.publish(envelope).confirmed()
    again = other.publish(envelope).meta
    for reader in (node, other):
        shows(reader.query(topic), [again], node.limits)
