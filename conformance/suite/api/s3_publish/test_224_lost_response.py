"""API-224: a publish whose response the client never got is answered when the same bytes are sent again."""

from __future__ import annotations

from functools import partial

import pytest

from conformance.craft.draw import Draw
from conformance.craft.topics import Kind
from conformance.oracle.absence import one_copy_of_each
from conformance.oracle.order import one_id_one_envelope
from conformance.oracle.recovery import still_shown
from conformance.suite import covers
from conformance.suite.api.each import each_paged_kind
from conformance.suite.api.s3_publish.abandoning import abandoned, batch, patience
from conformance.suite.api.s3_publish.judging import stored, topics_of, wire
from conformance.target.deployment import Deployment
from conformance.target.node import Node
from conformance.target.together import meanwhile
from conformance.wire.transcript import Seen

ATTEMPTS = 8


@covers("API-224.a")
@each_paged_kind
@pytest.mark.parametrize("disconnect", [False, True], ids=["cancelled", "disconnected"])
def test_a_publish_is_answered_again_when_its_response_was_lost(
    deployment: Deployment, draw: Draw, kind: Kind, disconnect: bool
) -> None:
    """API-224.a: a retry is answered with what readers saw meanwhile, and one copy of each envelope is there."""
    node = deployment.node()
    for _ in range(ATTEMPTS):
        after_s, sent = patience(node, draw, kind), batch(node, draw, kind)
        give_up = partial(abandoned, deployment, *sent, after_s=after_s, disconnect=disconnect)
        watched: list[Seen] = []
        (first,) = meanwhile(partial(_watch, watched, node, topics_of(*sent)), give_up)
        receipts = stored(node, node.publish(*sent), sent)
        told = () if first.status.local else first.metas
        end = node.envelopes_on(*topics_of(*sent))
        still_shown(watched, end)
        one_id_one_envelope([*(seen.meta for seen in (*watched, *end)), *receipts, *told])
        one_copy_of_each(end, map(wire, sent))


def _watch(watched: list[Seen], node: Node, topics: list[bytes]) -> None:
    watched.extend(node.envelopes_on(*topics))
