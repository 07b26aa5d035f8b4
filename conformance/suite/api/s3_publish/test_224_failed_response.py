"""API-224: a publish whose response failed is answered when it is sent again, whether or not it was stored."""

from __future__ import annotations

from functools import partial

from conformance.craft.any_kind import new_identifier
from conformance.craft.draw import Draw
from conformance.craft.tiny import tiny_envelope, too_long_to_answer
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.absence import one_copy_of_each
from conformance.oracle.order import one_id_one_envelope
from conformance.oracle.status import ended
from conformance.suite import covers
from conformance.suite.api.each import each_unsigned_kind
from conformance.suite.api.s3_publish.judging import stored, wire, works
from conformance.target.node import Node
from conformance.target.together import meanwhile
from conformance.wire.transcript import Code, Seen

DISTINCT = 4


@covers("API-224.b")
@each_unsigned_kind
def test_a_publish_too_long_to_answer_can_be_sent_again_in_parts(small: Node, draw: Draw, kind: Kind) -> None:
    """API-224.b: after OUT_OF_RANGE every part is answered, with what a reader has seen, and one copy is there."""
    works(small, draw)
    identifier, limits = new_identifier(draw, kind), small.limits
    sent = [tiny_envelope(draw, kind, identifier) for _ in range(DISTINCT)]
    request = too_long_to_answer(
        sent, max_request_bytes=limits.max_request_bytes, max_response_bytes=limits.max_response_bytes
    )
    seen: list[Seen] = []
    (answer,) = meanwhile(lambda: seen.extend(small.read_all(topic_of(sent[0]))), partial(small.publish, *request))
    ended(answer.call, (Code.OUT_OF_RANGE,))
    receipts = [*stored(small, small.publish(*sent[::2]), sent[::2])]
    receipts += stored(small, small.publish(*sent[1::2]), sent[1::2])
    one_id_one_envelope([*(each.meta for each in seen), *receipts])
    one_copy_of_each(small.read_all(topic_of(sent[0])), map(wire, sent))
