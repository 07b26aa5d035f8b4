"""API-212: server_ns is read once per publish in nanoseconds, and expiry_ns follows from it and the kind."""

from __future__ import annotations

import pytest

from conformance.craft.any_kind import KINDS, new_envelope, one_of_each_kind
from conformance.craft.draw import Draw
from conformance.craft.group_message import content_type_of, group_envelope, new_message
from conformance.craft.group_shapes import SHAPES
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.metadata import expiry, one_server_ns, server_ns_unit
from conformance.oracle.reads import same_field
from conformance.oracle.server_clock import Reading, steady
from conformance.suite import Notes, covers
from conformance.suite.api.each import each_kind
from conformance.suite.api.s2_envelope.judging import retention_of
from conformance.suite.api.s2_envelope.samples import SHAPES_BY_CONTENT
from conformance.target.node import Node
from conformance.target.own_clock import now_ns
from conformance.target.settled import sightings
from conformance.target.workload import publish_for

MANY = 24
FAR_APART_NS = 60 * 1_000_000_000
# Steps of a coarse clock and the clocks of several machines fit in here (V10); a clock that stands still does not.
SLACK_NS = 100 * 1_000_000
SPREAD_S = 0.25


@covers("API-212.c")
def test_all_envelopes_of_one_publish_carry_one_time(node: Node, draw: Draw) -> None:
    """API-212.c: many envelopes of all kinds on many topics, stored by one publish, carry the same server_ns."""
    topics = min(MANY, node.limits.max_publish_topics - len(KINDS))
    messages = (new_message(draw, draw.group_id()) for _ in range(topics))
    one_server_ns(node.publish(*one_of_each_kind(draw), *messages).metas)


@covers("API-212.c")
@each_kind
def test_a_repeat_keeps_the_time_of_the_first_publish(node: Node, draw: Draw, kind: Kind) -> None:
    """API-212.c: the receipt of a repeated publish shows the server_ns of the first, also beside new envelopes."""
    envelope = new_envelope(draw, kind)
    first = node.publish(envelope).meta
    _, beside = node.publish(new_message(draw, draw.group_id()), envelope).metas
    same_field("server_ns", first, [beside, node.publish(envelope).meta], where="The receipt of a repeat")


@covers("API-212.c1")
def test_server_ns_is_a_clock_in_nanoseconds_that_runs_with_ours(node: Node, draw: Draw, notes: Notes) -> None:
    """API-212.c1: but for the distance of the clocks, server_ns lies between a publish and its answer."""
    answers = publish_for(SPREAD_S, node, (new_message(draw, draw.group_id()) for _ in range(1000)))
    server_ns_unit(answers[-1].meta, now_ns=now_ns())
    if abs(answers[-1].meta.server_ns - now_ns()) > FAR_APART_NS:
        notes.add("The clock of the backend and the one of this machine are more than a minute apart.")
    readings = [
        Reading(invoked_ns=answer.call.started_ns, completed_ns=answer.call.ended_ns, server_ns=answer.meta.server_ns)
        for answer in answers
    ]
    steady(readings, slack_ns=SLACK_NS)


@covers("API-212.e")
@pytest.mark.parametrize("name", SHAPES_BY_CONTENT)
def test_application_messages_expire_and_commits_and_proposals_do_not(node: Node, draw: Draw, name: str) -> None:
    """API-212.e: the content type of a group message decides whether it expires, by the published retention."""
    shape = SHAPES[name]
    envelope = group_envelope(shape.data(draw.group_id()))
    receipt = node.publish(envelope).meta
    for meta in (receipt, *(seen.meta for seen in sightings(node, topic_of(envelope)))):
        expiry(meta, content_type=shape.content_type, retention=retention_of(node.limits))


@covers("API-212.e")
@each_kind
def test_every_kind_expires_by_a_retention_of_its_own(small: Node, draw: Draw, kind: Kind) -> None:
    """API-212.e: on a deployment that publishes another retention for each kind, each kind expires by its own."""
    envelope = new_envelope(draw, kind)
    receipt = small.publish(envelope).meta
    for meta in (receipt, *(seen.meta for seen in sightings(small, topic_of(envelope)))):
        expiry(meta, content_type=content_type_of(envelope), retention=retention_of(small.limits))
