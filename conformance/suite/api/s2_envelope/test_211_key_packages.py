"""API-211: a key package comes back byte for byte, and equal values of one have one hash."""

from __future__ import annotations

import pytest

from conformance.craft.draw import Draw
from conformance.craft.encodings import encoded, encodings
from conformance.craft.key_package import key_package_envelope, new_key_package, signer, usual_parts
from conformance.craft.topics import topic_of
from conformance.oracle.metadata import same_receipt
from conformance.oracle.order import distinct
from conformance.oracle.reads import same_payload_everywhere
from conformance.suite import covers
from conformance.suite.api.s2_envelope.judging import unless_refused
from conformance.target.node import Node
from conformance.target.settled import sightings

FORMS = tuple(encodings(key_package_envelope(b"any bytes")))


@covers("API-211.a")
@pytest.mark.parametrize("wrapper_key_bytes", [0, 32, 1216])
def test_a_key_package_comes_back_as_it_was_sent(node: Node, draw: Draw, wrapper_key_bytes: int) -> None:
    """API-211.a: the bytes of a key package, which are signed, come back from QueryNewest unchanged."""
    key = draw.installation_key()
    parts = usual_parts(draw, key, wrapper_key_bytes=wrapper_key_bytes)
    envelope = key_package_envelope(parts.encoded(signer(draw, key)))
    node.publish(envelope).confirmed()
    same_payload_everywhere(encoded(envelope), sightings(node, topic_of(envelope)))


@covers("API-211.c")
@pytest.mark.parametrize("form", FORMS)
def test_another_encoding_of_a_stored_key_package_is_a_duplicate(node: Node, draw: Draw, form: str) -> None:
    """API-211.c: a key package sent again in another encoding of its envelope is answered with the first receipt."""
    envelope = new_key_package(draw, draw.installation_key())
    receipt, again = node.publish(envelope).meta, node.publish(encodings(envelope)[form])
    unless_refused(again, form)
    same_receipt(receipt, again.meta, where=f"The receipt of the same value with {form}")


@covers("API-211.d")
def test_two_key_packages_of_one_installation_are_stored_apart(node: Node, draw: Draw) -> None:
    """API-211.d: key packages that differ in a single key, by one installation, have ids of their own."""
    key = draw.installation_key()
    distinct([node.publish(new_key_package(draw, key)).meta for _ in range(3)])
