"""Reads the keys of a JSON object by type, and notices the keys nobody asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from conformance.verdict.errors import EventError

_T = TypeVar("_T")
_JSON_NAMES: dict[type, str] = {
    str: "string", bool: "boolean", int: "whole number", float: "number", list: "list", dict: "object",
    type(None): "null",
}  # fmt: skip


class Reader:
    """One JSON object under reading; every method raises EventError in one sentence for a key that does not fit."""

    def __init__(self, value: object) -> None:
        if not isinstance(value, Mapping):
            raise EventError("it is not a JSON object")
        self._object: Mapping[str, object] = value
        self._read: set[str] = set()

    def keys(self) -> tuple[str, ...]:
        """Name the keys of the object."""
        return tuple(self._object)

    def inside(self, key: str) -> Reader:
        """Make a reader for the object under `key`."""
        return Reader(self._typed(key, dict))

    def text(self, key: str) -> str:
        """Read a string."""
        return self._typed(key, str)

    def boolean(self, key: str) -> bool:
        """Read a truth value."""
        return self._typed(key, bool)

    def integer(self, key: str) -> int:
        """Read a whole number; JSON true and false are none."""
        if isinstance(self._get(key), bool):
            raise _unfit(key, bool, int)
        return self._typed(key, int)

    def number(self, key: str) -> float:
        """Read a number as a float."""
        value = self._get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        return self._typed(key, float)

    def optional_number(self, key: str) -> float | None:
        """Read a number, or None for null."""
        return None if self._get(key) is None else self.number(key)

    def optional_text(self, key: str) -> str | None:
        """Read a string, or None for null."""
        return None if self._get(key) is None else self.text(key)

    def texts(self, key: str) -> tuple[str, ...]:
        """Read a list of strings."""
        members = self._typed(key, list)
        for member in members:
            if not isinstance(member, str):
                raise _unfit(key, type(member), str)
        return tuple(members)

    def optional_texts(self, key: str) -> tuple[str, ...] | None:
        """Read a list of strings, or None for null."""
        return None if self._get(key) is None else self.texts(key)

    def mapping(self, key: str) -> dict[str, object]:
        """Read an object, whatever it holds."""
        return dict(self._typed(key, dict))

    def end(self) -> None:
        """Raise EventError if the object holds a key that was not read."""
        strange = sorted(set(self._object) - self._read)
        if strange:
            raise EventError(f"key {strange[0]!r} is unknown")

    def _get(self, key: str) -> object:
        self._read.add(key)
        if key not in self._object:
            raise EventError(f"key {key!r} is absent")
        return self._object[key]

    def _typed(self, key: str, kind: type[_T]) -> _T:
        value = self._get(key)
        if not isinstance(value, kind):
            raise _unfit(key, type(value), kind)
        return value


def _unfit(key: str, found: type, wanted: type) -> EventError:
    return EventError(f"key {key!r} holds a {_JSON_NAMES.get(found, found.__name__)}, not a {_JSON_NAMES[wanted]}")
