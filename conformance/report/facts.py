"""Short facts about a run that several reports state in the same words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from conformance.report.text import one_line
from conformance.verdict.outcomes import PRECEDENCE

if TYPE_CHECKING:
    from conformance.verdict.results import Results

_LONGEST = 300


def counts(numbers: Mapping[str, int]) -> str:
    """State the counts that are not zero, most alarming first; `none` when all are zero."""
    order = {word.value: rank for rank, word in enumerate(PRECEDENCE)}
    shown = sorted((name for name in numbers if numbers[name]), key=lambda name: (order.get(name, len(order)), name))
    return ", ".join(f"{numbers[name]} {name}" for name in shown) or "none"


def subject(results: Results, role: str) -> str:
    """Name the subject under test in one role, with its endpoints when it has any."""
    entry = results["subjects"].get(role)
    if not isinstance(entry, Mapping):
        return "not under test"
    endpoints = entry.get("endpoints") or []
    where = f" at {', '.join(map(str, endpoints))}" if endpoints else ""
    return one_line(f"{entry['name']} {entry['version']}{where}", longest=_LONGEST)


def setting(results: Results) -> str:
    """State what is needed to run the same again."""
    run = results["run"]
    facts = [
        f"suite {results['suite']['version']}, profile {run['profile']}, seed {run['seed']}, workers {run['workers']}"
    ]
    if handles := run.get("handles_profile"):
        facts.append(f"handles profile {handles}")
    return one_line(", ".join(facts), longest=_LONGEST)


def power(results: Results) -> str:
    """State what the cases are worth: for how many clauses they detect every fault that was seeded."""
    known = results["power"]
    if isinstance(known, str):
        return "unknown: no proof of the cases belongs to this suite"
    proved = [entry for entry in known.values() if entry["seeded"]]
    full = sum(entry["killed"] >= entry["seeded"] for entry in proved)
    return f"every seeded fault is detected for {full} of {len(proved)} clauses with seeded faults"
