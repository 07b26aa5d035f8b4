"""A strict reader of the TLS presentation language as MLS uses it (RFC 9420 section 2.1)."""

from __future__ import annotations


class TlsError(Exception):
    """The bytes are not what the structure calls for."""


class TlsReader:
    """Reads fields one after the other from a window of some bytes."""

    __slots__ = ("_data", "_end", "_position")

    def __init__(self, data: bytes, start: int = 0, end: int | None = None) -> None:
        self._data = data
        self._position = start
        self._end = len(data) if end is None else end

    @property
    def at_end(self) -> bool:
        """Whether every byte of the window has been read."""
        return self._position == self._end

    @property
    def position(self) -> int:
        """Where the next field begins."""
        return self._position

    def since(self, position: int) -> bytes:
        """Return what was read from an earlier position on."""
        return self._data[position : self._position]

    def take(self, count: int) -> bytes:
        """Read the next `count` bytes."""
        start = self._advance(count)
        return self._data[start : start + count]

    def u8(self) -> int:
        """Read one byte."""
        return self._data[self._advance(1)]

    def u16(self) -> int:
        """Read two bytes, big-endian."""
        return int.from_bytes(self.take(2), "big")

    def u32(self) -> int:
        """Read four bytes, big-endian."""
        return int.from_bytes(self.take(4), "big")

    def u64(self) -> int:
        """Read eight bytes, big-endian."""
        return int.from_bytes(self.take(8), "big")

    def optional(self) -> bool:
        """Read the presence byte of an optional value."""
        presence = self.u8()
        if presence > 1:
            raise TlsError(f"presence byte {presence}")
        return presence == 1

    def opaque(self) -> bytes:
        """Read a variable-length vector of bytes."""
        return self.take(self._length())

    def vector(self) -> TlsReader:
        """Read a variable-length vector of structures: a reader over just its bytes."""
        count = self._length()
        start = self._advance(count)
        return TlsReader(self._data, start, start + count)

    def _length(self) -> int:
        """Read a vector length: 1, 2 or 4 bytes by the top two bits, in the shortest form that holds it."""
        first = self.u8()
        width = 1 << (first >> 6)
        if width > 4:  # noqa: PLR2004 - the prefix 11, which the RFC leaves out
            raise TlsError("length with an invalid prefix")
        length = int.from_bytes(bytes([first & 0x3F]) + self.take(width - 1), "big")
        if width > 1 and length < 1 << (8 * (width // 2) - 2):
            raise TlsError("length in a longer form than it needs")
        return length

    def _advance(self, count: int) -> int:
        start = self._position
        if count > self._end - start:
            raise TlsError("ends too early")
        self._position = start + count
        return start
