"""API-223: a publish past a bound names the envelope that is, or no index when it is the whole request."""

from __future__ import annotations

import pytest

from conformance.craft.any_kind import new_envelope, new_identifier
from conformance.craft.draw import Draw
from conformance.craft.encodings import padded
from conformance.craft.group_message import group_envelope
from conformance.craft.malformed import MALFORMED
from conformance.craft.sizes import (
    envelope_of,
    growing_request,
    longest_within,
    request_bytes,
    request_of,
    shortest_above,
)
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.absence import nothing_stored
from conformance.oracle.publish import TOO_LARGE, WHOLE_REQUEST, at
from conformance.oracle.status import ended, succeeded
from conformance.suite import Notes, covers
from conformance.suite.api.each import each_kind, each_unsigned_kind
from conformance.suite.api.s3_publish.judging import (
    MALFORMED_PAYLOAD,
    Envelope,
    admitted,
    detailed,
    needs_growing_envelopes,
    placed,
    refused,
    stored,
    topics_of,
)
from conformance.target.node import Node
from conformance.wire.transcript import Code

each_place = pytest.mark.parametrize("place", [0, 1, 2], ids=["first", "in-between", "last"])


@covers("API-223.a")
@each_unsigned_kind
def test_an_over_long_envelope_is_refused_with_a_detail(small: Node, draw: Draw, notes: Notes, kind: Kind) -> None:
    """API-223.a: a bound that one envelope exceeds ends the publish with a PublishError like any other failure."""
    limit, identifier = small.limits.max_envelope_bytes, new_identifier(draw, kind)
    detailed(small.publish(envelope_of(draw, kind, identifier, shortest_above(kind, limit))), notes)
    admitted(small.publish(envelope_of(draw, kind, identifier, longest_within(kind, limit))))


@covers("API-223.a")
def test_too_many_topics_are_refused_with_a_detail(small: Node, draw: Draw, notes: Notes) -> None:
    """API-223.a: a bound that the request exceeds as a whole ends it with a PublishError too."""
    good = _on_topics(draw, small.limits.max_publish_topics + 1)
    detailed(small.publish(*good), notes)
    admitted(small.publish(*good[1:]))


@covers("API-223.b", "API-223.f", "API-281.c")
@each_unsigned_kind
@each_place
def test_an_over_long_envelope_is_named_by_its_index(small: Node, draw: Draw, kind: Kind, place: int) -> None:
    """API-223.b, API-223.f: one envelope past max_envelope_bytes is named TOO_LARGE; one at the bound is taken."""
    good, identifier = _on_topics(draw, 2), new_identifier(draw, kind)
    within = envelope_of(draw, kind, identifier, longest_within(kind, small.limits.max_envelope_bytes))
    above = envelope_of(draw, kind, identifier, shortest_above(kind, small.limits.max_envelope_bytes))
    refused(small.publish(*placed(good, above, place)), at(place, TOO_LARGE))
    nothing_stored((), small.envelopes_on(*topics_of(*good, within)))
    whole = placed(good, within, place)
    stored(small, small.publish(*whole), whole)


@covers("API-223.b")
def test_an_envelope_that_is_too_long_and_does_not_parse_has_either_reason(small: Node, draw: Draw) -> None:
    """API-223.b: where two checks fail on one envelope the reason is that of one of them; no order is given."""
    noise = group_envelope(b"\xff" * (small.limits.max_envelope_bytes + 1))
    good = new_envelope(draw, Kind.GROUP_MESSAGE)
    refused(small.publish(good, noise), at(1, TOO_LARGE, MALFORMED_PAYLOAD))
    nothing_stored((), small.read_all(topic_of(good)))


@covers("API-223.e", "API-281.c")
@each_kind
def test_too_many_topics_are_refused_without_an_index(small: Node, draw: Draw, kind: Kind) -> None:
    """API-223.e: one distinct topic more than max_publish_topics is TOO_LARGE with the index absent, not 0."""
    good = [new_envelope(draw, kind) for _ in range(small.limits.max_publish_topics + 1)]
    refused(small.publish(*good), WHOLE_REQUEST)
    nothing_stored((), small.envelopes_on(*topics_of(*good)))
    admitted(small.publish(*good[1:]))


@covers("API-223.e", "API-281.d")
def test_a_request_that_is_too_long_when_encoded_again_is_refused_without_an_index(small: Node, draw: Draw) -> None:
    """API-223.e: a request within its bound on the wire and past it re-encoded is TOO_LARGE, the index absent."""
    needs_growing_envelopes(small, draw)
    key, group_id, limits = draw.installation_key(), draw.group_id(), small.limits
    longest = limits.max_envelope_bytes
    growing = growing_request(draw, [key], limits.max_request_bytes, max_envelope_bytes=longest)
    refused(small.publish(*growing), WHOLE_REQUEST)
    nothing_stored((), small.read_all(topic_of(growing[0])))
    admitted(small.publish(*request_of(draw, [group_id], limits.max_request_bytes, max_envelope_bytes=longest)))


@covers("API-223.c", "API-223.e")
def test_a_bound_of_the_request_and_a_bad_envelope_may_come_in_either_order(small: Node, draw: Draw) -> None:
    """API-223.c, API-223.e: a request at fault as a whole and for an envelope is refused for one of the two."""
    good = _on_topics(draw, small.limits.max_publish_topics + 1)
    broken = MALFORMED["payload-unset"].build(draw).broken
    refused(small.publish(*placed(good, broken, 3)), at(3, MALFORMED_PAYLOAD), WHOLE_REQUEST)
    nothing_stored((), small.envelopes_on(*topics_of(*good)))


@covers("API-223.g", "API-281.e")
def test_a_request_beyond_the_wire_limit_ends_out_of_range(small: Node, draw: Draw) -> None:
    """API-223.g: a request too long on the wire is OUT_OF_RANGE, no matter whether a detail comes with it."""
    good, limit = new_envelope(draw, Kind.GROUP_MESSAGE), small.limits.max_request_bytes
    plain = request_bytes([good])
    ended(small.publish_raw(padded(plain, limit + 1)).call, (Code.OUT_OF_RANGE,))
    nothing_stored((), small.read_all(topic_of(good)))
    succeeded(small.publish_raw(padded(plain, limit)).call)


def _on_topics(draw: Draw, count: int) -> list[Envelope]:
    """Make group messages, each on a topic of its own."""
    return [new_envelope(draw, Kind.GROUP_MESSAGE) for _ in range(count)]
