"""API-212: position, topic and flags in the metadata are what the contract says, on every return path."""

from __future__ import annotations

import pytest

from conformance.craft.any_kind import new_envelope, new_identifier
from conformance.craft.claims import claiming_metadata
from conformance.craft.draw import Draw
from conformance.craft.group_message import ContentType, group_envelope, new_message, private_message
from conformance.craft.group_shapes import LEFT_OPEN, SHAPES
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.influence import unmoved
from conformance.oracle.metadata import flag, same_receipt
from conformance.oracle.order import ids_above
from conformance.oracle.paging import PageFacts, lawful_page
from conformance.oracle.publish import one_meta_per_envelope
from conformance.oracle.reads import agree_everywhere, shown_by
from conformance.suite import Notes, covers
from conformance.suite.api.each import each_kind, each_paged_kind
from conformance.suite.api.s1_ids.stock import a_topic_of
from conformance.suite.api.s2_envelope.samples import FILLED, SHAPES_OF_USUAL_LENGTH
from conformance.target.node import Node, Position
from conformance.target.settled import sightings
from conformance.wire.transcript import Code

CLAIMS = ("flag-beside-the-payload", "metadata-beside-the-payload", "flag-and-expiry-in-the-payload")


@covers("API-212.a")
@each_paged_kind
def test_the_id_shown_is_the_position_to_read_from(node: Node, draw: Draw, kind: Kind) -> None:
    """API-212.a: reading from one below an id shows its envelope, reading from the id itself does not."""
    envelope = new_envelope(draw, kind)
    topic, shown = topic_of(envelope), node.publish(envelope).meta.sequence_id
    for cursor in (shown - 1, shown):
        page = node.query(Position(topic, cursor))
        lawful_page(
            PageFacts(metas=page.metas, has_more=page.has_more),
            stored={topic: [shown]},
            cursors={topic: cursor},
            limit=node.limits.default_query_limit,
        )


@covers("API-212.a")
def test_every_id_of_a_topic_is_a_position_to_read_from(node: Node, draw: Draw) -> None:
    """API-212.a: reading from the id of one envelope of a topic shows exactly those behind it."""
    topic, envelopes = a_topic_of(draw, 4)
    ids = sorted(meta.sequence_id for meta in node.publish(*envelopes).metas)
    for cursor in (cursor for shown in ids for cursor in (shown - 1, shown)):
        page = node.query(Position(topic, cursor))
        lawful_page(
            PageFacts(metas=page.metas, has_more=page.has_more),
            stored={topic: ids},
            cursors={topic: cursor},
            limit=node.limits.default_query_limit,
        )


@covers("API-212.b")
@pytest.mark.parametrize("name", FILLED)
def test_the_payload_decides_the_topic(node: Node, draw: Draw, name: str) -> None:
    """API-212.b: a receipt names the topic the payload belongs on, and reads of that topic find the envelope."""
    envelope = FILLED[name](draw, 64)
    topic = topic_of(envelope)
    metas = node.publish(envelope).metas
    one_meta_per_envelope([topic], metas)
    for seen in shown_by(metas[0], sightings(node, topic), source="A read"):
        one_meta_per_envelope([topic], [seen.meta])


@covers("API-212.f")
@pytest.mark.parametrize("name", SHAPES_OF_USUAL_LENGTH)
def test_commits_and_proposals_are_flagged_and_other_messages_are_not(node: Node, draw: Draw, name: str) -> None:
    """API-212.f: the content type of a group message alone decides is_commit_or_proposal."""
    shape = SHAPES[name]
    envelope = group_envelope(shape.data(draw.group_id()))
    receipt = node.publish(envelope).meta
    for meta in (receipt, *(seen.meta for seen in sightings(node, topic_of(envelope)))):
        flag(meta, content_type=shape.content_type)


@covers("API-212.f")
@each_kind
def test_no_other_kind_is_flagged(node: Node, draw: Draw, kind: Kind) -> None:
    """API-212.f: an application message, and an envelope of any other kind, is neither commit nor proposal."""
    envelope = new_envelope(draw, kind)
    receipt = node.publish(envelope).meta
    for meta in (receipt, *(seen.meta for seen in sightings(node, topic_of(envelope)))):
        flag(meta, content_type=ContentType.APPLICATION if kind is Kind.GROUP_MESSAGE else None)


@covers("API-212.f")
def test_a_public_message_of_application_content_is_not_flagged(node: Node, draw: Draw, notes: Notes) -> None:
    """API-212.f: RFC 9420 forbids to send one; it may be refused, and if it is stored, its flag is false."""
    shape = LEFT_OPEN["public-member-application"]
    answer = node.publish(group_envelope(shape.data(draw.group_id())))
    if answer.status.code is Code.INVALID_ARGUMENT:
        notes.add("A PublicMessage with application content is refused; the contract leaves that open.")
    else:
        flag(answer.meta, content_type=shape.content_type)


@covers("API-212.g")
@pytest.mark.parametrize("content_type", ContentType, ids=lambda content_type: content_type.name.lower())
def test_the_wish_for_a_push_changes_no_metadata(node: Node, draw: Draw, content_type: ContentType) -> None:
    """API-212.g: two messages of one publish that differ in should_push get the same metadata."""
    data = private_message(draw.group_id(), content_type=content_type)
    unmoved(*node.publish(group_envelope(data), group_envelope(data, should_push=True)).metas)


@covers("API-212.g")
@each_kind
def test_metadata_that_a_client_claims_is_not_taken_over(node: Node, draw: Draw, kind: Kind) -> None:
    """API-212.g: unknown fields in the shape of metadata change nothing but, perhaps, the hash."""
    before, identifier = node.publish(new_message(draw, draw.group_id())).metas, new_identifier(draw, kind)
    plain, *others = (new_envelope(draw, kind, identifier) for _ in range(4))
    claiming = [claiming_metadata(other)[name] for other, name in zip(others, CLAIMS, strict=True)]
    first, *rest = node.publish(plain, *claiming).metas
    ids_above([first, *rest], seen=before)
    for meta in rest:
        unmoved(first, meta)


@covers("API-212.h")
@each_kind
def test_every_answer_shows_the_same_six_fields(node: Node, draw: Draw, kind: Kind) -> None:
    """API-212.h: the six fields are filled and equal in both receipts of a repeat, in Query and in QueryNewest."""
    envelope = new_envelope(draw, kind)
    receipt, again = node.publish(envelope).meta, node.publish(envelope).meta
    same_receipt(receipt, again, where="The receipt of a repeat")
    agree_everywhere(receipt, sightings(node, topic_of(envelope)))
