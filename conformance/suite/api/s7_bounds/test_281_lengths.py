"""API-281: what is measured on the wire, and what once more when it is encoded again."""

from __future__ import annotations

import pytest

from conformance.craft.any_kind import new_envelope
from conformance.craft.draw import Draw
from conformance.craft.encodings import padded
from conformance.craft.sizes import envelope_of, longest_within, request_of
from conformance.craft.topics import Kind, group_topic, topic_of
from conformance.craft.two_lengths import growing_to, shrinking_request
from conformance.oracle.absence import nothing_stored
from conformance.oracle.entries import stored_as_sent
from conformance.oracle.publish import TOO_LARGE, at
from conformance.oracle.status import succeeded
from conformance.suite import covers
from conformance.suite.api.s3_publish.judging import (
    needs_growing_envelopes,
    needs_merged_parts,
    refused,
    shown,
    stored,
    topics_of,
    wire,
)
from conformance.suite.api.s7_bounds.calls import RPCS, Rpc, each_read, fails
from conformance.target.node import Node
from conformance.wire.transcript import Code


@covers("API-281.d")
@pytest.mark.parametrize("place", [0, 1])
def test_an_envelope_is_measured_as_it_is_stored(small: Node, draw: Draw, place: int) -> None:
    """API-281.d: re-encoded to max_envelope_bytes an envelope is taken, one byte more is TOO_LARGE at its index."""
    good, key, limit = new_envelope(draw, Kind.GROUP_MESSAGE), draw.installation_key(), small.limits.max_envelope_bytes
    plain = envelope_of(draw, Kind.WELCOME, draw.installation_key(), longest_within(Kind.WELCOME, limit))
    stored(small, small.publish(plain), [plain])
    needs_growing_envelopes(small, draw)
    above, within = growing_to(draw, key, limit + 1), growing_to(draw, key, limit)
    others = [good][:place]
    refused(small.publish(*others, above), at(place, TOO_LARGE))
    nothing_stored((), small.envelopes_on(*topics_of(good, above)))
    stored(small, small.publish(*others, within), [*others, within])


@covers("API-281.c")
def test_a_request_of_the_published_length_is_taken(small: Node, draw: Draw) -> None:
    """API-281.c: max_request_bytes of plainly encoded messages are stored; one byte more is OUT_OF_RANGE."""
    limits, rpc = small.limits, RPCS["publish"]
    longest, one, other = limits.max_envelope_bytes, draw.group_id(), draw.group_id()
    above = request_of(draw, [one], limits.max_request_bytes + 1, max_envelope_bytes=longest)
    fails(small, draw, rpc, lambda: small.publish(*above).call, Code.OUT_OF_RANGE)
    nothing_stored((), small.read_all(group_topic(one)))
    within = request_of(draw, [other], limits.max_request_bytes, max_envelope_bytes=longest)
    stored(small, small.publish(*within), within)


@covers("API-281.e")
@pytest.mark.parametrize("kind", [Kind.GROUP_MESSAGE, Kind.KEY_PACKAGE, Kind.COMMIT_LOG])
def test_a_publish_is_measured_on_the_wire_first(small: Node, draw: Draw, kind: Kind) -> None:
    """API-281.e: one byte past max_request_bytes is OUT_OF_RANGE, though re-encoded it is short; one less is taken."""
    needs_merged_parts(small, draw, kind)
    sent, limit = new_envelope(draw, kind), small.limits.max_request_bytes
    above, within = (shrinking_request(sent, size) for size in (limit + 1, limit))
    fails(small, draw, RPCS["publish"], lambda: small.publish_raw(above).call, Code.OUT_OF_RANGE)
    nothing_stored((), small.read_all(topic_of(sent)))
    answer = small.publish_raw(within)
    succeeded(answer.call)
    stored_as_sent([wire(sent)], answer.metas, shown(small, sent))


@covers("API-281.n")
@each_read
def test_a_request_of_a_read_is_measured_on_the_wire(small: Node, draw: Draw, rpc: Rpc) -> None:
    """API-281.n: a read of max_request_bytes is served, one byte more is OUT_OF_RANGE."""
    plain, limit = rpc.served(draw), small.limits.max_request_bytes
    rpc.is_served(small.raw(rpc.method, padded(plain, limit)))
    above = padded(plain, limit + 1)
    fails(small, draw, rpc, lambda: small.raw(rpc.method, above), Code.OUT_OF_RANGE)
