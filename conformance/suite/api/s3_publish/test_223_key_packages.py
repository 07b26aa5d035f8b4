"""API-223: a key package that fails a check is named like an envelope that does not parse."""

from __future__ import annotations

from itertools import permutations

import pytest

from conformance.craft.any_kind import one_of_each_kind
from conformance.craft.draw import Draw
from conformance.craft.key_package import new_key_package
from conformance.craft.key_package_invalid import INVALID_KEY_PACKAGES
from conformance.craft.malformed import MALFORMED
from conformance.oracle.absence import nothing_stored
from conformance.oracle.publish import at
from conformance.suite import covers
from conformance.suite.api.s3_publish.judging import admitted, refused, topics_of
from conformance.target.node import Node

DEFECTS = {**MALFORMED, **INVALID_KEY_PACKAGES}
INVALID = ("key-package-expired-an-hour-ago", "key-package-leaf-signature-of-zeros")
PARSING = ("payload-unset", "group-data-noise", "key-package-with-a-byte-behind-it")
MIXED = [names for names in permutations((*INVALID, *PARSING), 2) if set(names) & set(INVALID)]


@covers("API-223.c")
@pytest.mark.parametrize("names", MIXED, ids=" before ".join)
def test_of_an_invalid_key_package_and_another_fault_the_first_is_named(
    node: Node, draw: Draw, names: tuple[str, str]
) -> None:
    """API-223.c: whether an envelope fails to parse or fails a check, the lowest index is the one named."""
    first, second = (DEFECTS[name].build(draw) for name in names)
    good = one_of_each_kind(draw)
    refused(node.publish(good[0], first.broken, good[1], second.broken), at(1, *DEFECTS[names[0]].reasons))
    refused(node.publish(good[0], first.twin, good[1], second.broken), at(3, *DEFECTS[names[1]].reasons))
    nothing_stored((), node.envelopes_on(*topics_of(*good, first.twin, second.twin)))
    admitted(node.publish(good[0], first.twin, good[1], second.twin))


@covers("API-223.d")
@pytest.mark.parametrize("count", [1, 4])
def test_the_index_of_an_invalid_key_package_counts_stored_ones(node: Node, draw: Draw, count: int) -> None:
    """API-223.d: key packages that are stored already, and are not checked again, count in the index all the same."""
    old, pair = new_key_package(draw, draw.installation_key()), INVALID_KEY_PACKAGES[INVALID[0]].build(draw)
    node.publish(old).ok()
    refused(node.publish(*[old] * count, pair.broken, old), at(count, *INVALID_KEY_PACKAGES[INVALID[0]].reasons))
    admitted(node.publish(*[old] * count, pair.twin, old))
