"""The gRPC framing of messages inside an HTTP/2 stream, and the status that its trailers carry."""

from __future__ import annotations

import base64
import binascii
import urllib.parse
from collections.abc import Iterable, Mapping

from conformance.wire.secrets import masked_bytes, masked_text
from conformance.wire.transcript import Code, Status

_PREFIX_BYTES = 5
_KNOWN = frozenset(int(code) for code in Code)


class FramingError(ValueError):
    """The bytes are no gRPC messages."""


def framed(message: bytes, *, compressed: bool = False) -> bytes:
    """Put its prefix in front of a message; `compressed` only says that it is."""
    return bytes([compressed]) + len(message).to_bytes(4, "big") + message


class Deframer:
    """Takes the bytes of a stream as they come and gives the messages that are complete."""

    def __init__(self) -> None:
        self._left = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """Take more bytes; return the messages they complete. Raises FramingError for a compressed message."""
        self._left += data
        messages = []
        while len(self._left) >= _PREFIX_BYTES:
            if self._left[0]:
                raise FramingError(f"a message has the compression flag {self._left[0]}, but none was offered")
            end = _PREFIX_BYTES + int.from_bytes(self._left[1:_PREFIX_BYTES], "big")
            if len(self._left) < end:
                break
            messages.append(bytes(self._left[_PREFIX_BYTES:end]))
            del self._left[:end]
        return messages

    @property
    def unfinished(self) -> int:
        """The number of bytes of a message that is not complete."""
        return len(self._left)


def status_of(headers: Iterable[tuple[str, str]], *, secret: str | None = None) -> Status | None:
    """Read the status from trailers, None when they have no `grpc-status` that is a number.

    A code that does not exist is UNKNOWN, as gRPC says; percent-encoding and base64 are undone.
    """
    fields: Mapping[str, str] = dict(headers)
    told = fields.get("grpc-status", "")
    if not (told.isascii() and told.isdigit()):
        return None
    code = int(told) if int(told) in _KNOWN else int(Code.UNKNOWN)
    details = _details(fields.get("grpc-status-details-bin"))
    return Status(
        code=Code(code),
        message=masked_text(urllib.parse.unquote(fields.get("grpc-message", ""), errors="replace"), secret),
        details_bin=None if details is None else masked_bytes(details, secret),
    )


def _details(text: str | None) -> bytes | None:
    if text is None:
        return None
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return None
