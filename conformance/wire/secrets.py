"""Credentials never reach a transcript: they are taken out of everything that was sent or received."""

from __future__ import annotations

import base64
from collections.abc import Iterable

REDACTED = "<redacted>"

_CREDENTIAL_KEYS = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key"})

# An echo of fewer bytes cannot be told from ordinary content, and masking it would damage the record.
_SHORTEST_MASKED = 8


def masked_bytes(data: bytes, secret: str | None) -> bytes:
    """Overwrite every occurrence of `secret` in `data` with asterisks; the length stays, so messages stay decodable."""
    if secret is None or len(secret) < _SHORTEST_MASKED:
        return data
    raw = secret.encode()
    return data.replace(raw, b"*" * len(raw))


def masked_text(text: str, secret: str | None) -> str:
    """Replace every occurrence of `secret` in `text`."""
    if secret is None or len(secret) < _SHORTEST_MASKED:
        return text
    return text.replace(secret, REDACTED)


def metadata_text(pairs: Iterable[tuple[str, str | bytes]], secret: str | None) -> tuple[tuple[str, str], ...]:
    """Return metadata as text: credential keys redacted, `-bin` values in base64, echoes of `secret` masked."""
    return tuple((key, _value_text(key, value, secret)) for key, value in pairs)


def _value_text(key: str, value: str | bytes, secret: str | None) -> str:
    if key.lower() in _CREDENTIAL_KEYS:
        return REDACTED
    if isinstance(value, bytes):
        return base64.b64encode(masked_bytes(value, secret)).decode()
    return masked_text(value, secret)
