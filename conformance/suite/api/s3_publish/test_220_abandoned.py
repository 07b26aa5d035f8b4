"""API-220: a publish whose client goes away half-way is stored whole or not at all."""

from __future__ import annotations

import pytest

from conformance.craft.draw import Draw
from conformance.craft.topics import Kind
from conformance.oracle.absence import all_or_none
from conformance.oracle.recovery import still_shown
from conformance.suite import covers
from conformance.suite.api.each import each_paged_kind
from conformance.suite.api.s3_publish.abandoning import (
    MANY_TOPICS,
    abandoned,
    batch,
    patience,
    request_of,
    settled_read,
)
from conformance.target.deployment import Deployment
from conformance.wire.transcript import Seen

ATTEMPTS = 8
READS = 2


@covers("API-220.e")
@each_paged_kind
@pytest.mark.parametrize("disconnect", [False, True], ids=["cancelled", "disconnected"])
def test_a_publish_given_up_half_way_is_stored_whole_or_not_at_all(
    deployment: Deployment, draw: Draw, kind: Kind, disconnect: bool
) -> None:
    """API-220.e: however early the client goes away, no batch over several topics is stored in part."""
    node = deployment.node()
    batches = [batch(node, draw, kind, MANY_TOPICS) for _ in range(ATTEMPTS)]
    for sent in batches:
        abandoned(deployment, *sent, after_s=patience(node, draw, kind, MANY_TOPICS), disconnect=disconnect)
    read: tuple[Seen, ...] = ()
    for _ in range(READS):
        earlier, read = read, settled_read(node, batches)
        for sent in batches:
            all_or_none(request_of(sent), read)
        still_shown(earlier, read)
