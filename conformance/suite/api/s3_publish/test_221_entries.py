"""API-221: a publish is answered with one entry per envelope, at the envelope's own index."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.any_kind import new_envelope, new_identifier, one_of_each_kind
from conformance.craft.draw import Draw
from conformance.craft.plans import BatchPlan, Cast
from conformance.craft.strategies import publish_plans
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.entries import own_entries
from conformance.oracle.publish import one_meta_per_envelope, same_where_same
from conformance.oracle.status import ended
from conformance.suite import Classes, Notes, covers, reaches
from conformance.suite.api.each import PAGED_KINDS, each_kind, each_paged_kind
from conformance.suite.api.s3_publish.judging import topics_of, wire
from conformance.target.node import Node
from conformance.wire.transcript import Code

CHANGES = {(True, False): "stored-before-new", (False, True): "new-before-stored"}


@covers("API-221.a")
def test_each_entry_stands_at_the_index_of_its_envelope(node: Node, draw: Draw) -> None:
    """API-221.a: kinds and topics, and two envelopes of each topic, stand mixed, and so do their entries."""
    cast = [(kind, new_identifier(draw, kind)) for kind in PAGED_KINDS]
    sent = [new_envelope(draw, kind, identifier) for kind, identifier in (*cast, *reversed(cast), *cast)]
    answer = node.publish(*sent)
    topics = topics_of(*sent)
    one_meta_per_envelope(topics, answer.metas)
    own_entries([wire(envelope) for envelope in sent], answer.metas, node.envelopes_on(*topics))


@covers("API-221.a")
@reaches("batch:several")
@given(plans=publish_plans(batches=1, repeats=False, largest=300))
def test_any_batch_has_its_entries_in_order(
    node: Node, draw: Draw, classes: Classes, plans: tuple[BatchPlan, ...]
) -> None:
    """API-221.a: whatever mix of kinds, topics and shapes a request holds, every entry is at its own index."""
    cast = Cast(draw)
    sent = [cast.encode(item) for item in plans[0].items]
    answer = node.publish(*sent)
    topics = topics_of(*sent)
    one_meta_per_envelope(topics, answer.metas)
    own_entries(sent, answer.metas, node.envelopes_on(*topics))
    classes.reach(*plans[0].classes)


@covers("API-221.a")
def test_a_publish_of_nothing_is_answered_with_no_entry(node: Node, notes: Notes) -> None:
    """API-221.a: no envelopes, no entries; the contract names no failure for it, so a refusal is noted only."""
    answer = node.publish()
    ended(answer.call, (Code.OK, Code.INVALID_ARGUMENT))
    if answer.status.code is Code.INVALID_ARGUMENT:
        notes.add("A publish without envelopes is refused with INVALID_ARGUMENT.")
    else:
        one_meta_per_envelope([], answer.metas)


@covers("API-221.b")
@each_kind
def test_a_repeat_within_a_request_has_an_entry_of_its_own(node: Node, draw: Draw, kind: Kind) -> None:
    """API-221.b: an envelope that stands at three places has an entry at each of them, all equal."""
    once, thrice = new_envelope(draw, kind), new_envelope(draw, kind)
    same_where_same([1, 0, 1, 1], node.publish(thrice, once, thrice, thrice).metas)


@covers("API-221.b")
def test_repeats_of_several_envelopes_each_have_their_own_entries(node: Node, draw: Draw) -> None:
    """API-221.b: with every envelope of a mixed request repeated, each place has the entry of its own envelope."""
    sent = one_of_each_kind(draw) * 3
    draw.random.shuffle(sent)
    answer = node.publish(*sent)
    same_where_same([wire(envelope) for envelope in sent], answer.metas)
    one_meta_per_envelope(topics_of(*sent), answer.metas)


@covers("API-221.c")
@each_paged_kind
def test_stored_and_new_envelopes_of_one_topic_each_have_their_entry(node: Node, draw: Draw, kind: Kind) -> None:
    """API-221.c: between new envelopes a stored one is answered at its own index, and the new ones at theirs."""
    identifier = new_identifier(draw, kind)
    sent = [new_envelope(draw, kind, identifier) for _ in range(5)]
    node.publish(sent[3], sent[1]).ok()
    answer = node.publish(*sent)
    own_entries([wire(envelope) for envelope in sent], answer.metas, node.read_all(topic_of(sent[0])))


@covers("API-221.c")
@reaches("stored-before-new", "new-before-stored")
@given(stored=st.lists(st.booleans(), min_size=2, max_size=8).filter(any))
def test_any_mix_of_stored_and_new_envelopes_has_its_entries_in_order(
    node: Node, draw: Draw, classes: Classes, stored: list[bool]
) -> None:
    """API-221.c: whichever envelopes of a request are stored already, every entry is at its own index."""
    groups = [draw.group_id(), draw.group_id()]
    sent = [new_envelope(draw, Kind.GROUP_MESSAGE, groups[index % 2]) for index in range(len(stored))]
    node.publish(*(envelope for envelope, before in zip(sent, stored, strict=True) if before)).ok()
    answer = node.publish(*sent)
    own_entries([wire(envelope) for envelope in sent], answer.metas, node.envelopes_on(*topics_of(*sent)))
    classes.reach(*(CHANGES[change] for change in pairwise(stored) if change in CHANGES))
