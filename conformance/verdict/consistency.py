"""Whether results fit together: a verdict that its own cases contradict must not be read back as one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from conformance.verdict.errors import ResultsError
from conformance.verdict.outcomes import Outcome, Verdict

if TYPE_CHECKING:
    from conformance.verdict.results import Results

_FAILING = frozenset({Verdict.FAIL.value, Verdict.KNOWN_FAILURE.value, Verdict.STALE_BASELINE.value})


def check_consistency(results: Results) -> None:
    """Raise ResultsError unless plan, cases, clauses and requirements of results that match their schema agree."""
    cases = [case["id"] for case in results["cases"]]
    if sorted(cases) != sorted(results["plan"]):
        raise ResultsError("the results contradict themselves: the cases are not those of the plan")
    listed = sorted(clause for entry in results["requirements"].values() for clause in entry["clauses"])
    if not listed or listed != sorted(results["clauses"]):
        raise ResultsError("the results contradict themselves: the clauses are not those of the requirements")
    counts = _counts(results)
    for clause, entry in results["clauses"].items():
        said = {Outcome.HELD: entry["held"], Outcome.FAILED: entry["failed"]}
        said |= {Outcome.UNDECIDED: entry["undecided"], Outcome.MISSING: entry["missing"]}
        if any(counts[clause, outcome] != count for outcome, count in said.items()):
            raise ResultsError(f"the results contradict themselves: the counts of {clause} are not those of its cases")
        fails = entry["verdict"] == Verdict.FAIL
        if entry["failed"] and entry["verdict"] not in _FAILING:
            raise ResultsError(f"the results contradict themselves: {clause} has failed cases and is no failure")
        if fails and entry["counted"] and results["requirements"][entry["requirement"]]["verdict"] != Verdict.FAIL:
            raise ResultsError(f"the results contradict themselves: {clause} fails and its requirement does not")


def _counts(results: Results) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for case in results["cases"]:
        for clause in case["clauses"]:
            if clause not in results["clauses"]:
                raise ResultsError(f"the results contradict themselves: a case decides {clause}, which is not listed")
            counts[clause, case["outcome"]] += 1
    return counts
