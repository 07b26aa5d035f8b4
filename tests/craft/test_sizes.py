from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.craft.sizes import (
    envelope_bytes_in,
    envelope_of,
    exists,
    framed_bytes,
    growing_envelope,
    growing_request,
    request_bytes,
    request_of,
)
from conformance.craft.topics import Kind, topic_of
from conformance.pb import backend_pb2

UNSIGNED = (Kind.GROUP_MESSAGE, Kind.WELCOME, Kind.COMMIT_LOG)


def identifier(draw: Draw, kind: Kind) -> bytes:
    return draw.installation_key() if kind is Kind.WELCOME else draw.group_id()


@pytest.mark.parametrize("pointer", [False, True])
@pytest.mark.parametrize("kind", UNSIGNED, ids=lambda kind: kind.name.lower())
@given(size=st.one_of(st.integers(250, 700), st.integers(16_300, 16_600), st.integers(65_000, 70_000)))
@example(size=16_387)
@example(size=16_391)
def test_an_envelope_has_exactly_the_length_asked_for_and_is_new(kind: Kind, pointer: bool, size: int) -> None:
    draw = Draw(size, b"sizes")
    name = identifier(draw, kind)
    if not exists(kind, size):
        with pytest.raises(ValueError, match="no envelope of this kind"):
            envelope_of(draw, kind, name, size, pointer=pointer)
        return
    one, other = (envelope_of(draw, kind, name, size, pointer=pointer) for _ in range(2))
    assert one.ByteSize() == other.ByteSize() == len(one.SerializeToString()) == size
    assert topic_of(one) == topic_of(other)
    assert one != other


def test_an_envelope_of_a_mebibyte_and_one_byte_more_can_be_made() -> None:
    draw = Draw(1, b"mebibyte")
    for size in (1 << 20, (1 << 20) + 1):
        assert envelope_of(draw, Kind.GROUP_MESSAGE, draw.group_id(), size).ByteSize() == size


@given(size=st.integers(1, 50))
def test_a_length_below_the_shortest_envelope_is_refused(size: int) -> None:
    draw = Draw(size, b"short")
    for make in (
        lambda: envelope_of(draw, Kind.GROUP_MESSAGE, draw.group_id(), size),
        lambda: growing_envelope(draw, draw.installation_key(), size),
    ):
        with pytest.raises(ValueError, match="no envelope of this kind"):
            make()


def test_a_signed_kind_cannot_be_sized() -> None:
    draw = Draw(1, b"signed")
    with pytest.raises(ValueError, match="signed"):
        envelope_of(draw, Kind.KEY_PACKAGE, draw.installation_key(), 500)


@given(total=st.integers(2_000, 60_000), largest=st.integers(600, 5_000), groups=st.integers(1, 3))
def test_a_request_has_exactly_the_length_asked_for(total: int, largest: int, groups: int) -> None:
    draw = Draw(total, b"request")
    envelopes = request_of(draw, [draw.group_id() for _ in range(groups)], total, max_envelope_bytes=largest)
    assert max(envelope.ByteSize() for envelope in envelopes) <= largest
    assert len({envelope.SerializeToString() for envelope in envelopes}) == len(envelopes)
    encoded = request_bytes(envelopes)
    assert len(encoded) == total == backend_pb2.PublishRequest(envelopes=envelopes).ByteSize()
    assert len({topic_of(envelope) for envelope in envelopes}) == min(groups, len(envelopes))


@given(total=st.integers(2_000, 60_000), largest=st.integers(600, 5_000))
def test_a_growing_request_fits_on_the_wire_and_grows_for_each_envelope(total: int, largest: int) -> None:
    draw = Draw(total, b"growing")
    envelopes = growing_request(draw, [draw.installation_key()], total, max_envelope_bytes=largest)
    encoded = request_bytes(envelopes)
    read = backend_pb2.PublishRequest.FromString(encoded)
    assert len(encoded) == total
    assert read.ByteSize() >= total + 5 * len(envelopes)
    assert all(envelope.ByteSize() <= largest for envelope in read.envelopes)
    assert len({bytes(envelope) for envelope in envelopes}) == len(envelopes)


@given(size=st.integers(0, 100_000))
def test_the_length_of_an_envelope_follows_from_the_room_it_takes_up(size: int) -> None:
    assert envelope_bytes_in(framed_bytes(size)) == size
    assert framed_bytes(size) == len(request_bytes([bytes(size)]))


def test_all_but_a_few_lengths_exist() -> None:
    missing = {kind: [size for size in range(100, 70_000) if not exists(kind, size)] for kind in UNSIGNED}
    assert missing == {
        Kind.GROUP_MESSAGE: [130, 16_387],
        Kind.WELCOME: [130, 133, 16_387, 16_391],
        Kind.COMMIT_LOG: [130, 16_387],
    }


def test_some_room_is_taken_up_by_no_envelope() -> None:
    assert envelope_bytes_in(130) is None
    assert envelope_bytes_in(1) is None
