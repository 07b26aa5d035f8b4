from __future__ import annotations

import pytest
from google.protobuf.unknown_fields import UnknownFieldSet
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft import tls
from conformance.craft.wire_format import (
    WireType,
    field_bytes,
    field_fixed32,
    field_fixed64,
    field_group,
    field_varint,
    varint,
    varint_size,
)
from conformance.pb import backend_pb2

NUMBERS = st.integers(100, (1 << 29) - 1)
U64 = st.integers(0, (1 << 64) - 1)


@given(value=U64, width=st.integers(1, 10))
def test_a_varint_of_any_width_reads_as_the_same_value(value: int, width: int) -> None:
    if width < varint_size(value):
        with pytest.raises(ValueError, match="does not fit"):
            varint(value, width)
    else:
        encoded = b"\x08" + varint(value, width)
        assert len(encoded) == 1 + width
        assert backend_pb2.Cursor.FromString(encoded).sequence_id == value
    assert len(varint(value)) == varint_size(value)


@given(
    number=NUMBERS, value=U64, data=st.binary(max_size=200), tag_width=st.integers(5, 5), length_width=st.integers(2, 5)
)
def test_protobuf_reads_every_wire_type_as_written(
    number: int, value: int, data: bytes, tag_width: int, length_width: int
) -> None:
    encoded = b"".join(
        (
            field_varint(number, value, width=10, tag_width=tag_width),
            field_bytes(number, data, length_width=length_width, tag_width=tag_width),
            field_fixed32(number, value & 0xFFFFFFFF),
            field_fixed64(number, value),
            field_group(number, field_varint(1, 7)),
        )
    )
    unknown = UnknownFieldSet(backend_pb2.Cursor.FromString(encoded))
    read = [(unknown[i].field_number, unknown[i].wire_type, unknown[i].data) for i in range(len(unknown))]
    assert read[:4] == [
        (number, WireType.VARINT, value),
        (number, WireType.LEN, data),
        (number, WireType.FIXED32, value & 0xFFFFFFFF),
        (number, WireType.FIXED64, value),
    ]
    assert read[4][:2] == (number, WireType.GROUP_START)


def test_a_negative_number_is_written_as_encoders_do() -> None:
    assert varint(-1) == b"\xff" * 9 + b"\x01"
    with pytest.raises(ValueError, match="no 64-bit integer"):
        varint(1 << 64)


@given(size=st.sampled_from((0, 1, 63, 64, 16383, 16384, 70_000)))
def test_a_tls_vector_is_read_back_and_takes_the_shortest_length(size: int) -> None:
    encoded = tls.vector(bytes(size)) + b"rest"
    assert tls.read_vector(encoded, 0) == (bytes(size), len(encoded) - 4)
    assert len(encoded) - 4 - size == (1 if size < 64 else 2 if size < 16384 else 4)


def test_a_tls_length_can_be_forced_wider_but_never_narrower() -> None:
    assert (tls.length(5, width=2), tls.length(5, width=4)) == (b"\x40\x05", b"\x80\x00\x00\x05")
    assert tls.read_length(b"\x80\x00\x00\x05", 0) == (5, 4)
    for value, width in ((64, 1), (16384, 2), (1 << 30, 4), (1 << 30, None), (1, 3)):
        with pytest.raises(ValueError, match="does not fit"):
            tls.length(value, width=width)


@pytest.mark.parametrize("data", [b"", b"\xc0", b"\x40", b"\x05abc"])
def test_a_broken_tls_vector_is_not_read(data: bytes) -> None:
    with pytest.raises(ValueError, match="vector"):
        tls.read_vector(data, 0)
