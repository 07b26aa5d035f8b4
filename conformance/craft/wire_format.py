"""A protobuf writer that can also write what no encoder would: over-long varints, any wire type, broken lengths."""

from __future__ import annotations

from enum import IntEnum

_CONTINUES = 0x80
_SEVEN = 0x7F
_U64 = 1 << 64


class WireType(IntEnum):
    """How the value of a field is laid out."""

    VARINT = 0
    FIXED64 = 1
    LEN = 2
    GROUP_START = 3
    GROUP_END = 4
    FIXED32 = 5


def varint_size(value: int) -> int:
    """Count the bytes of the shortest varint of a value from 0 to 2^64-1."""
    return max(1, -(-value.bit_length() // 7))


def varint(value: int, width: int | None = None) -> bytes:
    """Encode a varint; a negative value is written as its 64-bit two's complement, as encoders do.

    `width` asks for exactly that many bytes: more than needed pads it without changing the value. Parsers read up to
    ten bytes of a value and five of a tag or a length. Raises ValueError when the value does not fit.
    """
    unsigned = value + _U64 if value < 0 else value
    if not 0 <= unsigned < _U64:
        raise ValueError(f"{value} is no 64-bit integer")
    size = varint_size(unsigned) if width is None else width
    if size < varint_size(unsigned):
        raise ValueError(f"{value} does not fit a varint of {width} bytes")
    groups = [unsigned >> (7 * index) & _SEVEN for index in range(size)]
    return bytes([*(group | _CONTINUES for group in groups[:-1]), groups[-1]])


def tag(number: int, wire_type: WireType, *, width: int | None = None) -> bytes:
    """Encode the tag of a field, in `width` bytes if given."""
    return varint(number << 3 | wire_type, width)


def field_varint(number: int, value: int, *, width: int | None = None, tag_width: int | None = None) -> bytes:
    """Encode an integer, enum or bool field; `width` bytes for the value if given."""
    return tag(number, WireType.VARINT, width=tag_width) + varint(value, width)


def field_bytes(number: int, data: bytes, *, length_width: int | None = None, tag_width: int | None = None) -> bytes:
    """Encode a bytes, string or message field; `length_width` bytes for the length if given."""
    return tag(number, WireType.LEN, width=tag_width) + varint(len(data), length_width) + data


def field_fixed32(number: int, value: int, *, tag_width: int | None = None) -> bytes:
    """Encode four little-endian bytes; OverflowError when the value does not fit."""
    return tag(number, WireType.FIXED32, width=tag_width) + value.to_bytes(4, "little")


def field_fixed64(number: int, value: int, *, tag_width: int | None = None) -> bytes:
    """Encode eight little-endian bytes; OverflowError when the value does not fit."""
    return tag(number, WireType.FIXED64, width=tag_width) + value.to_bytes(8, "little")


def field_group(number: int, body: bytes, *, tag_width: int | None = None) -> bytes:
    """Encode a group, the delimited form that proto3 schemas cannot declare but every parser must skip."""
    return tag(number, WireType.GROUP_START, width=tag_width) + body + tag(number, WireType.GROUP_END, width=tag_width)
