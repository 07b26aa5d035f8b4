"""API-220: a key package that fails a check keeps its whole request from being stored."""

from __future__ import annotations

import pytest

from conformance.craft.any_kind import KINDS, one_of_each_kind
from conformance.craft.draw import Draw
from conformance.craft.key_package_invalid import INVALID_KEY_PACKAGES
from conformance.oracle.absence import nothing_stored
from conformance.oracle.publish import at
from conformance.suite import covers
from conformance.suite.api.s3_publish.judging import admitted, placed, refused, topics_of
from conformance.target.node import Node

INVALID = ("key-package-expired-an-hour-ago", "key-package-leaf-signature-of-zeros")


@covers("API-220.a")
@pytest.mark.parametrize("place", [0, 1, len(KINDS)], ids=["first", "in-between", "last"])
@pytest.mark.parametrize("name", INVALID)
def test_one_invalid_key_package_keeps_its_whole_request_out(node: Node, draw: Draw, name: str, place: int) -> None:
    """API-220.a: a key package that fails a check, wherever it stands, keeps all of its request from being stored."""
    pair, good = INVALID_KEY_PACKAGES[name].build(draw), one_of_each_kind(draw)
    refused(node.publish(*placed(good, pair.broken, place)), at(place, *INVALID_KEY_PACKAGES[name].reasons))
    nothing_stored((), node.envelopes_on(*topics_of(*good, pair.twin)))
    admitted(node.publish(*placed(good, pair.twin, place)))
