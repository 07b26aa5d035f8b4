"""The requirement table that every report shows: one row per requirement, by section, with what did not run and why."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.report.text import one_line
from conformance.verdict.clauses import decisive
from conformance.verdict.outcomes import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.verdict.results import ClauseResult, RequirementResult, Results

_DECIDED = frozenset({Outcome.HELD, Outcome.FAILED})
_LONGEST = 400


@dataclass(frozen=True, kw_only=True)
class Row:
    """One requirement: `run` of `total` clauses that count have a case that held or failed."""

    id: str
    title: str
    verdict: str
    run: int
    total: int
    note: str


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section of a contract and its requirements in order."""

    heading: str
    rows: tuple[Row, ...]


def sections(results: Results) -> list[Section]:
    """Give every requirement exactly once, grouped by contract and section, in the order of the contracts."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for requirement in sorted(results["requirements"], key=natural):
        entry = results["requirements"][requirement]
        contract = requirement.partition("-")[0]
        groups.setdefault((contract, entry["section"]), []).append(_row(results, requirement, entry))
    return [
        Section(heading=one_line(f"{contract} {section}", longest=_LONGEST), rows=tuple(groups[contract, section]))
        for contract, section in sorted(groups, key=lambda group: (group[0], _place(group[1]), group[1]))
    ]


def natural(text: str) -> tuple[tuple[int, str], ...]:
    """Sort key under which numbers inside a text compare as numbers."""
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]+)", text) if part)


def _place(heading: str) -> tuple[int, ...]:
    """Read the number a heading starts with, so that `3. Publish` comes before `3.1 Admission`."""
    number = re.match(r"[0-9]+(?:\.[0-9]+)*", heading)
    return tuple(map(int, number.group().split("."))) if number else ()


def _row(results: Results, requirement: str, entry: RequirementResult) -> Row:
    clauses = {name: results["clauses"][name] for name in entry["clauses"]}
    counted = [clause for clause in clauses.values() if clause["counted"]]
    notes = [_parties(entry), *_gaps(requirement, clauses), *_apart(requirement, clauses)]
    return Row(
        id=requirement,
        title=one_line(entry["title"], longest=_LONGEST),
        verdict=entry["verdict"],
        run=sum(bool(decisive(clause) & _DECIDED) for clause in counted),
        total=len(counted),
        note="; ".join(one_line(note, longest=_LONGEST) for note in notes if note),
    )


def _parties(entry: RequirementResult) -> str:
    if len(entry["parties"]) < 2:  # noqa: PLR2004 - with one party its word is the word of the requirement
        return ""
    return ", ".join(f"{party} {word}" for party, word in sorted(entry["parties"].items()))


def _gaps(requirement: str, clauses: dict[str, ClauseResult]) -> list[str]:
    """Name the clauses that count and are no plain pass, those with the same word and reason together."""
    counted = {name: clause for name, clause in clauses.items() if clause["counted"]}
    own = [clause for clause in clauses.values() if clause["owner"] is None]
    groups: dict[tuple[int, str, str], list[str]] = {}
    for name, clause in counted.items():
        if clause["verdict"] != Verdict.PASS:
            rank = list(Verdict).index(Verdict(clause["verdict"]))
            groups.setdefault((rank, clause["verdict"], clause["reason"]), []).append(name)
    whole = len(groups) == 1 and len(next(iter(groups.values()))) == len(own)
    return [
        _gap("" if whole else _letters(requirement, groups[group]), group[1], group[2], whole=whole)
        for group in sorted(groups)
    ]


def _gap(letters: str, word: str, reason: str, *, whole: bool) -> str:
    if whole:
        return reason
    return f"{letters} {word}" + (f" ({reason.rstrip('.')})" if reason else "")


def _apart(requirement: str, clauses: dict[str, ClauseResult]) -> list[str]:
    groups: dict[tuple[str, str], list[str]] = {}
    for name, clause in clauses.items():
        if not clause["counted"]:
            groups.setdefault((clause["verdict"], clause["owner"] or clause["reason"]), []).append(name)
    return [f"apart: {_letters(requirement, groups[word, why])} {word} ({why})" for word, why in groups]


def _letters(requirement: str, names: Sequence[str]) -> str:
    return ", ".join(name.removeprefix(f"{requirement}.") for name in names)
