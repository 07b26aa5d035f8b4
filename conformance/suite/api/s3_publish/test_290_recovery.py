"""API-290: after OUT_OF_RANGE a Query tells what became of the publish, and that does not change any more."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from conformance.craft.any_kind import new_envelope, new_identifier
from conformance.craft.draw import Draw
from conformance.craft.encodings import padded
from conformance.craft.sizes import request_bytes
from conformance.craft.tiny import tiny_envelope, too_long_to_answer
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.absence import nothing_stored
from conformance.oracle.order import ids_above
from conformance.oracle.recovery import as_settled, settled_whole
from conformance.oracle.status import ended
from conformance.suite import covers
from conformance.suite.api.each import each_kind, each_unsigned_kind
from conformance.suite.api.s3_publish.judging import shown, topics_of, wire, works
from conformance.target.node import Node
from conformance.target.patience import until
from conformance.target.together import meanwhile
from conformance.wire.transcript import Code, Seen

TOPICS = 2
ON_EACH = 3
LATE_S = 0.3


@covers("API-290.a")
@each_unsigned_kind
@pytest.mark.parametrize("page", [1, 2], ids=["pages-of-one", "pages-of-two"])
def test_reads_after_a_publish_too_long_to_answer_settle_it(small: Node, draw: Draw, kind: Kind, page: int) -> None:
    """API-290.a: paged to the end its topics show all of it or nothing, and a retry of a part is answered alike."""
    works(small, draw)
    limits, identifiers = small.limits, [new_identifier(draw, kind) for _ in range(TOPICS)]
    sent = [tiny_envelope(draw, kind, each) for each in identifiers for _ in range(ON_EACH)]
    request = too_long_to_answer(
        sent, max_request_bytes=limits.max_request_bytes, max_response_bytes=limits.max_response_bytes
    )
    paging, topics = Node(small.connection, replace(limits, max_query_limit=page)), topics_of(*sent)
    watched: list[Seen] = []
    (answer,) = meanwhile(lambda: watched.extend(small.envelopes_on(*topics)), partial(small.publish, *request))
    ended(answer.call, (Code.OUT_OF_RANGE,))
    read = paging.envelopes_on(*topics)
    settled_whole([(topic_of(each), wire(each)) for each in sent], watched, read)
    part = sent[::ON_EACH]
    receipts = small.publish(*part).metas
    as_settled([*map(wire, sent)], [*map(wire, part)], receipts, read, paging.envelopes_on(*topics))


@covers("API-290.b", "API-281.e")
@each_kind
def test_a_publish_too_long_on_the_wire_never_stores_anything(small: Node, draw: Draw, kind: Kind) -> None:
    """API-290.b: neither then nor below or above a later envelope do its topics show it, and a repeat is new."""
    works(small, draw)
    identifiers = [new_identifier(draw, kind) for _ in range(TOPICS)]
    sent, later = ([new_envelope(draw, kind, each) for each in identifiers] for _ in range(2))
    plain = request_bytes(sent)
    ended(small.publish_raw(padded(plain, small.limits.max_request_bytes + 1)).call, (Code.OUT_OF_RANGE,))
    nothing_stored((), small.envelopes_on(*topics_of(*sent)))
    sentinels = small.publish(*later).metas
    before = shown(small, *later)
    nothing_stored([Seen(source="Publish", meta=meta) for meta in sentinels], before)
    ids = {seen.meta.sequence_id for seen in before}
    after = until(
        partial(shown, small, *later),
        lambda seen: any(each.meta.sequence_id not in ids for each in seen),
        patience_s=LATE_S,
    )
    nothing_stored(before, after)
    ids_above(small.publish(*sent).metas, seen=sentinels)
