"""API-230: an envelope that does not parse as its kind fails its request with REASON_MALFORMED_PAYLOAD."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.any_kind import new_envelope
from conformance.craft.catalogue import Malformed
from conformance.craft.draw import Draw
from conformance.craft.group_message import group_envelope
from conformance.craft.group_shapes import LEFT_OPEN, SHAPES, Shape
from conformance.craft.topics import Kind
from conformance.oracle.absence import nothing_stored
from conformance.oracle.publish import at
from conformance.oracle.status import ended
from conformance.suite import Notes, covers
from conformance.suite.api.s3_publish.judging import (
    MALFORMED_PAYLOAD,
    broken_by,
    refused,
    refused_unlike_its_twin,
    topics_of,
)
from conformance.target.node import Node
from conformance.wire.transcript import Code

PARTS = 1000
CUT = (
    "private-application",
    "public-member-add",
    "public-member-commit-with-path",
    "public-new-member-commit",
    "public-external-remove",
)


@covers("API-230.a")
@pytest.mark.parametrize("defect", broken_by("API-230.a"), ids=str)
def test_an_envelope_without_a_known_payload_is_malformed(node: Node, draw: Draw, defect: Malformed) -> None:
    """API-230.a: an envelope with no payload, or with an unknown one only, is refused."""
    refused_unlike_its_twin(node, draw, defect)


@covers("API-230.b")
@pytest.mark.parametrize("defect", broken_by("API-230.b"), ids=str)
def test_an_identifier_of_the_wrong_length_is_malformed(node: Node, draw: Draw, defect: Malformed) -> None:
    """API-230.b: an envelope that belongs on no lawful topic is refused."""
    refused_unlike_its_twin(node, draw, defect)


@covers("API-230.c")
@pytest.mark.parametrize("defect", broken_by("API-230.c"), ids=str)
def test_data_that_is_no_group_message_is_malformed(node: Node, draw: Draw, defect: Malformed) -> None:
    """API-230.c: data that does not begin with a PublicMessage or PrivateMessage is refused."""
    refused_unlike_its_twin(node, draw, defect)


@covers("API-230.c")
@pytest.mark.parametrize("name", CUT)
@given(part=st.integers(0, PARTS - 1))
def test_a_group_message_cut_at_any_byte_is_malformed(node: Node, draw: Draw, name: str, part: int) -> None:
    """API-230.c: no message that ends before its last byte is taken, in whatever shape."""
    data, good = SHAPES[name].data(draw.group_id()), new_envelope(draw, Kind.GROUP_MESSAGE)
    cut = group_envelope(data[: len(data) * part // PARTS])
    refused(node.publish(good, cut), at(1, MALFORMED_PAYLOAD))
    nothing_stored((), node.envelopes_on(*topics_of(good, group_envelope(data))))


@covers("API-230.c")
@pytest.mark.parametrize("shape", LEFT_OPEN.values(), ids=str)
def test_a_group_message_whose_reading_is_open_may_be_taken_or_not(
    node: Node, draw: Draw, notes: Notes, shape: Shape
) -> None:
    """API-230.c: where no rule says how to read a message it may be taken; refusing it is noted only."""
    answer = node.publish(group_envelope(shape.data(draw.group_id())))
    ended(answer.call, (Code.OK, Code.INVALID_ARGUMENT))
    if answer.status.code is Code.INVALID_ARGUMENT:
        notes.add(f"The group message {shape} is refused.")


@covers("API-230.k")
@pytest.mark.parametrize("defect", broken_by("API-230.k"), ids=str)
def test_an_entry_that_does_not_parse_is_malformed(node: Node, draw: Draw, defect: Malformed) -> None:
    """API-230.k: commit-log bytes that are no PlaintextCommitLogEntry are refused."""
    refused_unlike_its_twin(node, draw, defect)


@covers("API-230.n")
@pytest.mark.parametrize("defect", broken_by("API-230.n"), ids=str)
def test_a_welcome_without_a_known_version_is_malformed(node: Node, draw: Draw, defect: Malformed) -> None:
    """API-230.n: a Welcome with no version, or with an unknown one only, is refused."""
    refused_unlike_its_twin(node, draw, defect)
