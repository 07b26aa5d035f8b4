"""Text that came from the other side, made safe to print: it may hold anything."""

from __future__ import annotations

import unicodedata

_BREAKS = frozenset("\t\n\v\f\r\x85\u2028\u2029")


def printable(text: str, *, limit: int = 200) -> str:
    """Return `text` on one line without control, format or unassigned characters, cut to `limit` characters.

    Line breaks and tabs become spaces, so that a hostile status message can neither forge a line of a report nor
    steer a terminal.
    """
    kept = "".join(
        " " if character in _BREAKS else character
        for character in text[: 4 * limit]
        if character in _BREAKS or unicodedata.category(character)[0] != "C"
    )
    line = " ".join(kept.split())
    if len(line) <= limit and len(text) <= 4 * limit:
        return line
    return line[: limit - 1].rstrip() + "\u2026"
