"""API-281: each published bound of a unary request admits its value and refuses one more.

The bounds of streams are decided where streams are.
"""

from __future__ import annotations

import pytest

from conformance.craft.any_kind import new_envelope, new_identifier
from conformance.craft.draw import Draw
from conformance.craft.sizes import envelope_of, longest_within, shortest_above
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.absence import nothing_stored
from conformance.oracle.publish import TOO_LARGE, WHOLE_REQUEST, at
from conformance.oracle.status import succeeded
from conformance.suite import covers
from conformance.suite.api.each import each_kind, each_unsigned_kind
from conformance.suite.api.s3_publish.judging import placed, refused, stored, topics_of
from conformance.suite.api.s7_bounds.calls import RPCS, fails
from conformance.suite.api.s7_bounds.counted import Counted, each_counted, entries
from conformance.target.node import Node, Position
from conformance.wire.transcript import Code

LAST_SEQUENCE_ID = (1 << 63) - 1


@covers("API-281.c")
@each_counted
def test_a_read_has_as_many_entries_as_it_may(small: Node, draw: Draw, counted: Counted) -> None:
    """API-281.c: of different entries the published number is served, and one more refused."""
    names = entries(draw, counted.most(small) + 1)
    succeeded(counted.ask(small, names[1:]))
    fails(small, draw, counted.rpc, lambda: counted.ask(small, names), Code.INVALID_ARGUMENT)


@covers("API-281.c")
@each_counted
@pytest.mark.parametrize("different", [1, 2])
def test_the_entries_of_a_read_are_counted_as_sent(small: Node, draw: Draw, counted: Counted, different: int) -> None:
    """API-281.c: entries that name one thing again and again count each, up to the published number and past it."""
    most = counted.most(small)
    names = (entries(draw, different) * (most + 1))[: most + 1]
    succeeded(counted.ask(small, names[1:]))
    fails(small, draw, counted.rpc, lambda: counted.ask(small, names), Code.INVALID_ARGUMENT)


@covers("API-281.c")
def test_a_cursor_is_within_the_ids_there_can_be(small: Node, draw: Draw) -> None:
    """API-281.c: a Query above 2^63-1 is refused, above one less answered."""
    (topic,) = entries(draw, 1)
    succeeded(small.query(Position(topic, LAST_SEQUENCE_ID)).call)
    above = Position(topic, LAST_SEQUENCE_ID + 1)
    fails(small, draw, RPCS["query"], lambda: small.query(above).call, Code.INVALID_ARGUMENT)


@covers("API-281.c")
@each_kind
def test_the_topics_of_a_publish_are_counted_and_not_its_envelopes(small: Node, draw: Draw, kind: Kind) -> None:
    """API-281.c: max_publish_topics topics are taken, with more envelopes than topics; one topic more is TOO_LARGE."""
    names = [new_identifier(draw, kind) for _ in range(small.limits.max_publish_topics + 1)]
    good, (extra,) = ([new_envelope(draw, kind, name) for name in each] for each in (names[1:], names[:1]))
    refused(small.publish(*good, extra), WHOLE_REQUEST)
    nothing_stored((), small.envelopes_on(*topics_of(*good, extra)))
    unseen = [new_envelope(draw, Kind.GROUP_MESSAGE) for _ in good]
    again = new_envelope(draw, Kind.GROUP_MESSAGE, topic_of(unseen[0])[1:])
    stored(small, small.publish(*unseen, again), [*unseen, again])
    succeeded(small.publish(*good).call)


@covers("API-281.c")
@each_unsigned_kind
@pytest.mark.parametrize("place", [0, 1])
def test_an_envelope_is_as_long_as_it_may_be(small: Node, draw: Draw, kind: Kind, place: int) -> None:
    """API-281.c: an envelope of max_envelope_bytes is stored, a longer one TOO_LARGE at its index."""
    good, name, limit = [new_envelope(draw, Kind.GROUP_MESSAGE)], new_identifier(draw, kind), small.limits
    above = envelope_of(draw, kind, name, shortest_above(kind, limit.max_envelope_bytes))
    within = envelope_of(draw, kind, name, longest_within(kind, limit.max_envelope_bytes))
    refused(small.publish(*placed(good, above, place)), at(place, TOO_LARGE))
    nothing_stored((), small.envelopes_on(*topics_of(*good, within)))
    whole = placed(good, within, place)
    stored(small, small.publish(*whole), whole)
