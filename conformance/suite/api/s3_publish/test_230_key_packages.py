"""API-230: a key package is parsed to its last byte and validated by the rules of MLS, and by nothing more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.catalogue import Accepted, Malformed
from conformance.craft.draw import Draw
from conformance.craft.key_package import HOUR_S, key_package_envelope, new_key_package
from conformance.craft.key_package_invalid import INVALID_KEY_PACKAGE, INVALID_KEY_PACKAGES
from conformance.craft.key_package_shapes import OPEN_KEY_PACKAGES
from conformance.craft.topics import topic_of
from conformance.oracle.absence import nothing_stored
from conformance.oracle.publish import at
from conformance.oracle.status import ended
from conformance.suite import Notes, covers
from conformance.suite.api.s3_publish.judging import (
    MALFORMED_PAYLOAD,
    admitted,
    backend_clock,
    broken_by,
    odd_by,
    refused,
    refused_unlike_its_twin,
    stored,
    stored_though_odd,
)
from conformance.target.node import Node
from conformance.wire.transcript import Code

PARTS = 1000


@covers("API-230.g")
@pytest.mark.parametrize("defect", broken_by("API-230.g"), ids=str)
def test_a_key_package_that_does_not_parse_is_malformed(node: Node, draw: Draw, defect: Malformed) -> None:
    """API-230.g: bytes that are not exactly one key package are refused."""
    refused_unlike_its_twin(node, draw, defect)


@covers("API-230.g")
@given(part=st.integers(0, PARTS - 1))
def test_a_key_package_cut_at_any_byte_is_malformed(node: Node, draw: Draw, part: int) -> None:
    """API-230.g: no key package that ends before its last byte is taken."""
    whole = new_key_package(draw, draw.installation_key())
    data = whole.key_package.key_package_tls_serialized
    refused(node.publish(key_package_envelope(data[: len(data) * part // PARTS])), at(0, MALFORMED_PAYLOAD))
    nothing_stored((), node.read_all(topic_of(whole)))


@covers("API-230.g")
@given(suffix=st.binary(min_size=1, max_size=64))
def test_a_key_package_with_anything_behind_it_is_malformed(node: Node, draw: Draw, suffix: bytes) -> None:
    """API-230.g: unlike a group message, a key package may have no bytes after it, whatever they are."""
    whole = new_key_package(draw, draw.installation_key())
    longer = key_package_envelope(whole.key_package.key_package_tls_serialized + suffix)
    refused(node.publish(longer), at(0, MALFORMED_PAYLOAD))
    nothing_stored((), node.read_all(topic_of(whole)))


@covers("API-230.h")
@pytest.mark.parametrize("defect", INVALID_KEY_PACKAGES.values(), ids=str)
def test_a_key_package_that_breaks_a_rule_is_invalid(node: Node, draw: Draw, defect: Malformed) -> None:
    """API-230.h: with a wrong signature, lifetime, source, key or credential a key package is refused as invalid."""
    refused_unlike_its_twin(node, draw, defect)


@covers("API-230.h")
def test_a_lifetime_is_over_in_its_last_second(node: Node, draw: Draw) -> None:
    """API-230.h: a key package is refused from the very second on that its not_after names."""
    clock, key = backend_clock(node, draw), draw.installation_key()
    second = clock.mid_second()
    over = new_key_package(draw, key, not_before=second - HOUR_S, not_after=second)
    refused(node.publish(over), at(0, INVALID_KEY_PACKAGE))
    nothing_stored((), node.read_all(topic_of(over)))


@covers("API-230.h")
def test_a_lifetime_begins_with_its_first_second(node: Node, draw: Draw) -> None:
    """API-230.h: a key package is taken from the very second on that its not_before names."""
    clock, key = backend_clock(node, draw), draw.installation_key()
    second = clock.mid_second()
    begun = new_key_package(draw, key, not_before=second, not_after=second + HOUR_S)
    stored(node, node.publish(begun), [begun])


@covers("API-230.h")
@pytest.mark.parametrize("odd", OPEN_KEY_PACKAGES.values(), ids=str)
def test_a_key_package_that_the_rules_leave_open_may_be_taken_or_not(
    node: Node, draw: Draw, notes: Notes, odd: Accepted
) -> None:
    """API-230.h: where the rules contradict each other or bind no validator, either answer is only noted."""
    answer = node.publish(odd.build(draw))
    ended(answer.call, (Code.OK, Code.INVALID_ARGUMENT))
    notes.add(f"The {odd} is {'taken' if answer.status.code is Code.OK else 'refused'}.")


@covers("API-230.i")
@pytest.mark.parametrize("odd", odd_by("API-230.i"), ids=str)
def test_a_key_package_of_an_inbox_that_nobody_created_is_taken(node: Node, draw: Draw, odd: Accepted) -> None:
    """API-230.i: neither the inbox nor the association of the key with it is looked at, nor any other extension."""
    stored_though_odd(node, draw, odd)


@covers("API-230.i")
def test_an_installation_may_name_another_inbox_each_time(node: Node, draw: Draw) -> None:
    """API-230.i: which inbox an installation belongs to is not established by its key packages."""
    key = draw.installation_key()
    first, second = new_key_package(draw, key), new_key_package(draw, key)
    node.publish(first).ok()
    node.publish(second).ok()
    admitted(node.publish(first, second))
