"""API-210: messages have the field numbers, types and presence that the contract shows, and keep them."""

from __future__ import annotations

import pytest

from conformance.craft.accepted import ACCEPTED
from conformance.craft.any_kind import new_envelope
from conformance.craft.by_hand import ENVELOPES, newest_request, query_request
from conformance.craft.draw import Draw
from conformance.craft.encodings import encoded
from conformance.craft.group_message import new_message
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.newest import one_result_each, payload_as_asked
from conformance.oracle.paging import PageFacts, lawful_page
from conformance.oracle.presence import index_as_due
from conformance.oracle.publish import detailed
from conformance.oracle.reads import same_payload_everywhere
from conformance.oracle.wire_walk import lawful_message, lawful_response
from conformance.suite import Notes, covers
from conformance.suite.api.each import each_kind
from conformance.suite.api.s1_ids.stock import a_topic_of
from conformance.suite.api.s2_envelope.judging import means_what_it_says
from conformance.target.errors import Undecided
from conformance.target.node import Node
from conformance.target.patience import until
from conformance.target.settled import settled_newest, sightings
from conformance.wire.recorder import Recorder

NO_PAYLOAD = b""
# what is empty in these stands in a field that tells empty from absent, or beside one
PRESENCE = (
    "commit-log-signature-unset",
    "commit-log-signature-fields-empty",
    "inline-all-else-empty",
    "pointer-all-else-empty",
)


@covers("API-210.a")
@pytest.mark.parametrize("name", ENVELOPES)
def test_an_envelope_written_by_hand_comes_back_with_its_values(node: Node, draw: Draw, name: str) -> None:
    """API-210.a: an envelope made of nothing but the documented numbers and types is accepted and returned."""
    envelope = ENVELOPES[name](draw)
    topic = topic_of(envelope)
    node.publish(envelope).confirmed()
    same_payload_everywhere(envelope, node.query_raw(query_request([(topic, None)])).seen)
    same_payload_everywhere(envelope, sightings(node, topic))


@covers("API-210.a")
@pytest.mark.parametrize("limit", [1, 2])
def test_a_query_written_by_hand_is_understood(node: Node, draw: Draw, limit: int) -> None:
    """API-210.a: topic, cursor and limit are read from the documented numbers of a QueryRequest."""
    topic, envelopes = a_topic_of(draw, 4)
    ids = sorted(meta.sequence_id for meta in node.publish(*envelopes).metas)
    page = node.query_raw(query_request([(topic, ids[0])], limit=limit))
    lawful_page(
        PageFacts(metas=page.metas, has_more=page.has_more),
        stored={topic: ids},
        cursors={topic: ids[0]},
        limit=min(limit, node.limits.max_query_limit),
    )


@covers("API-210.a")
@pytest.mark.parametrize("full", [False, True], ids=["metadata", "full"])
def test_a_query_for_the_newest_written_by_hand_is_understood(node: Node, draw: Draw, full: bool) -> None:
    """API-210.a: topics and the wish for the envelope are read from the documented numbers."""
    envelope = new_message(draw, draw.group_id())
    topic, receipt = topic_of(envelope), node.publish(envelope).meta
    request = newest_request([topic], full=full)
    results = until(lambda: node.newest_raw(request), lambda answer: len(answer.results) > 0).results
    one_result_each(results, requested=[topic], stored={topic: [receipt.sequence_id]}, may_lag=False)
    payload_as_asked(results, full=full)


@covers("API-210.b")
@each_kind
def test_every_field_of_an_answer_has_its_number_and_type(
    node: Node, draw: Draw, recorder: Recorder, kind: Kind
) -> None:
    """API-210.b: on the wire of a receipt and of every read each documented number carries its own type."""
    envelope = new_envelope(draw, kind)
    node.publish(envelope).confirmed()
    sightings(node, topic_of(envelope))
    for call in recorder.calls:
        lawful_response(call)


@covers("API-210.b")
def test_every_field_of_a_cut_page_has_its_number_and_type(node: Node, draw: Draw, notes: Notes) -> None:
    """API-210.b: on the wire of pages with and without more behind them each number carries its own type."""
    topic, envelopes = a_topic_of(draw, 2)
    node.publish(*envelopes).confirmed()
    for limit in (1, 2):
        page = node.query(topic, limit=limit).ok()
        lawful_response(page.call)
        if not page.has_continuation:
            notes.add("A QueryResponse carries no continuation; that is read as has_more false.")


@covers("API-210.b")
@pytest.mark.parametrize("place", [0, 1, 130])
def test_every_field_of_a_publish_error_has_its_number_and_type(node: Node, draw: Draw, place: int) -> None:
    """API-210.b: on the wire of a PublishError each documented number carries its own type."""
    _, good = a_topic_of(draw, place)
    answer = node.publish(*good, NO_PAYLOAD)
    if answer.error_bytes is None:
        raise Undecided(f"A refused publish shows no PublishError to look at: {answer.details_problem}.")
    lawful_message("PublishError", answer.error_bytes)


@covers("API-210.c")
@each_kind
def test_an_envelope_is_on_the_wire_only_when_asked_for(node: Node, draw: Draw, kind: Kind) -> None:
    """API-210.c: a result of QueryNewest has its envelope when the request asked for it, and no trace of one else."""
    envelope = new_envelope(draw, kind)
    node.publish(envelope).confirmed()
    for full in (False, True):
        payload_as_asked(settled_newest(node, topic_of(envelope), full=full).results, full=full)


@covers("API-210.c")
def test_the_index_of_a_failure_is_absent_and_not_zero(small: Node, draw: Draw) -> None:
    """API-210.c: PublishError.index is absent when a whole request fails, and 0 when its first envelope does."""
    good = [new_message(draw, draw.group_id()) for _ in range(small.limits.max_publish_topics + 1)]
    for request, due in ((good, False), ([NO_PAYLOAD, good[0]], True)):
        answer = small.publish(*request)
        index_as_due(detailed(answer.call, answer.failure, answer.details_problem), due=due)


@covers("API-210.c")
@pytest.mark.parametrize("name", PRESENCE)
def test_absent_and_empty_stay_apart_in_a_payload(node: Node, draw: Draw, name: str) -> None:
    """API-210.c: a submessage that was left out comes back absent, and one that was sent empty comes back empty."""
    envelope = ACCEPTED[name].build(draw)
    node.publish(envelope).confirmed()
    same_payload_everywhere(encoded(envelope), sightings(node, topic_of(envelope)))


@covers("API-210.d")
@each_kind
def test_every_documented_number_keeps_its_meaning(node: Node, draw: Draw, recorder: Recorder, kind: Kind) -> None:
    """API-210.d: in a receipt and in every read each number of the metadata holds what the contract says it holds."""
    envelope = new_envelope(draw, kind)
    receipt = node.publish(envelope).meta
    shown = sightings(node, topic_of(envelope))
    means_what_it_says([receipt], envelope, node.limits, where="The receipt")
    means_what_it_says((seen.meta for seen in shown), envelope, node.limits, where="A read")
    for call in recorder.calls:
        lawful_response(call)
