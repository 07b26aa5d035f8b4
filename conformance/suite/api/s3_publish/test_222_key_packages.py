"""API-222: a key package that is stored is answered with its receipt even after its lifetime."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.craft.key_package import HOUR_S, new_key_package
from conformance.craft.key_package_invalid import INVALID_KEY_PACKAGE
from conformance.oracle.metadata import same_receipt
from conformance.oracle.publish import at
from conformance.suite import covers
from conformance.suite.api.s3_publish.judging import admitted, backend_clock, refused
from conformance.target.node import Node

LIFETIME_S = 3


@covers("API-222.d")
def test_a_repeat_is_answered_after_the_lifetime(node: Node, draw: Draw) -> None:
    """API-222.d: published again when it has expired, alone and beside others, a key package keeps its receipt."""
    clock, key = backend_clock(node, draw), draw.installation_key()
    end = clock.now_s() + LIFETIME_S
    short, twin = (new_key_package(draw, key, not_before=end - HOUR_S, not_after=end) for _ in range(2))
    lasting = new_key_package(draw, key)
    answer = node.publish(short)
    clock.must_be_before(end)
    admitted(answer)
    clock.wait_until(end + 1, patience_s=2 * LIFETIME_S)
    refused(node.publish(short, twin), at(1, INVALID_KEY_PACKAGE))
    same_receipt(answer.meta, node.publish(short).meta, where="The receipt after the lifetime")
    same_receipt(answer.meta, node.publish(lasting, short).metas[1], where="The receipt beside a new key package")
