"""How an oracle says that a requirement is broken, and that the facts allow no judgement."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

_NOTHING: Mapping[str, object] = MappingProxyType({})
_LONGEST_HEX = 64
_LONGEST_TEXT = 200
_MOST_ITEMS = 8


class Violation(AssertionError):  # noqa: N818 - named for what a reader of a report looks for
    """A requirement of the contract is broken.

    `reason` is a short stable class of failure, such as `hole`; a baseline compares it. `sentence` is for a backend
    engineer. `witness` holds the few facts that prove it, by name.
    """

    def __init__(self, reason: str, sentence: str, *, witness: Mapping[str, object] = _NOTHING) -> None:
        self.reason = reason
        self.sentence = sentence
        self.witness = dict(witness)
        super().__init__("\n".join([sentence, *(f"  {name}: {shown(value)}" for name, value in witness.items())]))


class Undecidable(BaseException):
    """The facts prove neither that the requirement holds nor that it is broken: a lost connection, a refused token.

    No `Exception`: hypothesis would shrink it as if it were a violation, and `except Exception` would hide it.
    """


def shown(value: object) -> str:
    """Write a value of a witness on one short line, without control characters: its text may be hostile."""
    if value is None:
        return "none"
    if isinstance(value, bytes):
        head = value.hex()[:_LONGEST_HEX]
        return (head or "no bytes") + (f"... ({len(value)} bytes)" if len(value.hex()) > _LONGEST_HEX else "")
    if isinstance(value, Mapping):
        return shown([f"{shown(key)} -> {shown(item)}" for key, item in value.items()])
    if isinstance(value, Collection) and not isinstance(value, str):
        items = list(value)
        more = f", ... ({len(items)} in all)" if len(items) > _MOST_ITEMS else ""
        return "[" + ", ".join(shown(item) for item in items[:_MOST_ITEMS]) + more + "]"
    text = str(value)
    safe = "".join(char if char.isprintable() else "." for char in text[:_LONGEST_TEXT])
    return safe + ("..." if len(text) > _LONGEST_TEXT else "")
