"""API-211: what a payload holds comes back byte for byte, and equal values have one hash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given

from conformance.craft.any_kind import new_envelope
from conformance.craft.draw import Draw
from conformance.craft.encodings import FORMS, encoded, encodings
from conformance.craft.neighbours import neighbours
from conformance.craft.plans import FILLINGS, Cast, EnvelopePlan
from conformance.craft.sizes import envelope_of, longest_within
from conformance.craft.strategies import UNSIGNED_KINDS, envelope_plans
from conformance.craft.topics import IDENTIFIER_BYTES, Kind, topic_of
from conformance.oracle.absence import one_copy
from conformance.oracle.metadata import same_receipt
from conformance.oracle.order import distinct
from conformance.oracle.reads import one_hash, same_payload_everywhere
from conformance.suite import Classes, Notes, covers, reaches
from conformance.suite.api.each import each_kind
from conformance.suite.api.s2_envelope.judging import unless_refused
from conformance.suite.api.s2_envelope.samples import FILLED, PLANS
from conformance.target.node import Node
from conformance.target.settled import sightings

SHORT, LONG = 64, 3000
# What may stand around an envelope in a request or a response, in bytes, generously.
FRAME = 512
FILLED_WITH: Mapping[str, Mapping[str, Any]] = {
    "nothing": {"size": 0},
    **{filling: {"filling": filling, "size": 300} for filling in FILLINGS},
}
# the other encodings that each form of envelope has
ENCODINGS = [(name, form) for name, make in FILLED.items() for form in encodings(make(Draw(0, b""), SHORT))]


@covers("API-211.a")
@pytest.mark.parametrize("filling", FILLED_WITH)
@pytest.mark.parametrize("name", PLANS)
def test_every_bytes_value_comes_back_as_it_was_sent(node: Node, draw: Draw, name: str, filling: str) -> None:
    """API-211.a: empty, binary and zero bytes, text and what is no text come back from every read unchanged."""
    envelope = Cast(draw).envelope(replace(PLANS[name], **FILLED_WITH[filling]))
    node.publish(envelope).confirmed()
    same_payload_everywhere(encoded(envelope), sightings(node, topic_of(envelope)))


@covers("API-211.a")
@pytest.mark.parametrize("kind", UNSIGNED_KINDS, ids=lambda kind: kind.name.lower())
def test_an_envelope_of_the_largest_size_comes_back_as_it_was_sent(node: Node, draw: Draw, kind: Kind) -> None:
    """API-211.a: the bytes values of an envelope as long as the published limit allows come back unchanged."""
    limits = node.limits
    room = min(limits.max_envelope_bytes, limits.max_request_bytes - FRAME, limits.max_response_bytes - FRAME)
    size = longest_within(kind, room)
    envelope = envelope_of(draw, kind, draw.identifier(IDENTIFIER_BYTES[kind]), size)
    node.publish(envelope).confirmed()
    same_payload_everywhere(encoded(envelope), sightings(node, topic_of(envelope)))


@covers("API-211.a")
@reaches("envelope")
@given(plan=envelope_plans(largest=1024))
def test_any_envelope_comes_back_as_it_was_sent(node: Node, draw: Draw, classes: Classes, plan: EnvelopePlan) -> None:
    """API-211.a: whatever an envelope holds, Query returns every bytes value of it unchanged."""
    classes.reach("envelope", *plan.classes)
    envelope = Cast(draw).envelope(plan)
    node.publish(envelope).confirmed()
    same_payload_everywhere(encoded(envelope), node.read_all(topic_of(envelope)))


@covers("API-211.b")
@each_kind
def test_an_envelope_has_one_hash_wherever_it_is_shown(node: Node, draw: Draw, notes: Notes, kind: Kind) -> None:
    """API-211.b: the hash has the length of a SHA-256 and is the same in every receipt and every read."""
    envelope = new_envelope(draw, kind)
    receipt, again = node.publish(envelope).meta, node.publish(envelope).meta
    shown = sightings(node, topic_of(envelope))
    one_hash(receipt, [again, *(seen.meta for seen in shown)], where="A later answer")
    if receipt.message_hash != sha256(encoded(envelope)).digest():
        notes.add("The hash is not that of this suite's own encoding: the stored bytes differ from it, as they may.")


@covers("API-211.c")
@pytest.mark.parametrize(("name", "form"), ENCODINGS)
def test_another_encoding_of_a_stored_value_is_a_duplicate(node: Node, draw: Draw, name: str, form: str) -> None:
    """API-211.c: an envelope sent again in another encoding of the same value is answered with the first receipt."""
    envelope = FILLED[name](draw, SHORT)
    receipt, again = node.publish(envelope).meta, node.publish(encodings(envelope)[form])
    unless_refused(again, form)
    same_receipt(receipt, again.meta, where=f"The receipt of the same value with {form}")
    one_copy(node.read_all(topic_of(envelope)), encoded(envelope))


@covers("API-211.c")
@reaches("envelope")
@given(plan=envelope_plans(forms=tuple(FORMS), largest=1024))
def test_any_two_encodings_of_one_value_are_one_envelope(
    node: Node, draw: Draw, classes: Classes, plan: EnvelopePlan
) -> None:
    """API-211.c: of two encodings of one value in one request a single envelope is stored."""
    classes.reach("envelope", *plan.classes)
    envelope = Cast(draw).envelope(plan)
    answer = node.publish(encodings(envelope).get(plan.form, encoded(envelope)), envelope)
    unless_refused(answer, plan.form)
    same_receipt(*answer.metas, where=f"The receipt of the same value without {plan.form}")
    one_copy(node.read_all(topic_of(envelope)), encoded(envelope))


@covers("API-211.d")
@pytest.mark.parametrize("size", [SHORT, LONG], ids=["short", "long"])
@pytest.mark.parametrize("name", FILLED)
def test_envelopes_that_differ_in_one_value_are_stored_apart(node: Node, draw: Draw, name: str, size: int) -> None:
    """API-211.d: one other bit, flag, number or signature makes another envelope, with an id of its own."""
    envelope = FILLED[name](draw, min(size, node.limits.max_envelope_bytes // 2))
    distinct(node.publish(envelope, *neighbours(envelope).values()).metas)


@covers("API-211.d")
@pytest.mark.parametrize("name", FILLED)
def test_an_envelope_that_differs_from_a_stored_one_is_no_duplicate(node: Node, draw: Draw, name: str) -> None:
    """API-211.d: after an envelope is stored, one that differs in a single value is stored apart from it."""
    envelope = FILLED[name](draw, SHORT)
    distinct([node.publish(each).meta for each in (envelope, *neighbours(envelope).values())])
