"""Lengths on the wire and of the re-encoding are what they are said to be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.any_kind import new_envelope
from conformance.craft.draw import Draw
from conformance.craft.topics import Kind
from conformance.craft.two_lengths import growing_to, reencoded_length, shrinking_request
from conformance.pb import backend_pb2

WITH_BYTES = [Kind.GROUP_MESSAGE, Kind.KEY_PACKAGE, Kind.COMMIT_LOG]


@given(size=st.integers(300, 5000))
def test_a_growing_envelope_has_its_length_only_when_encoded_again(size: int) -> None:
    draw = Draw(1, b"sizes")
    envelope = growing_to(draw, draw.installation_key(), size)
    assert reencoded_length(envelope) == size > len(envelope)


@given(size=st.integers(1500, 70_000), kind=st.sampled_from(WITH_BYTES))
def test_a_shrinking_request_has_its_length_only_on_the_wire(size: int, kind: Kind) -> None:
    envelope = new_envelope(Draw(1, b"sizes"), kind)
    request = shrinking_request(envelope, size)
    decoded = backend_pb2.PublishRequest.FromString(request)
    assert len(request) == size
    assert list(decoded.envelopes) == [envelope]


def test_what_cannot_be_built_is_refused() -> None:
    draw = Draw(1, b"sizes")
    with pytest.raises(ValueError, match="earlier value"):
        shrinking_request(new_envelope(draw, Kind.WELCOME), 5000)
    with pytest.raises(ValueError, match="has 20 bytes"):
        shrinking_request(new_envelope(draw, Kind.GROUP_MESSAGE), 20)
    with pytest.raises(ValueError, match="encoded again"):
        growing_to(draw, draw.installation_key(), 20)
