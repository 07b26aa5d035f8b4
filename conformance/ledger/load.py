"""Reads api.toml and send.toml into a Ledger and refuses what breaks the rules of the format."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from conformance.ledger import needs
from conformance.ledger.model import Clause, Contract, Ledger, LedgerError, Level, Party, Requirement, Sees, State

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FILES: Mapping[Contract, str] = {"API": "api.toml", "SEND": "send.toml"}
"""The shipped file of each contract, relative to this package."""

_Word = TypeVar("_Word", bound=str)
_OWN_PARTY: Mapping[Contract, Party] = {"API": "backend", "SEND": "client"}
_REQUIREMENT_ID = re.compile(r"(API|SEND)-\d{3}")
_CLAUSE_ID = re.compile(r"(API|SEND)-\d{3}\.[a-z]+\d*(\.[a-z]+)?")
_SECTION = re.compile(r"(\d+(?:\.\d+)*)\.? \S.*")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_OWNER = re.compile(r"[A-Z]+")
_BIND = re.compile(r"why|table:\S.*|proto:(\*|\w+)")
_REQUIREMENT_KEYS = frozenset({"title", "section", "binds", "digest"})
_CLAUSE_KEYS = frozenset({"says", "party", "level", "sees", "needs", "state", "why_not", "owner", "note"})


@cache
def load() -> Ledger:
    """Return the shipped ledger; raises LedgerError if a shipped file breaks the format."""
    folder = resources.files(__package__)
    requirements: dict[str, Requirement] = {}
    for contract, name in FILES.items():
        requirements |= parse(folder.joinpath(name).read_text(encoding="utf-8"), contract=contract, name=name)
    return Ledger(requirements=requirements)


def parse(text: str, *, contract: Contract, name: str) -> dict[str, Requirement]:
    """Return the requirements of one file, by id in file order; `name` is the file's name for messages.

    Raises LedgerError with one sentence that names the file and the id for anything that breaks the format.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LedgerError(f"{name}: not valid TOML, or an id given twice: {error}.") from error
    return {key: _requirement(_Entry(name, key, value), contract) for key, value in tables.items()}


class _Entry:
    """One TOML table with typed access to its keys; every complaint names the file and the id."""

    def __init__(self, file: str, entry_id: str, value: Any) -> None:  # noqa: ANN401 - raw TOML
        self.file = file
        self.id = entry_id
        if not isinstance(value, dict):
            raise self.error("is not a table")
        self.values: dict[str, Any] = {key: item for key, item in value.items() if not isinstance(item, dict)}
        self.tables = {key: item for key, item in value.items() if isinstance(item, dict)}

    def error(self, complaint: str) -> LedgerError:
        return LedgerError(f"{self.file}: {self.id} {complaint}.")

    def only(self, keys: frozenset[str]) -> None:
        unknown = sorted(self.values.keys() - keys)
        if unknown:
            raise self.error(f"has the unknown key {unknown[0]!r}")

    def text(self, key: str) -> str | None:
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip():
            raise self.error(f"needs a text that is not empty as {key!r}")
        return value

    def required(self, key: str) -> str:
        value = self.text(key)
        if value is None:
            raise self.error(f"has no {key!r}")
        return value

    def choice(self, key: str, allowed: tuple[_Word, ...], default: _Word | None = None) -> _Word:
        value = self.text(key)
        if value is None and default is not None:
            return default
        for word in allowed:
            if word == value:
                return word
        raise self.error(f"needs one of {', '.join(allowed)} as {key!r}, not {value!r}")

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(f"needs a list of texts as {key!r}")
        if len(set(value)) != len(value):
            raise self.error(f"repeats an entry in {key!r}")
        return tuple(value)


def _requirement(entry: _Entry, contract: Contract) -> Requirement:
    if not _REQUIREMENT_ID.fullmatch(entry.id) or not entry.id.startswith(f"{contract}-"):
        raise entry.error(f"is no requirement id of {contract}")
    entry.only(_REQUIREMENT_KEYS)
    section = entry.required("section")
    number = _SECTION.fullmatch(section)
    if number is None:
        raise entry.error(f"has a section without a number: {section!r}")
    digest = entry.required("digest")
    if not _DIGEST.fullmatch(digest):
        raise entry.error("has a digest that is not 64 lower-case hex digits")
    binds = entry.texts("binds")
    for bind in binds:
        if not _BIND.fullmatch(bind):
            raise entry.error(f"binds {bind!r}, which is not why, table:HEADER, proto:NAME or proto:*")
    clauses = tuple(_clauses(entry, contract))
    if not clauses:
        raise entry.error("has no clause")
    return Requirement(
        id=entry.id,
        title=entry.required("title"),
        contract=contract,
        section=section,
        section_number=number[1],
        binds=binds,
        digest=digest,
        clauses=clauses,
    )


def _clauses(parent: _Entry, contract: Contract) -> Iterator[Clause]:
    """Yield the clauses in the sub-tables of a requirement, and those one level deeper (`API-230.j.ident`)."""
    for key, value in parent.tables.items():
        entry = _Entry(parent.file, f"{parent.id}.{key}", value)
        yield _clause(entry, contract)
        yield from _clauses(entry, contract)


def _clause(entry: _Entry, contract: Contract) -> Clause:
    if not _CLAUSE_ID.fullmatch(entry.id):
        raise entry.error("is no clause id, such as API-222.a or API-230.j.ident")
    entry.only(_CLAUSE_KEYS)
    sees: Sees = entry.choice("sees", get_args(Sees))
    why_not = entry.text("why_not")
    if (why_not is not None) != (sees == "none"):
        raise entry.error("needs a why_not exactly when sees is none")
    if sees == "none" and not {"state", "needs"}.isdisjoint(entry.values):
        raise entry.error("cannot be seen, so it has neither a state nor needs")
    owner = entry.text("owner")
    if owner is not None and not _OWNER.fullmatch(owner):
        raise entry.error(f"has the owner {owner!r}, which is no specification's prefix, such as IDENT")
    entry_needs = entry.texts("needs")
    for word in (word for need in entry_needs for word in needs.alternatives(need)):
        if not needs.known(word):
            raise entry.error(f"needs {word!r}, which is no known control, capability or profile")
    state: State = entry.choice("state", get_args(State), "planned" if sees == "none" else None)
    return Clause(
        id=entry.id,
        requirement=entry.id.split(".", 1)[0],
        party=entry.choice("party", get_args(Party), _OWN_PARTY[contract]),
        says=entry.required("says"),
        level=entry.choice("level", get_args(Level), "must"),
        sees=sees,
        needs=entry_needs,
        why_not=why_not,
        state=state,
        owner=owner,
        note=entry.text("note"),
    )
