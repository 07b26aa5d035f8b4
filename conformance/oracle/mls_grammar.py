"""The structures of MLS (RFC 9420) as a grammar: rules made of smaller rules, each read at a place in some bytes.

A rule takes the bytes, where to begin and where to end at the latest, and gives what it read and the place behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Rule = Callable[[bytes, int, int], tuple[Any, int]]
# what a field reads may follow from the fields before it
Following = Callable[[Mapping[str, Any]], Rule]

_WIDTHS = (1, 2, 4)
_LEAST = {1: 0, 2: 1 << 6, 4: 1 << 14}  # a length below this one has a shorter form


class Unreadable(Exception):  # noqa: N818 - a finding about some bytes, not an error of the suite
    """The bytes are not what the rule describes; the message is a clause."""


class LeftOpen(Exception):  # noqa: N818 - a finding about some bytes, not an error of the suite
    """The bytes hold something whose reading no specification gives; the message names it."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """The fields of a structure by name, and for each the place behind it."""

    start: int
    values: Mapping[str, Any]
    ends: Mapping[str, int]

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - a grammar reads values of any type
        return self.values[name]

    def up_to(self, name: str, data: bytes) -> bytes:
        """Give the bytes from the start of the structure through a field."""
        return data[self.start : self.ends[name]]


def number(width: int) -> Rule:
    """Read an unsigned number of `width` bytes, big-endian."""

    def rule(data: bytes, at: int, end: int) -> tuple[int, int]:
        if at + width > end:
            raise Unreadable(f"a number of {width} bytes runs past byte {end}")
        return int.from_bytes(data[at : at + width], "big"), at + width

    return rule


u8, u16, u32, u64 = number(1), number(2), number(4), number(8)


def length(data: bytes, at: int, end: int) -> tuple[int, int]:
    """Read the length of a vector (section 2.1.2): the shortest of three forms, and no further than the end."""
    first, _ = u8(data, at, end)
    form = first >> 6
    if form >= len(_WIDTHS):
        raise Unreadable(f"the length at byte {at} has no form")
    width = _WIDTHS[form]
    whole, start = number(width)(data, at, end)
    size = whole - (form << (8 * width - 2))
    if size < _LEAST[width]:
        raise Unreadable(f"the length at byte {at} has a shorter form")
    if start + size > end:
        raise Unreadable(f"{size} bytes from byte {start} run past byte {end}")
    return size, start


def opaque(data: bytes, at: int, end: int) -> tuple[bytes, int]:
    """Read a vector of bytes."""
    size, start = length(data, at, end)
    return data[start : start + size], start + size


def listed(item: Rule) -> Rule:
    """Read a vector of items, which fill it exactly."""

    def rule(data: bytes, at: int, end: int) -> tuple[tuple[Any, ...], int]:
        size, place = length(data, at, end)
        stop, found = place + size, []
        while place < stop:
            value, place = item(data, place, stop)
            found.append(value)
        return tuple(found), stop

    return rule


def optional(item: Rule) -> Rule:
    """Read a byte 0, or a byte 1 and an item."""

    def rule(data: bytes, at: int, end: int) -> tuple[Any, int]:
        present, at = u8(data, at, end)
        if present > 1:
            raise Unreadable(f"{present} tells neither presence nor absence")
        return item(data, at, end) if present else (None, at)

    return rule


def nothing(_data: bytes, at: int, _end: int) -> tuple[None, int]:
    """Read nothing."""
    return None, at


def left_open(what: str) -> Rule:
    """Stop at something that no specification describes."""

    def rule(_data: bytes, _at: int, _end: int) -> tuple[Any, int]:
        raise LeftOpen(what)

    return rule


def record(*fields: tuple[str, Rule | None, Following | None]) -> Rule:
    """Read named fields one after the other; make them with `has` and `follows`."""

    def rule(data: bytes, at: int, end: int) -> tuple[Record, int]:
        values: dict[str, Any] = {}
        ends: dict[str, int] = {}
        place = at
        for name, fixed, following in fields:
            chosen = fixed if following is None else following(values)
            if chosen is None:
                raise Unreadable(f"there is no such {name}")
            values[name], place = chosen(data, place, end)
            ends[name] = place
        return Record(start=at, values=values, ends=ends), place

    return rule


def has(name: str, rule: Rule) -> tuple[str, Rule, None]:
    """Name a field that always reads the same."""
    return name, rule, None


def follows(
    name: str, tag: str, cases: Mapping[int, Rule], *, otherwise: Rule | None = None
) -> tuple[str, None, Following]:
    """Name a field whose rule depends on the number read as `tag`; without `otherwise` no other number is readable."""

    def choose(values: Mapping[str, Any]) -> Rule:
        rule = cases.get(values[tag], otherwise)
        if rule is None:
            raise Unreadable(f"there is no {tag} {values[tag]}")
        return rule

    return name, None, choose
