"""API-222: a key package that is stored is answered with its receipt even after its lifetime."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.craft.key_package import DAY_S, new_key_package
from conformance.craft.key_package_invalid import INVALID_KEY_PACKAGE
from conformance.oracle.metadata import same_receipt
from conformance.oracle.publish import at
from conformance.suite import covers
from conformance.suite.api.s3_publish.judging import admitted, backend_clock, refused
from conformance.target.lapse import Lapse


@covers("API-222.d")
def test_a_repeat_is_answered_after_the_lifetime(passing_time: Lapse, draw: Draw) -> None:
    """API-222.d: published again when it has expired, alone and beside others, a key package keeps its receipt."""
    node, key = passing_time.node, draw.installation_key()
    clock = backend_clock(node, draw)
    end = clock.now_s() + passing_time.span_s
    short, twin = (new_key_package(draw, key, not_before=end - DAY_S, not_after=end) for _ in range(2))
    lasting = new_key_package(draw, key, not_before=end - DAY_S, not_after=end + DAY_S)
    answer = node.publish(short)
    clock.must_be_before(end)
    admitted(answer)
    passing_time.let_pass(clock, end)
    refused(node.publish(short, twin), at(1, INVALID_KEY_PACKAGE))
    same_receipt(answer.meta, node.publish(short).meta, where="The receipt after the lifetime")
    same_receipt(answer.meta, node.publish(lasting, short).metas[1], where="The receipt beside a new key package")
