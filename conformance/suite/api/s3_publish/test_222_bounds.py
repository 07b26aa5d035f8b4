"""API-222: the bounds of a publish apply to what is stored already."""

from __future__ import annotations

from conformance.craft.any_kind import new_envelope
from conformance.craft.draw import Draw
from conformance.craft.sizes import envelope_of
from conformance.craft.topics import Kind
from conformance.oracle.absence import nothing_stored
from conformance.oracle.publish import TOO_LARGE, WHOLE_REQUEST, at
from conformance.suite import covers
from conformance.suite.api.s3_publish.judging import refused, stored, topics_of
from conformance.target.errors import Missing
from conformance.target.pool import Pool

LONG_BYTES = 2000
LOWERED = {"max_envelope_bytes": 1024, "max_publish_topics": 2}


@covers("API-222.g")
def test_a_repeat_over_a_bound_that_was_lowered_is_too_large(pool: Pool, draw: Draw) -> None:
    """API-222.g: after a restart with lower bounds stored envelopes that exceed them fail, and others do not."""
    if "limits" not in pool.subject().controls:
        raise Missing("limits", "bounds have to be lowered below what is stored")
    short, other, third = (new_envelope(draw, Kind.GROUP_MESSAGE) for _ in range(3))
    long = envelope_of(draw, Kind.GROUP_MESSAGE, draw.group_id(), LONG_BYTES)
    with pool.exclusive() as deployment:
        node = deployment.node()
        node.publish(short, other, third, long).ok()
        before = node.envelopes_on(*topics_of(short, other, third, long))
        deployment.restart(limits=LOWERED)
        refused(node.publish(short, long), at(1, TOO_LARGE))
        refused(node.publish(short, other, third), WHOLE_REQUEST)
        stored(node, node.publish(short, other), [short, other])
        nothing_stored(before, node.envelopes_on(*topics_of(short, other, third, long)))
