"""GOAWAY frames taken out of what a target sends, before the HTTP/2 library sees them.

The library takes a GOAWAY for the end of the connection and refuses every frame behind it. But streams that the target
had taken before go on to their own end, and that end is what a test of a shutdown wants to see.
"""

from __future__ import annotations

from dataclasses import dataclass

_HEADER_BYTES = 9
_GOAWAY = 7
_LARGEST_FRAME = 16_384  # the size that HTTP/2 allows unless a larger one was announced, which no client here does
_RESERVED_BIT = 0x7FFF_FFFF


class FrameTooLongError(ValueError):
    """What came is longer than any frame may be: most likely it is no HTTP/2."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GoingAway:
    """A GOAWAY: the highest stream that the target has taken, and an HTTP/2 error code."""

    last_stream: int
    error_code: int


class GoawayFilter:
    """Takes the bytes as they come; gives whole frames in their order, a GOAWAY as what it says."""

    def __init__(self) -> None:
        self._left = bytearray()

    def feed(self, data: bytes) -> list[bytes | GoingAway]:
        """Take more bytes and return the frames they complete. Raises FrameTooLongError."""
        self._left += data
        parts: list[bytes | GoingAway] = []
        while len(self._left) >= _HEADER_BYTES:
            length = int.from_bytes(self._left[:3], "big")
            if length > _LARGEST_FRAME:
                raise FrameTooLongError(f"a frame of {length} bytes begins here, but {_LARGEST_FRAME} are allowed")
            end = _HEADER_BYTES + length
            if len(self._left) < end:
                break
            frame = bytes(self._left[:end])
            del self._left[:end]
            parts.append(_going_away(frame) if frame[3] == _GOAWAY else frame)
        return parts


def _going_away(frame: bytes) -> GoingAway:
    payload = frame[_HEADER_BYTES:]
    return GoingAway(
        last_stream=int.from_bytes(payload[:4], "big") & _RESERVED_BIT,
        error_code=int.from_bytes(payload[4:8], "big"),
    )
