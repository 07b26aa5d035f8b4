"""API-230: admission takes what parses, whatever else is odd about it, and stores it as it came."""

from __future__ import annotations

import pytest
from hypothesis import given

from conformance.craft.accepted import ACCEPTED
from conformance.craft.any_kind import new_envelope
from conformance.craft.catalogue import Accepted
from conformance.craft.commit_log import commit_log_envelope, entry, signature
from conformance.craft.draw import Draw
from conformance.craft.group_message import ContentType, group_envelope, private_message
from conformance.craft.neighbours import neighbours
from conformance.craft.plans import BatchPlan, Cast
from conformance.craft.strategies import publish_plans
from conformance.craft.topics import Kind
from conformance.oracle.order import distinct
from conformance.suite import Classes, covers, reaches
from conformance.suite.api.each import each_unsigned_kind
from conformance.suite.api.s3_publish.judging import admitted, odd_by, stored, stored_though_odd
from conformance.target.node import Node

EPOCHS = (7, 7, 3, 0, 8)


@covers("API-230.c")
@pytest.mark.parametrize("odd", odd_by("API-230.c"), ids=str)
def test_every_shape_of_group_message_is_taken(node: Node, draw: Draw, odd: Accepted) -> None:
    """API-230.c: public and private messages of every content and sender are taken."""
    stored_though_odd(node, draw, odd)


@covers("API-230.d")
@pytest.mark.parametrize("odd", odd_by("API-230.d"), ids=str)
def test_bytes_after_the_message_are_taken_and_kept(node: Node, draw: Draw, odd: Accepted) -> None:
    """API-230.d: what follows the MLS message in group message data comes back with it."""
    stored_though_odd(node, draw, odd)


@covers("API-230.d")
def test_every_suffix_makes_an_envelope_of_its_own(node: Node, draw: Draw) -> None:
    """API-230.d: one message with different bytes after it is stored as different envelopes."""
    message = private_message(draw.group_id())
    sent = [group_envelope(message + suffix) for suffix in (b"", b"\x00", b"\x00\x00", b"\x01", message)]
    distinct(stored(node, node.publish(*sent), sent))
    again = [group_envelope(message + b"\x02")]
    stored(node, node.publish(*again), again)


@covers("API-230.e")
@pytest.mark.parametrize("odd", odd_by("API-230.e"), ids=str)
def test_a_group_message_is_not_judged_by_its_content(node: Node, draw: Draw, odd: Accepted) -> None:
    """API-230.e: epoch, ciphertext, signature, sender and HMAC may be anything."""
    stored_though_odd(node, draw, odd)


@covers("API-230.e")
def test_commits_of_any_epoch_are_taken_one_after_the_other(node: Node, draw: Draw) -> None:
    """API-230.e: a commit that lost its race, or is of an old epoch, is an envelope like any other."""
    group_id = draw.group_id()
    for epoch in EPOCHS:
        mark = draw.identifier(8)
        data = private_message(group_id, epoch=epoch, content_type=ContentType.COMMIT, authenticated_data=mark)
        commit = group_envelope(data)
        stored(node, node.publish(commit), [commit])


@covers("API-230.f")
@pytest.mark.parametrize("odd", odd_by("API-230.f"), ids=str)
def test_a_welcome_is_not_judged_by_its_content(node: Node, draw: Draw, odd: Accepted) -> None:
    """API-230.f: wrapper algorithm, data and recipient may be anything, inline and as a pointer."""
    stored_though_odd(node, draw, odd)


@covers("API-230.k")
@pytest.mark.parametrize("odd", odd_by("API-230.k"), ids=str)
def test_a_commit_log_entry_is_not_verified(node: Node, draw: Draw, odd: Accepted) -> None:
    """API-230.k: signature, epoch and hash chain of an entry may be anything, and all of it comes back."""
    stored_though_odd(node, draw, odd)


@covers("API-230.k")
def test_entries_of_one_log_need_not_continue_each_other(node: Node, draw: Draw) -> None:
    """API-230.k: an entry is taken whatever epoch and authenticators the entry before it has."""
    group_id = draw.group_id()
    for epoch in EPOCHS:
        step = entry(group_id, applied_epoch_number=epoch, applied_epoch_authenticator=draw.identifier(32))
        envelope = commit_log_envelope(step, signed=signature())
        stored(node, node.publish(envelope), [envelope])


@covers("API-230.l")
def test_odd_envelopes_travel_together(node: Node, draw: Draw) -> None:
    """API-230.l: requests full of odd envelopes of all kinds are taken."""
    limits, odd = node.limits, [odd.build(draw) for odd in ACCEPTED.values()]
    fitting = [envelope for envelope in odd if envelope.ByteSize() <= limits.max_envelope_bytes]
    together = min(limits.max_publish_topics, limits.max_request_bytes // (limits.max_envelope_bytes + 8) or 1)
    for start in range(0, len(fitting), together):
        admitted(node.publish(*fitting[start : start + together]))


@covers("API-230.l")
@each_unsigned_kind
def test_what_the_backend_cannot_judge_may_change(node: Node, draw: Draw, kind: Kind) -> None:
    """API-230.l: an envelope that was taken is taken again after any one value of it that nobody judges is changed."""
    envelope = new_envelope(draw, kind)
    changed = list(neighbours(envelope).values())
    admitted(node.publish(envelope))
    stored(node, node.publish(*changed), changed)


@covers("API-230.l")
@reaches("batch:several")
@given(plans=publish_plans(batches=1, largest=1024))
def test_whatever_parses_is_taken(node: Node, draw: Draw, classes: Classes, plans: tuple[BatchPlan, ...]) -> None:
    """API-230.l: requests of envelopes of all kinds, shapes and fillings are taken."""
    cast = Cast(draw)
    admitted(node.publish(*(cast.encode(item) for item in plans[0].items)))
    classes.reach(*plans[0].classes)
