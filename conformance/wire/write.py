"""The smallest protobuf writer: length-delimited fields around bytes that must stay exactly as given."""

from __future__ import annotations

_LENGTH_DELIMITED = 2
_MORE_FOLLOWS = 0x80


def varint(value: int) -> bytes:
    """Encode a non-negative integer in the shortest base-128 form. Raises ValueError for a negative one."""
    if value < 0:
        raise ValueError(f"a varint holds no negative number: {value}")
    out = bytearray()
    while value >= _MORE_FOLLOWS:
        out.append(value % _MORE_FOLLOWS | _MORE_FOLLOWS)
        value >>= 7
    out.append(value)
    return bytes(out)


def bytes_field(number: int, data: bytes) -> bytes:
    """Encode one length-delimited field (a string, bytes or submessage) with `data` as its untouched content."""
    return varint(number << 3 | _LENGTH_DELIMITED) + varint(len(data)) + data
