"""The presentation language of MLS objects (RFC 9420 section 2.1): fixed-size integers and length-prefixed vectors."""

from __future__ import annotations

# width of a vector's length prefix in bytes -> (prefix bits, longest vector it can announce)
_LENGTHS = {1: (0b00, 0x3F), 2: (0b01, 0x3FFF), 4: (0b10, 0x3FFFFFFF)}


def u8(value: int) -> bytes:
    """Encode an unsigned integer of one byte; OverflowError when it does not fit."""
    return value.to_bytes(1, "big")


def u16(value: int) -> bytes:
    """Encode an unsigned integer of two bytes; OverflowError when it does not fit."""
    return value.to_bytes(2, "big")


def u32(value: int) -> bytes:
    """Encode an unsigned integer of four bytes; OverflowError when it does not fit."""
    return value.to_bytes(4, "big")


def u64(value: int) -> bytes:
    """Encode an unsigned integer of eight bytes; OverflowError when it does not fit."""
    return value.to_bytes(8, "big")


def length(value: int, *, width: int | None = None) -> bytes:
    """Encode the length of a vector, in bytes.

    `width` 1, 2 or 4 forces that many bytes; one that is wider than needed is malformed by RFC 9420 section 2.1.2.
    Raises ValueError when the length does not fit.
    """
    chosen = width if width is not None else next((w for w, (_, top) in _LENGTHS.items() if value <= top), 4)
    if chosen not in _LENGTHS or not 0 <= value <= _LENGTHS[chosen][1]:
        raise ValueError(f"a vector length of {value} does not fit {chosen} bytes")
    bits, _ = _LENGTHS[chosen]
    return (value | bits << (8 * chosen - 2)).to_bytes(chosen, "big")


def vector(data: bytes, *, width: int | None = None) -> bytes:
    """Encode a vector: its length in bytes, then its content. `width` as in `length`."""
    return length(len(data), width=width) + data


def optional(data: bytes | None) -> bytes:
    """Encode an optional value: one byte 0, or one byte 1 and the value."""
    return b"\x00" if data is None else b"\x01" + data


def read_length(data: bytes, position: int) -> tuple[int, int]:
    """Read a vector length at `position`: the length and the position behind it.

    Raises ValueError when the prefix is cut short or announces no width. A length wider than needed is read all the
    same: this reader serves the suite's own objects, it judges nothing.
    """
    if position >= len(data):
        raise ValueError(f"no vector length at byte {position} of {len(data)}")
    width = {0: 1, 1: 2, 2: 4}.get(data[position] >> 6)
    if width is None or position + width > len(data):
        raise ValueError(f"no vector length at byte {position} of {len(data)}")
    value = int.from_bytes(data[position : position + width], "big")
    return value & _LENGTHS[width][1], position + width


def read_vector(data: bytes, position: int) -> tuple[bytes, int]:
    """Read a vector at `position`: its content and the position behind it; ValueError when it is cut short."""
    size, start = read_length(data, position)
    if start + size > len(data):
        raise ValueError(f"a vector of {size} bytes at byte {start} runs past the end at {len(data)}")
    return data[start : start + size], start + size
