"""The cases that did not simply hold, with what a reader needs to understand each and to run it again."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.report.rows import natural
from conformance.report.text import sentence_and_witness
from conformance.verdict.outcomes import Outcome

if TYPE_CHECKING:
    from conformance.verdict.results import CaseResult, Results

STANDARD_PROFILE = "standard"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One case. `clauses` are labelled; `decides` is False when none of them counts; texts are as recorded."""

    case: str
    clauses: tuple[str, ...]
    decides: bool
    reason: str
    sentence: str
    witness: str
    repro: str
    transcript: str | None
    attempts: int


def findings(results: Results, outcome: Outcome) -> list[Finding]:
    """Give the cases with one outcome, ordered by their clauses and then by id."""
    cases = [case for case in results["cases"] if case["outcome"] == outcome]
    return [_finding(results, case) for case in sorted(cases, key=_order)]


def notes(results: Results) -> list[str]:
    """Give every note of the run and of its cases, which decide nothing."""
    said: dict[str, list[str]] = {}
    for case in results["cases"]:
        for note in case["notes"]:
            said.setdefault(note, []).append(case["id"])
    of_cases = [f"{note} ({_places(cases)})" for note, cases in said.items()]
    return [*results["run"]["notes"], *of_cases]


def _places(cases: list[str]) -> str:
    """Name the test behind a note, without the parameters that the note tells apart anyway."""
    tests = list(dict.fromkeys(case.partition("[")[0] for case in cases))
    return tests[0] if len(tests) == 1 else f"{tests[0]} and {len(tests) - 1} more"


def label(results: Results, clause: str) -> str:
    """Name a clause with its level and party, and say why it is reported apart when it is."""
    entry = results["clauses"][clause]
    apart = "" if entry["counted"] else f", apart: {entry['owner'] or entry['reason']}"
    return f"{clause} ({entry['level']}, {entry['party']}{apart})"


def repro_of(results: Results, case: CaseResult) -> str:
    """Give the command that runs a case again: the recorded one, else one made from its clauses and the seed."""
    if case["repro"]:
        return case["repro"]
    words = ["xmtp-conformance", "run"]
    for clause in case["clauses"]:
        words += ["--only", clause]
    words += ["--seed", str(results["run"]["seed"])]
    if results["run"]["profile"] != STANDARD_PROFILE:
        words += ["--profile", results["run"]["profile"]]
    if handles := results["run"].get("handles_profile"):
        words += ["--handles-profile", handles]
    return shlex.join(words)


def _order(case: CaseResult) -> tuple[object, ...]:
    return (min(natural(clause) for clause in case["clauses"]), case["id"])


def _finding(results: Results, case: CaseResult) -> Finding:
    sentence, witness = sentence_and_witness(case["message"])
    clauses = sorted(case["clauses"], key=natural)
    return Finding(
        case=case["id"],
        clauses=tuple(label(results, clause) for clause in clauses),
        decides=any(results["clauses"][clause]["counted"] for clause in clauses),
        reason=case["reason"],
        sentence=sentence,
        witness=witness,
        repro=repro_of(results, case),
        transcript=case["transcript"],
        attempts=case["attempts"],
    )
