"""The exit code of a run, from its results alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.verdict.clauses import decisive
from conformance.verdict.outcomes import Outcome, Verdict

if TYPE_CHECKING:
    from conformance.verdict.results import Results

NO_VIOLATION = 0
VIOLATION = 1
NOT_SHOWN = 3


def exit_code(results: Results, *, require_full: bool = False) -> int:
    """Give 1 for a violation, 3 when too little was shown, 0 otherwise; 2 belongs to errors of usage and set-up.

    Too little was shown when a verdict is inconclusive, the run is incomplete, or nothing held. With `require_full`
    also when a clause that counts did not run, or ran only in part. Clauses that do not count never matter.
    """
    counted = [clause for clause in results["clauses"].values() if clause["counted"]]
    clause_words = {clause["verdict"] for clause in counted}
    words = clause_words | {entry["verdict"] for entry in results["requirements"].values()}
    if words & {Verdict.FAIL, Verdict.STALE_BASELINE}:
        return VIOLATION
    nothing_held = not any(Outcome.HELD in decisive(clause) for clause in counted)
    if Verdict.INCONCLUSIVE in words or not results["run"]["complete"] or nothing_held:
        return NOT_SHOWN
    if require_full and clause_words & {Verdict.NOT_RUN, Verdict.PARTIAL}:
        return NOT_SHOWN
    return NO_VIOLATION
