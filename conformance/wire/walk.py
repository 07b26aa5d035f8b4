"""A reader of the protobuf wire form that knows no message types: it shows the fields exactly as they stand.

Written from the encoding document, beside the protobuf runtime and not on top of it, so that a payload can be compared
byte by byte without anybody's re-encoding in between.
"""

from __future__ import annotations

from dataclasses import dataclass

VARINT = 0
FIXED64 = 1
LENGTH_DELIMITED = 2
GROUP = 3
FIXED32 = 5

_END_GROUP = 4
_WIDTH = {FIXED64: 8, FIXED32: 4}
_LONGEST_VARINT = 10
_LONGEST_TAG = 5
_LONGEST_SIZE = 5
_MORE_FOLLOWS = 0x80
_UINT64 = (1 << 64) - 1
_UINT32 = (1 << 32) - 1
_MAX_SIZE = (1 << 31) - 1
_MAX_DEPTH = 100


class WireError(ValueError):
    """The bytes are no protobuf message."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """One field in order of appearance: an integer for varint and fixed wire types, raw bytes for the others."""

    number: int
    wire_type: int
    value: int | bytes


def walk(data: bytes) -> list[Field]:
    """Return the fields of one message in wire order. Raises WireError with the offset where reading failed."""
    fields, at = _fields(data, 0, group=None, depth=0)
    if at != len(data):
        raise WireError(f"bytes are left over at offset {at}")
    return fields


def submessages(data: bytes, number: int) -> list[bytes]:
    """Return the raw content of every length-delimited occurrence of field `number`, in wire order."""
    return [
        field.value
        for field in walk(data)
        if field.number == number and field.wire_type == LENGTH_DELIMITED and isinstance(field.value, bytes)
    ]


def _fields(data: bytes, at: int, *, group: int | None, depth: int) -> tuple[list[Field], int]:
    if depth > _MAX_DEPTH:
        raise WireError(f"groups are nested deeper than {_MAX_DEPTH} at offset {at}")
    fields: list[Field] = []
    while at < len(data):
        start = at
        tag, at = _varint(data, at, longest=_LONGEST_TAG)
        number, wire_type = tag >> 3, tag & 7
        if number == 0 or tag > _UINT32:
            raise WireError(f"no field has the tag {tag} (offset {start})")
        if wire_type == _END_GROUP:
            if number != group:
                raise WireError(f"a group ends at offset {start} that was not open")
            return fields, start
        value, at = _value(data, at, number=number, wire_type=wire_type, depth=depth)
        fields.append(Field(number=number, wire_type=wire_type, value=value))
    if group is not None:
        raise WireError(f"group {group} does not end")
    return fields, at


def _value(data: bytes, at: int, *, number: int, wire_type: int, depth: int) -> tuple[int | bytes, int]:
    if wire_type == VARINT:
        return _varint(data, at, longest=_LONGEST_VARINT)
    if wire_type in _WIDTH:
        end = at + _WIDTH[wire_type]
        if end > len(data):
            raise WireError(f"a fixed field is cut off at offset {at}")
        return int.from_bytes(data[at:end], "little"), end
    if wire_type == LENGTH_DELIMITED:
        size, start = _varint(data, at, longest=_LONGEST_SIZE)
        if size > min(_MAX_SIZE, len(data) - start):
            raise WireError(f"a field of {size} bytes at offset {at} is longer than its message")
        return data[start : start + size], start + size
    if wire_type == GROUP:
        _, end = _fields(data, at, group=number, depth=depth + 1)
        _, behind = _varint(data, end, longest=_LONGEST_TAG)
        return data[at:end], behind
    raise WireError(f"wire type {wire_type} does not exist (before offset {at})")


def _varint(data: bytes, at: int, *, longest: int) -> tuple[int, int]:
    value = 0
    for index in range(longest):
        if at + index >= len(data):
            raise WireError(f"a varint is cut off at offset {at}")
        byte = data[at + index]
        value |= (byte % _MORE_FOLLOWS) << 7 * index
        if byte < _MORE_FOLLOWS:
            return value & _UINT64, at + index + 1
    raise WireError(f"a varint at offset {at} is longer than {longest} bytes")
