"""The ledger as the assembly of results sees it: a plain mapping from the caller, read into values and checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conformance.verdict.errors import AssemblyError

if TYPE_CHECKING:
    from collections.abc import Mapping

_ALLOWED = {
    "party": ("backend", "client", "sdk", "app"),
    "level": ("must", "should"),
    "sees": ("full", "part", "none"),
    "state": ("tested", "planned"),
}
_OPT_IN = "profile:"


@dataclass(frozen=True, kw_only=True)
class ClauseView:
    """What a verdict depends on in one clause; `says` is shown in reports and decides nothing."""

    id: str
    requirement: str
    party: str
    level: str
    sees: str
    state: str
    needs: tuple[str, ...]
    why_not: str
    owner: str | None
    says: str

    @property
    def observable(self) -> bool:
        """Whether an observer outside the target can decide the clause at all."""
        return self.sees != "none"

    @property
    def profiles(self) -> tuple[str, ...]:
        """The opt-in profiles outside of which the clause is no part of the verdict.

        A need such as `profile:robustness|kill` can also be met by the target, so it opts nothing out.
        """
        needs = [need.split("|") for need in self.needs]
        opt_in = [words for words in needs if all(word.startswith(_OPT_IN) for word in words)]
        return tuple(word.removeprefix(_OPT_IN) for words in opt_in for word in words)


@dataclass(frozen=True, kw_only=True)
class RequirementView:
    """A requirement and its clauses in ledger order."""

    id: str
    title: str
    section: str
    clauses: tuple[ClauseView, ...]


def read_ledger(view: Mapping[str, Any]) -> tuple[RequirementView, ...]:
    """Read `{"requirements": {id: {title, section, clauses: {id: {...}}}}}`.

    Raises AssemblyError for an absent key, a value outside its enumeration, a requirement without clauses, or a
    clause under two requirements: each of them could make a verdict out of nothing.
    """
    try:
        requirements = tuple(
            RequirementView(
                id=requirement,
                title=entry["title"],
                section=str(entry["section"]),
                clauses=tuple(_clause(requirement, clause, keys) for clause, keys in entry["clauses"].items()),
            )
            for requirement, entry in view["requirements"].items()
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise AssemblyError(f"the ledger given for assembly is not of the agreed form: {error!r}") from error
    seen: set[str] = set()
    for requirement in requirements:
        if not requirement.clauses:
            raise AssemblyError(f"requirement {requirement.id} has no clause in the ledger; add one")
        for clause in requirement.clauses:
            if clause.id in seen:
                raise AssemblyError(f"clause {clause.id} stands twice in the ledger; keep one")
            seen.add(clause.id)
    return requirements


def _clause(requirement: str, clause: str, keys: Mapping[str, Any]) -> ClauseView:
    for key, allowed in _ALLOWED.items():
        if keys[key] not in allowed:
            raise AssemblyError(f"clause {clause} has {key} = {keys[key]!r}; use one of {', '.join(allowed)}")
    return ClauseView(
        id=clause,
        requirement=requirement,
        party=keys["party"],
        level=keys["level"],
        sees=keys["sees"],
        state=keys["state"],
        needs=tuple(keys["needs"] or ()),
        why_not=keys["why_not"] or "",
        owner=keys["owner"] or None,
        says=keys.get("says") or "",
    )
