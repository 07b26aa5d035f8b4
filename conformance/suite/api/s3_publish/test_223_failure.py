"""API-223: a publish that fails for an envelope says which one and why. Bounds: test_223_bounds.py."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.any_kind import new_envelope, one_of_each_kind
from conformance.craft.draw import Draw
from conformance.craft.malformed import MALFORMED
from conformance.craft.sizes import envelope_of, shortest_above
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.absence import nothing_stored
from conformance.oracle.publish import TOO_LARGE, at
from conformance.suite import Notes, covers
from conformance.suite.api.each import each_paged_kind
from conformance.suite.api.s3_publish.judging import (
    MALFORMED_PAYLOAD,
    Envelope,
    admitted,
    detailed,
    refused,
    refused_unlike_its_twin,
    topics_of,
)
from conformance.target.node import Node

# one defect for each way in which an envelope of each kind can fail
DEFECTS = (
    "payload-unset",
    "payload-of-unknown-number-only",
    "group-data-empty",
    "group-data-mls-welcome",
    "private-group-id-of-17-bytes",
    "public-group-id-of-15-bytes",
    "welcome-version-unset",
    "welcome-installation-key-of-31-bytes",
    "pointer-installation-key-of-33-bytes",
    "commit-log-cut-in-tag",
    "commit-log-empty",
    "commit-log-group-id-of-32-bytes",
)
UNLIKE = ("payload-unset", "group-data-noise", "welcome-version-unset", "commit-log-group-id-of-15-bytes")
TOO_LONG = "too-long"
BOUND_AND_PARSE = [*((TOO_LONG, name) for name in UNLIKE), *((name, TOO_LONG) for name in UNLIKE)]
each_defect = pytest.mark.parametrize("name", DEFECTS)


@covers("API-223.a")
@each_defect
def test_a_refusal_carries_a_detail(node: Node, draw: Draw, notes: Notes, name: str) -> None:
    """API-223.a: an envelope that fails admission ends the publish with a PublishError inside a google.rpc.Status."""
    pair = MALFORMED[name].build(draw)
    detailed(node.publish(pair.broken), notes)
    admitted(node.publish(pair.twin))


@covers("API-223.b")
@each_defect
def test_the_reason_is_that_of_the_admission_table(node: Node, draw: Draw, name: str) -> None:
    """API-223.b: each kind of envelope and defect has the reason that the table gives."""
    refused_unlike_its_twin(node, draw, MALFORMED[name])


@covers("API-223.c")
@pytest.mark.parametrize("names", list(permutations(UNLIKE, 2)), ids=" before ".join)
def test_of_two_malformed_envelopes_the_first_is_named(node: Node, draw: Draw, names: tuple[str, str]) -> None:
    """API-223.c: whichever two defects a request has, the one at the lower index is named."""
    first, second = (MALFORMED[name].build(draw) for name in names)
    good = one_of_each_kind(draw)
    refused(node.publish(good[0], first.broken, good[1], second.broken), at(1, MALFORMED[names[0]].reason))
    refused(node.publish(good[0], first.twin, good[1], second.broken), at(3, MALFORMED[names[1]].reason))
    nothing_stored((), node.envelopes_on(*topics_of(*good, first.twin, second.twin)))
    admitted(node.publish(good[0], first.twin, good[1], second.twin))


@covers("API-223.c")
@pytest.mark.parametrize("names", BOUND_AND_PARSE, ids=" before ".join)
def test_of_a_bound_and_a_parse_failure_the_first_is_named(small: Node, draw: Draw, names: tuple[str, str]) -> None:
    """API-223.c: an envelope past its bound and one that does not parse are taken in the order they stand in."""
    good, limit = one_of_each_kind(draw), small.limits.max_envelope_bytes
    first, second = (_failing(draw, name, limit) for name in names)
    refused(small.publish(good[0], first, good[1], second), at(1, _reason(names[0])))
    refused(small.publish(good[0], good[1], second), at(2, _reason(names[1])))
    nothing_stored((), small.envelopes_on(*topics_of(*good)))
    admitted(small.publish(*good))


@covers("API-223.c")
@given(failing=st.dictionaries(st.integers(0, 5), st.sampled_from((TOO_LONG, *UNLIKE)), min_size=2))
def test_of_any_failing_envelopes_the_first_is_named(small: Node, draw: Draw, failing: dict[int, str]) -> None:
    """API-223.c: wherever envelopes fail and for whatever, the index and the reason are those of the lowest."""
    limit, good = small.limits.max_envelope_bytes, new_envelope(draw, Kind.GROUP_MESSAGE)
    sent = [_failing(draw, failing[index], limit) if index in failing else good for index in range(6)]
    lowest = min(failing)
    refused(small.publish(*sent), at(lowest, _reason(failing[lowest])))
    nothing_stored((), small.read_all(topic_of(good)))


@covers("API-223.d")
@each_paged_kind
@pytest.mark.parametrize("count", [1, 4])
def test_the_index_counts_good_envelopes_and_repeats(node: Node, draw: Draw, kind: Kind, count: int) -> None:
    """API-223.d: stored envelopes, new ones and repeats of them within the request all count in the index."""
    old, new = new_envelope(draw, kind), new_envelope(draw, kind)
    node.publish(old).ok()
    before, pair = node.envelopes_on(topic_of(old)), MALFORMED["payload-unset"].build(draw)
    for front in ([old] * count, [new] * count, [old, new] * count):
        refused(node.publish(*front, pair.broken, old), at(len(front), MALFORMED_PAYLOAD))
    nothing_stored(before, node.envelopes_on(*topics_of(old, new)))
    admitted(node.publish(*[old, new] * count, pair.twin, old))


def _failing(draw: Draw, name: str, limit_bytes: int) -> Envelope | bytes:
    """Make an envelope that fails: too long by as little as can be, or with a defect of the catalogue."""
    if name == TOO_LONG:
        return envelope_of(draw, Kind.GROUP_MESSAGE, draw.group_id(), shortest_above(Kind.GROUP_MESSAGE, limit_bytes))
    return MALFORMED[name].build(draw).broken


def _reason(name: str) -> int:
    return TOO_LARGE if name == TOO_LONG else MALFORMED[name].reason
