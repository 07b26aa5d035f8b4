"""The walker reads what the protobuf runtime reads, and keeps every byte."""

from __future__ import annotations

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.pb import backend_pb2
from conformance.wire.walk import (
    FIXED32,
    FIXED64,
    GROUP,
    LENGTH_DELIMITED,
    VARINT,
    Field,
    WireError,
    submessages,
    walk,
)
from conformance.wire.write import bytes_field, varint

# Bytes that make tags, lengths and endings likely; all others come in through binary().
wire_bytes = st.one_of(
    st.binary(max_size=40),
    st.lists(
        st.sampled_from([1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 0x7F, 0x80, 0x8A, 0xFF, 0x0B, 0x0C]), max_size=24
    ).map(bytes),
)

numbers = st.integers(1, (1 << 29) - 1)


def runtime_reads(data: bytes) -> bool:
    try:
        backend_pb2.GetConfigurationRequest.FromString(data)  # has no fields: everything is an unknown one
    except DecodeError:
        return False
    return True


def problem_of(data: bytes) -> str | None:
    try:
        walk(data)
    except WireError as error:
        return str(error)
    return None


@settings(max_examples=500)
@given(wire_bytes)
def test_it_accepts_what_the_runtime_accepts_but_for_field_number_zero(data: bytes) -> None:
    problem = problem_of(data)
    if problem is None:
        assert runtime_reads(data)
        assert all(field.number > 0 for field in walk(data))
    elif not problem.startswith("no field has the tag"):
        assert not runtime_reads(data)


@given(st.lists(st.tuples(numbers, st.binary(max_size=300))))
def test_fields_written_are_fields_read(fields: list[tuple[int, bytes]]) -> None:
    data = b"".join(bytes_field(number, content) for number, content in fields)
    assert walk(data) == [Field(number=number, wire_type=LENGTH_DELIMITED, value=content) for number, content in fields]
    for number, _ in fields:
        assert submessages(data, number) == [content for other, content in fields if other == number]


@given(st.integers(0, (1 << 64) - 1))
def test_a_varint_written_is_a_varint_read(value: int) -> None:
    assert walk(b"\x08" + varint(value)) == [Field(number=1, wire_type=VARINT, value=value)]
    assert backend_pb2.Cursor.FromString(b"\x08" + varint(value)).sequence_id == value


@given(st.binary(max_size=60), st.binary(max_size=60), st.booleans())
def test_payload_bytes_are_sliced_as_they_stand(first: bytes, second: bytes, over_long: bool) -> None:
    group = bytes_field(1, first)
    size = varint(len(group))
    if over_long:  # lawful on the wire, and gone after any re-encoding
        size = size[:-1] + bytes([size[-1] | 0x80]) + b"\x00"
    envelopes = [b"\x0a" + size + group, bytes_field(1, bytes_field(2, second))]
    response = b"".join(bytes_field(1, bytes_field(2, envelope)) for envelope in envelopes)
    assert len(backend_pb2.QueryResponse.FromString(response).envelopes) == 2
    assert [submessages(entry, 2) for entry in submessages(response, 1)] == [[envelope] for envelope in envelopes]


def test_fixed_fields_and_groups_are_read() -> None:
    data = b"\x09" + bytes([1, *[0] * 7]) + b"\x15" + bytes([2, 0, 0, 0]) + b"\x1b\x08\x05\x23\x24\x1c"
    assert walk(data) == [
        Field(number=1, wire_type=FIXED64, value=1),
        Field(number=2, wire_type=FIXED32, value=2),
        Field(number=3, wire_type=GROUP, value=b"\x08\x05\x23\x24"),
    ]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"\x0a\x05abc", "a field of 5 bytes at offset 1 is longer than its message"),
        (b"\x08\x80", "a varint is cut off at offset 1"),
        (b"\x08" + b"\x80" * 10 + b"\x00", "a varint at offset 1 is longer than 10 bytes"),
        (b"\x09\x00", "a fixed field is cut off at offset 1"),
        (b"\x0f", "wire type 7 does not exist (before offset 1)"),
        (b"\x0b\x08\x01", "group 1 does not end"),
        (b"\x0c", "a group ends at offset 0 that was not open"),
        (b"\x02\x00", "no field has the tag 2 (offset 0)"),
        (b"\x0b" * 200, "groups are nested deeper than 100 at offset 101"),
    ],
)
def test_broken_bytes_are_named_with_their_offset(data: bytes, problem: str) -> None:
    with pytest.raises(WireError) as raised:
        walk(data)
    assert str(raised.value) == problem


def test_a_negative_varint_is_refused() -> None:
    with pytest.raises(ValueError, match="-1"):
        varint(-1)
