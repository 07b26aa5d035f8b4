"""Identifiers by the text that signatures name them with, and the inbox ids that follow from them (IDENT-010, 013)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256

_ADDRESS = re.compile(r"0x[0-9a-f]{40}")
_HEX = re.compile(r"([0-9a-fA-F]{2})*")
_POINT_PREFIXES = {33: (2, 3), 65: (4,)}


class Kind(Enum):
    """The kinds of member."""

    ETHEREUM = "ethereum"
    INSTALLATION = "installation"
    PASSKEY = "passkey"


@dataclass(frozen=True, kw_only=True)
class Identifier:
    """A member, present or possible: the address with `0x`, or the bytes of the key in lowercase hex."""

    kind: Kind
    text: str

    def __str__(self) -> str:
        return f"{self.kind.value} {self.text}"


def is_address(text: str) -> bool:
    """Tell whether a text is an address as updates must carry it: in lowercase (IDENT-013)."""
    return _ADDRESS.fullmatch(text) is not None


def is_hex(text: str) -> bool:
    """Tell whether a text is whole bytes in hex, in whatever letter case."""
    return _HEX.fullmatch(text) is not None


def is_point(key: bytes) -> bool:
    """Tell whether a key has the length and first byte of a P-256 point, compressed or not."""
    return len(key) in _POINT_PREFIXES and key[0] in _POINT_PREFIXES[len(key)]


def inbox_id_of(owner: Identifier, nonce: int) -> str:
    """Derive the inbox id of an owner and a nonce of 0 to 2^64-1 (IDENT-010)."""
    return sha256((owner.text + str(nonce)).encode()).hexdigest()
