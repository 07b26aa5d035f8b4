"""Reading a handles profile: the shipped assumption, and a file that overrides parts of it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from conformance.craft.identity.handles import HandlesProfile, HandlesProfileError

_LAST_FIELD = (1 << 29) - 1
_RESERVED = range(19_000, 20_000)
_LAST_KIND = (1 << 31) - 1
_LONGEST_SHOWN = 60

# table -> key in the file -> field of the profile
_KEYS: Mapping[str, Mapping[str, str]] = {
    "claim": {
        "action_field": "action_field",
        "handle_field": "handle_field",
        "signature_field": "signature_field",
    },
    "signed_text": {"phrase": "phrase", "label": "label"},
    "lookup": {"identifier_kind": "identifier_kind"},
    "configuration": {"handles_field": "handles_field", "min_name_length_field": "min_name_length_field"},
    "grammar": {
        "handle": "grammar",
        "form": "form",
        "letters": "letters",
        "shortest_name": "shortest_name",
        "longest_name": "longest_name",
    },
}
_TEXTS = {field.name for field in fields(HandlesProfile) if field.type == "str"}
# field of the profile -> the numbers it can have
_RANGES: Mapping[str, tuple[int, int]] = {
    "action_field": (5, _LAST_FIELD),  # IdentityAction numbers 1 to 4 itself
    "handle_field": (1, _LAST_FIELD),
    "signature_field": (0, _LAST_FIELD),
    "identifier_kind": (3, _LAST_KIND),  # IdentifierKind numbers 0 to 2 itself
    "handles_field": (10, _LAST_FIELD),  # GetConfigurationResponse numbers 1 to 9 itself
    "min_name_length_field": (1, _LAST_FIELD),
    "shortest_name": (1, 1000),
    "longest_name": (1, 1000),
}


@cache
def shipped_profile() -> HandlesProfile:
    """Give the profile that the suite assumes unless told otherwise."""
    text = resources.files("conformance.craft.identity").joinpath("handles_profile.toml").read_text(encoding="utf-8")
    return _checked("the shipped handles profile", _values("the shipped handles profile", tomllib.loads(text)))


def load_profile(path: Path) -> HandlesProfile:
    """Read a file that overrides parts of the shipped profile. Raises HandlesProfileError."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise HandlesProfileError(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError as error:  # TOML syntax, or bytes that are no UTF-8
        raise HandlesProfileError(f"{path} is no TOML file: {_shown(str(error))}.") from None
    shipped = shipped_profile()
    values = {field.name: getattr(shipped, field.name) for field in fields(HandlesProfile)}
    return _checked(str(path), values | _values(str(path), tables))


def _values(where: str, tables: Mapping[str, object]) -> dict[str, Any]:
    """Take the values of a file by the field of the profile they are for."""
    values: dict[str, Any] = {}
    for table, keys in tables.items():
        if table not in _KEYS:
            raise HandlesProfileError(f"{where}: unknown table [{_shown(table)}]; known are {', '.join(_KEYS)}.")
        if not isinstance(keys, dict):
            raise HandlesProfileError(f"{where}: {table} must be a table: write [{table}] and its keys below it.")
        for key, value in keys.items():
            name = f"{table}.{_shown(key)}"
            if key not in _KEYS[table]:
                raise HandlesProfileError(f"{where}: unknown key {name}; known are {', '.join(_KEYS[table])}.")
            field = _KEYS[table][key]
            values[field] = _value(where, name, field, value)
    return values


def _value(where: str, name: str, field: str, value: object) -> str | int:
    """Check one value on its own."""
    if field in _TEXTS:
        if not isinstance(value, str) or not value or not value.isprintable():
            raise HandlesProfileError(f"{where}: {name} must be a text of printable characters, and not empty.")
        return value
    first, last = _RANGES[field]
    if not isinstance(value, int) or isinstance(value, bool) or not first <= value <= last or value in _RESERVED:
        raise HandlesProfileError(f"{where}: {name} must be a whole number from {first} to {last} that is not in use.")
    return value


def _checked(where: str, values: dict[str, Any]) -> HandlesProfile:
    """Check the values against each other."""
    profile = HandlesProfile(**values)
    if profile.handle_field == profile.signature_field:
        raise HandlesProfileError(f"{where}: claim.handle_field and claim.signature_field must differ.")
    try:
        pattern = re.compile(profile.grammar)
    except (re.error, RecursionError, OverflowError) as error:
        raise HandlesProfileError(f"{where}: grammar.handle is no regular expression: {_shown(str(error))}.") from None
    if "name" not in pattern.groupindex:
        raise HandlesProfileError(f"{where}: grammar.handle must mark the name part as (?P<name>...).")
    if profile.form.count("{name}") != 1:
        raise HandlesProfileError(f"{where}: grammar.form must hold {{name}} once.")
    if profile.shortest_name > profile.longest_name:
        raise HandlesProfileError(f"{where}: grammar.shortest_name is above grammar.longest_name.")
    for size in (profile.shortest_name, profile.longest_name):
        for letter in profile.letters:
            handle = profile.handle(letter * size)
            if profile.name_of(handle) != letter * size:
                raise HandlesProfileError(
                    f"{where}: grammar.handle does not take {_shown(handle)} as the handle of a name of {size} "
                    "characters: correct it, or grammar.form, letters, shortest_name or longest_name."
                )
    return profile


def _shown(text: str) -> str:
    safe = "".join(char if char.isprintable() else "." for char in text)
    return safe if len(safe) <= _LONGEST_SHOWN else safe[:_LONGEST_SHOWN] + "..."
