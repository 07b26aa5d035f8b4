"""gRPC-Web on the wire: messages and trailers in frames of five bytes and a body."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from urllib.parse import quote

HEADER_BYTES = 5
COMPRESSED = 0x01
TRAILERS = 0x80
_PLAIN = "".join(chr(byte) for byte in range(0x20, 0x7F) if chr(byte) != "%")
_TIMEOUT = re.compile(r"([0-9]{1,8})([HMSmun])")
_SECONDS = {"H": 3600.0, "M": 60.0, "S": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9}

Fields = tuple[tuple[str, str], ...]


class FramingError(Exception):
    """A body that is not one frame; the text is one sentence."""


def message_of(body: bytes) -> tuple[int, bytes]:
    """Return the flags and the message of a request body, which is one frame; FramingError when it is not."""
    if len(body) < HEADER_BYTES:
        raise FramingError("the body is shorter than the header of a frame")
    length = int.from_bytes(body[1:HEADER_BYTES], "big")
    if length != len(body) - HEADER_BYTES:
        raise FramingError(f"the frame says {length} bytes and the body has {len(body) - HEADER_BYTES} behind it")
    return body[0], body[HEADER_BYTES:]


def frame(flags: int, body: bytes) -> bytes:
    """Return one frame."""
    return bytes([flags]) + len(body).to_bytes(4, "big") + body


def trailer_frame(fields: Fields) -> bytes:
    """Return the last frame of a response: its trailers, a line each."""
    return frame(TRAILERS, "".join(f"{name}: {value}\r\n" for name, value in fields).encode("latin-1"))


def status_fields(code: int, message: str, trailing: Iterable[tuple[str, str | bytes]]) -> Fields:
    """Return the trailers of a call that ended with a status."""
    fields = [("grpc-status", str(code))]
    if message:
        fields.append(("grpc-message", quote(message, safe=_PLAIN)))
    return (*fields, *((name, _text(value)) for name, value in trailing))


def seconds_of(timeout: str | None) -> float | None:
    """Return the seconds of a grpc-timeout header, None for one that is absent or says nothing."""
    found = _TIMEOUT.fullmatch(timeout or "")
    return int(found[1]) * _SECONDS[found[2]] if found else None


def _text(value: str | bytes) -> str:
    return base64.b64encode(value).decode().rstrip("=") if isinstance(value, bytes) else value
