"""Handles as the model reads them, by rules that the caller brings: no public text fixes their wire form."""

from __future__ import annotations

import re
import string
from typing import Protocol

from conformance.oracle.wire_walk import LEN, VARINT, pieces

MOST_CLAIMS = 64
PAUSE_NS = 7 * 24 * 3600 * 1_000_000_000
_FOLD = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


class HandleRules(Protocol):
    """The assumptions about handles: field numbers, words of the signed text, and the grammar.

    `grammar` is a regular expression for a whole handle with a group `name` for its name part. `signature_field` is 0
    for a claim without a signature of its own.
    """

    @property
    def action_field(self) -> int:
        """Of ClaimHandle among the kinds of an action."""
        ...

    @property
    def handle_field(self) -> int:
        """Of the handle in ClaimHandle."""
        ...

    @property
    def signature_field(self) -> int:
        """Of the signature in ClaimHandle, 0 for none."""
        ...

    @property
    def phrase(self) -> str:
        """The first line of a claim in the signed text, after its dash."""
        ...

    @property
    def label(self) -> str:
        """What stands before the handle in the second line."""
        ...

    @property
    def identifier_kind(self) -> int:
        """The number of IDENTIFIER_KIND_HANDLE."""
        ...

    @property
    def handles_field(self) -> int:
        """Of HandlesConfiguration in GetConfigurationResponse."""
        ...

    @property
    def min_name_length_field(self) -> int:
        """Of min_name_length in HandlesConfiguration."""
        ...

    @property
    def grammar(self) -> str:
        """A regular expression for a whole handle in lower case, its name part in a group `name`."""
        ...


def folded(handle: str) -> str:
    """Convert ASCII capitals to lower case, and nothing else (API-299)."""
    return handle.translate(_FOLD)


def name_part(handle: str, rules: HandleRules) -> str | None:
    """Give the name part of a handle as carried; None when the grammar does not take it."""
    match = re.fullmatch(rules.grammar, handle)
    return None if match is None else match["name"]


def published_min_name_length(configuration: bytes, rules: HandleRules) -> int | None:
    """Read min_name_length from an encoded GetConfigurationResponse; None when handles are not published.

    A HandlesConfiguration without the field publishes 0. Raises WireError for bytes that are no message.
    """
    bodies = delimited(configuration, rules.handles_field)
    if not bodies:
        return None
    values = [
        piece.value
        for piece in pieces(b"".join(bodies))
        if piece.number == rules.min_name_length_field and piece.wire_type == VARINT
    ]
    last = values[-1] if values else 0
    return last if isinstance(last, int) else None


def delimited(message: bytes, number: int) -> list[bytes]:
    """Give the bodies of a delimited field; together they are its merged value if that is a message."""
    return [
        piece.value
        for piece in pieces(message)
        if piece.number == number and piece.wire_type == LEN and isinstance(piece.value, bytes)
    ]
