"""API-222: an envelope that is published again is answered with what is stored. Races: test_222_races.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from conformance.craft.any_kind import KINDS, new_envelope, one_of_each_kind
from conformance.craft.commit_log import commit_log_envelope, entry, signature
from conformance.craft.draw import Draw
from conformance.craft.group_message import group_envelope, private_message
from conformance.craft.malformed import MALFORMED
from conformance.craft.topics import Kind, topic_of
from conformance.craft.welcome import pointer_envelope, welcome_envelope
from conformance.oracle.absence import nothing_stored, one_copy, one_copy_of_each
from conformance.oracle.metadata import same_receipt
from conformance.oracle.order import distinct
from conformance.oracle.publish import at, same_where_same
from conformance.suite import covers
from conformance.suite.api.each import each_kind, each_paged_kind
from conformance.suite.api.s3_publish.judging import Envelope, placed, refused, shown, stored, topics_of, wire
from conformance.target.deployment import Deployment
from conformance.target.node import Node
from conformance.target.pool import Pool

LATER_ENVELOPES = 150


@covers("API-222.a")
@each_kind
def test_a_repeat_is_answered_with_the_stored_receipt(node: Node, draw: Draw, kind: Kind) -> None:
    """API-222.a: an envelope published again at once has the receipt of the first time and one copy."""
    envelope = new_envelope(draw, kind)
    first, again = node.publish(envelope).meta, node.publish(envelope).meta
    same_receipt(first, again, where="The receipt of the repeat")
    one_copy(shown(node, envelope), wire(envelope))


@covers("API-222.a")
@each_kind
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_repeat_is_recognised_inside_another_request(node: Node, draw: Draw, kind: Kind, place: int) -> None:
    """API-222.a: among new envelopes of other topics, a stored one keeps its receipt and its one copy."""
    envelope, others = new_envelope(draw, kind), [new_envelope(draw, kind), new_envelope(draw, kind)]
    first = node.publish(envelope).meta
    again = node.publish(*placed(others, envelope, place)).metas[place]
    same_receipt(first, again, where="The receipt of the repeat")
    one_copy(shown(node, envelope), wire(envelope))


@covers("API-222.a")
def test_a_repeat_is_recognised_behind_many_later_envelopes(node: Node, draw: Draw) -> None:
    """API-222.a: the first envelope of a topic is still recognised when much else has been stored after it."""
    group_id = draw.group_id()
    sent = [new_envelope(draw, Kind.GROUP_MESSAGE, group_id) for _ in range(LATER_ENVELOPES)]
    first = node.publish(sent[0]).meta
    node.publish(*sent[1:]).ok()
    same_receipt(first, node.publish(sent[0]).meta, where="The receipt of the repeat")
    one_copy(node.read_all(topic_of(sent[0])), wire(sent[0]))


@covers("API-222.a")
def test_a_repeat_is_recognised_from_another_client(deployment: Deployment, draw: Draw) -> None:
    """API-222.a: who publishes an envelope again, and over which connection, makes no difference."""
    node, other = deployment.node(), deployment.fresh_node()
    envelopes = one_of_each_kind(draw)
    first, again = node.publish(*envelopes).metas, other.publish(*reversed(envelopes)).metas
    same_where_same([*KINDS, *reversed(KINDS)], [*first, *again])
    one_copy_of_each(shown(node, *envelopes), map(wire, envelopes))


@covers("API-222.a")
def test_a_repeat_is_recognised_after_a_restart(pool: Pool, draw: Draw) -> None:
    """API-222.a: what was stored before a restart is recognised after it."""
    envelopes = one_of_each_kind(draw)
    with pool.exclusive() as deployment:
        node = deployment.node()
        first = node.publish(*envelopes).metas
        deployment.restart()
        again = node.publish(*envelopes).metas
        same_where_same([*KINDS, *KINDS], [*first, *again])
        one_copy_of_each(shown(node, *envelopes), map(wire, envelopes))


@covers("API-222.c")
@each_kind
def test_an_envelope_at_several_places_of_one_request_is_stored_once(node: Node, draw: Draw, kind: Kind) -> None:
    """API-222.c: the later places of an envelope in one request are duplicates of the first."""
    once, thrice = new_envelope(draw, kind), new_envelope(draw, kind)
    same_where_same([1, 0, 1, 1], node.publish(thrice, once, thrice, thrice).metas)
    one_copy_of_each(shown(node, once, thrice), map(wire, (once, thrice)))


@covers("API-222.f")
@each_paged_kind
@pytest.mark.parametrize("name", ["payload-unset", "group-data-noise", "welcome-version-unset", "commit-log-empty"])
def test_a_repeat_does_not_excuse_what_stands_beside_it(node: Node, draw: Draw, kind: Kind, name: str) -> None:
    """API-222.f: beside a stored envelope one that does not parse still fails the request, named by its index."""
    old, pair = new_envelope(draw, kind), MALFORMED[name].build(draw)
    node.publish(old).ok()
    before = node.envelopes_on(topic_of(old))
    refused(node.publish(old, pair.broken), at(1, MALFORMED[name].reason))
    nothing_stored(before, node.envelopes_on(*topics_of(old, pair.twin)))
    stored(node, node.publish(old, pair.twin), [old, pair.twin])


Twins = Callable[[Draw], tuple[Envelope, Envelope]]


def _in_two_groups(make: Callable[[bytes], Envelope]) -> Twins:
    return lambda draw: (make(draw.group_id()), make(draw.group_id()))


def _for_two_installations(make: Callable[[bytes], Envelope]) -> Twins:
    return lambda draw: (make(draw.installation_key()), make(draw.installation_key()))


def _of_one_group(draw: Draw) -> tuple[Envelope, Envelope]:
    group_id = draw.group_id()
    return group_envelope(private_message(group_id)), commit_log_envelope(entry(group_id), signed=signature())


SAME_CONTENT: Mapping[str, Twins] = {
    "one-ciphertext-in-two-groups": _in_two_groups(lambda group_id: group_envelope(private_message(group_id))),
    "one-step-in-two-logs": _in_two_groups(lambda group_id: commit_log_envelope(entry(group_id), signed=signature())),
    "one-welcome-for-two-installations": _for_two_installations(welcome_envelope),
    "one-pointer-for-two-installations": _for_two_installations(pointer_envelope),
    "message-and-log-of-one-group": _of_one_group,
}


@covers("API-222.h")
@pytest.mark.parametrize("name", SAME_CONTENT)
def test_the_same_content_on_another_topic_is_no_duplicate(node: Node, draw: Draw, name: str) -> None:
    """API-222.h: content that is stored on one topic is stored again, with an id of its own, on another."""
    one, other = SAME_CONTENT[name](draw)
    first = stored(node, node.publish(one), [one])
    second = stored(node, node.publish(other), [other])
    distinct([*first, *second])


@covers("API-222.i")
@each_kind
@pytest.mark.parametrize("name", ["payload-unset", "private-group-id-of-15-bytes", "welcome-version-unset"])
def test_an_envelope_of_a_refused_request_is_not_remembered(node: Node, draw: Draw, kind: Kind, name: str) -> None:
    """API-222.i: the good envelopes of a refused request, sent again without the bad one, are stored as new."""
    good, pair = [new_envelope(draw, kind), new_envelope(draw, kind)], MALFORMED[name].build(draw)
    refused(node.publish(good[0], pair.broken, good[1]), at(1, MALFORMED[name].reason))
    nothing_stored((), node.envelopes_on(*topics_of(*good)))
    stored(node, node.publish(*good), good)
