"""API-220: a publish stores every new envelope of its request, or none."""

from __future__ import annotations

from itertools import permutations

import pytest

from conformance.craft.any_kind import KINDS, new_envelope, new_identifier, one_of_each_kind
from conformance.craft.draw import Draw
from conformance.craft.malformed import MALFORMED
from conformance.craft.sizes import envelope_of, longest_within, shortest_above
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.absence import nothing_stored
from conformance.oracle.metadata import same_receipt
from conformance.oracle.publish import TOO_LARGE, WHOLE_REQUEST, at
from conformance.suite import covers
from conformance.suite.api.each import each_kind, each_paged_kind
from conformance.suite.api.s3_publish.judging import (
    MALFORMED_PAYLOAD,
    Envelope,
    admitted,
    placed,
    refused,
    stored,
    topics_of,
)
from conformance.target.node import Node

DEFECTS = (
    "payload-unset",
    "group-data-noise",
    "private-group-id-of-15-bytes",
    "welcome-version-unset",
    "welcome-installation-key-of-31-bytes",
    "commit-log-cut-in-last-field",
)
at_each_place = pytest.mark.parametrize("place", [0, 1, len(KINDS)], ids=["first", "in-between", "last"])


@covers("API-220.a")
@at_each_place
@pytest.mark.parametrize("name", DEFECTS)
def test_one_malformed_envelope_keeps_its_whole_request_out(node: Node, draw: Draw, name: str, place: int) -> None:
    """API-220.a: one envelope that fails admission, wherever it stands, and nothing of its request is stored."""
    defect = MALFORMED[name]
    pair, good = defect.build(draw), one_of_each_kind(draw)
    refused(node.publish(*placed(good, pair.broken, place)), at(place, defect.reason))
    nothing_stored((), node.envelopes_on(*topics_of(*good, pair.twin)))
    whole = placed(good, pair.twin, place)
    stored(node, node.publish(*whole), whole)


@covers("API-220.a")
@at_each_place
def test_one_over_long_envelope_keeps_its_whole_request_out(small: Node, draw: Draw, place: int) -> None:
    """API-220.a: one envelope past its bound, wherever it stands, and nothing of its request is stored."""
    limit, group_id, good = small.limits.max_envelope_bytes, draw.group_id(), one_of_each_kind(draw)
    above = envelope_of(draw, Kind.GROUP_MESSAGE, group_id, shortest_above(Kind.GROUP_MESSAGE, limit))
    within = envelope_of(draw, Kind.GROUP_MESSAGE, group_id, longest_within(Kind.GROUP_MESSAGE, limit))
    refused(small.publish(*placed(good, above, place)), at(place, TOO_LARGE))
    whole = placed(good, within, place)
    nothing_stored((), small.envelopes_on(*topics_of(*whole)))
    stored(small, small.publish(*whole), whole)


@covers("API-220.a")
@each_kind
def test_a_request_of_too_many_topics_stores_nothing(small: Node, draw: Draw, kind: Kind) -> None:
    """API-220.a: a request that exceeds a bound as a whole stores none of its envelopes."""
    good = [new_envelope(draw, kind) for _ in range(small.limits.max_publish_topics + 1)]
    refused(small.publish(*good), WHOLE_REQUEST)
    nothing_stored((), small.envelopes_on(*topics_of(*good)))
    stored(small, small.publish(*good[:-1]), good[:-1])


@covers("API-220.d")
@each_paged_kind
@pytest.mark.parametrize("order", list(permutations(("stored", "new", "bad"))), ids="-".join)
def test_a_failing_request_with_a_repeat_in_it_changes_nothing(
    node: Node, draw: Draw, kind: Kind, order: tuple[str, str, str]
) -> None:
    """API-220.d: beside a bad envelope nothing new is stored, and a stored one that is repeated stays as it was."""
    identifier = new_identifier(draw, kind)
    old, new = new_envelope(draw, kind, identifier), new_envelope(draw, kind, identifier)
    pair = MALFORMED["payload-unset"].build(draw)
    first, topic = node.publish(old).meta, topic_of(old)
    before = node.read_all(topic)
    bad: dict[str, Envelope | bytes] = {"stored": old, "new": new, "bad": pair.broken}
    refused(node.publish(*(bad[name] for name in order)), at(order.index("bad"), MALFORMED_PAYLOAD))
    nothing_stored(before, node.read_all(topic))
    same_receipt(first, node.publish(old).meta, where="The receipt of the next repeat")
    good = bad | {"bad": pair.twin}
    admitted(node.publish(*(good[name] for name in order)))
