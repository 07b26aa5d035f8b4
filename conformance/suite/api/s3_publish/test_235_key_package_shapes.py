"""API-235: four odd properties of key packages that installations on the network have, and admission must take."""

from __future__ import annotations

import pytest

from conformance.craft.catalogue import Accepted
from conformance.craft.draw import Draw
from conformance.suite import covers
from conformance.suite.api.s3_publish.judging import odd_by, stored_though_odd
from conformance.target.node import Node


@covers("API-235.a")
@pytest.mark.parametrize("odd", odd_by("API-235.a"), ids=str)
def test_the_inbox_id_may_be_any_text(node: Node, draw: Draw, odd: Accepted) -> None:
    """API-235.a: an inbox id that is not 64 hexadecimal characters is no reason to refuse a key package."""
    stored_though_odd(node, draw, odd)


@covers("API-235.b")
@pytest.mark.parametrize("odd", odd_by("API-235.b"), ids=str)
def test_another_suite_with_keys_of_32_bytes_is_taken(node: Node, draw: Draw, odd: Accepted) -> None:
    """API-235.b: a key package of another cipher suite that signs with Ed25519 is taken."""
    stored_though_odd(node, draw, odd)


@covers("API-235.c")
@pytest.mark.parametrize("odd", odd_by("API-235.c"), ids=str)
def test_capabilities_may_leave_anything_out(node: Node, draw: Draw, odd: Accepted) -> None:
    """API-235.c: extensions and proposals that the capabilities do not list are no reason to refuse a key package."""
    stored_though_odd(node, draw, odd)


@covers("API-235.d")
@pytest.mark.parametrize("odd", odd_by("API-235.d"), ids=str)
def test_a_lifetime_may_be_of_any_length(node: Node, draw: Draw, odd: Accepted) -> None:
    """API-235.d: no lifetime is too long, be it years or for ever."""
    stored_though_odd(node, draw, odd)
