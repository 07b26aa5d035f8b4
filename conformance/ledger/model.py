"""The ledger's types: a requirement of a contract, the clauses it is split into, and the whole of both contracts."""

from __future__ import annotations

import difflib
import itertools
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Party = Literal["backend", "client", "sdk", "app"]
Level = Literal["must", "should"]
Sees = Literal["full", "part", "none"]
State = Literal["tested", "planned"]
Contract = Literal["API", "SEND"]

ADVISORY = "Advisory:"
"""A note that begins so marks a clause whose findings are reported and never become a verdict."""

_NEAREST = 3


class LedgerError(Exception):
    """A ledger that breaks its own rules, or an id or pattern that names nothing in it; the text is one sentence."""


@dataclass(frozen=True, kw_only=True)
class Clause:
    """One obligation that a test can decide, or the reason why none can.

    `sees` grades what an observer from outside can tell: full, one run decides; part, a violation is proof but its
    absence only makes it unlikely; none, nothing (then `why_not` says why, and `state` has no meaning). Each entry of
    `needs` must be there for the clause to run at all; an entry written `a|b` is met by either. `owner` is the other
    specification that a row really belongs to.
    """

    id: str
    requirement: str
    party: Party
    says: str
    level: Level
    sees: Sees
    needs: tuple[str, ...]
    why_not: str | None
    state: State
    owner: str | None
    note: str | None

    @property
    def observable(self) -> bool:
        """Whether anything of the clause can be seen from outside."""
        return self.sees != "none"

    @property
    def advisory(self) -> bool:
        """Whether findings on the clause are only ever reported."""
        return self.note is not None and self.note.startswith(ADVISORY)

    @property
    def decides(self) -> bool:
        """Whether outcomes of the clause may decide the verdict of its requirement."""
        return self.observable and self.owner is None and not self.advisory


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """A requirement as the specification names it, without its sentence.

    `section` is the heading it stands under ("3. Publish"), `section_number` that heading's number ("3", "3.1").
    `binds` names the tables and proto blocks the requirement makes binding; `digest` is the SHA-256 in hex over its
    text and all of those (see `document`).
    """

    id: str
    title: str
    contract: Contract
    section: str
    section_number: str
    binds: tuple[str, ...]
    digest: str
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """All requirements of both contracts, in the order of the specifications."""

    requirements: Mapping[str, Requirement]

    def clauses(self) -> Iterator[Clause]:
        """Yield every clause, in the order of the requirements."""
        return itertools.chain.from_iterable(requirement.clauses for requirement in self.requirements.values())

    def clause(self, clause_id: str) -> Clause:
        """Return the clause of that id; raises LedgerError naming the nearest ids if there is none."""
        requirement = self.requirements.get(clause_id.split(".", 1)[0])
        for clause in requirement.clauses if requirement is not None else ():
            if clause.id == clause_id:
                return clause
        raise LedgerError(f"The ledger has no clause {clause_id!r}{self._nearest(clause_id)}.")

    def requirement(self, requirement_id: str) -> Requirement:
        """Return the requirement of that id; raises LedgerError naming the nearest ids if there is none."""
        try:
            return self.requirements[requirement_id]
        except KeyError:
            message = f"The ledger has no requirement {requirement_id!r}{self._nearest(requirement_id)}."
            raise LedgerError(message) from None

    def select(self, patterns: Iterable[str]) -> frozenset[str]:
        """Return the ids of all clauses that any of `patterns` names.

        A pattern is a requirement id (all its clauses), a clause id, or either with the wildcards of a file name, such
        as `API-25*` or `API-222.*`; letter case does not matter. Raises LedgerError for a pattern that names nothing.
        """
        return frozenset(itertools.chain.from_iterable(self._matches(pattern) for pattern in patterns))

    def _matches(self, pattern: str) -> frozenset[str]:
        wanted = pattern.lower()
        found = frozenset(
            clause.id
            for clause in self.clauses()
            if fnmatchcase(clause.requirement.lower(), wanted) or fnmatchcase(clause.id.lower(), wanted)
        )
        if not found:
            raise LedgerError(f"{pattern!r} names no requirement or clause{self._nearest(pattern)}.")
        return found

    def _nearest(self, wanted: str) -> str:
        """Return the end of a sentence that names the ids most like `wanted`; empty if none is alike."""
        ids = {name.lower(): name for name in (*self.requirements, *(clause.id for clause in self.clauses()))}
        near = difflib.get_close_matches(wanted.lower().strip("*?"), ids, n=_NEAREST)
        return f"; the nearest are {', '.join(ids[name] for name in near)}" if near else ""
