"""Counts over a run, and the one sentence that says what was and what was not shown."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from conformance.verdict.clauses import decisive
from conformance.verdict.outcomes import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from conformance.verdict.results import CaseResult, ClauseResult, RequirementResult, RunInfo, Summary

_VIOLATED = (Verdict.FAIL, Verdict.STALE_BASELINE)
_DECIDED = frozenset({Outcome.HELD, Outcome.FAILED})


def summarise(
    run: RunInfo,
    cases: Sequence[CaseResult],
    clauses: Mapping[str, ClauseResult],
    requirements: Mapping[str, RequirementResult],
) -> Summary:
    """Count everything, and say it in one sentence."""
    counted = [clause for clause in clauses.values() if clause["counted"]]
    summary: Summary = {
        "requirements": _counts(Verdict, (entry["verdict"] for entry in requirements.values())),
        "clauses": _counts(Verdict, (clause["verdict"] for clause in counted)),
        "other_clauses": _counts(Verdict, (c["verdict"] for c in clauses.values() if not c["counted"])),
        "cases": _counts(Outcome, (case["outcome"] for case in cases)),
        "requirements_total": len(requirements),
        "clauses_total": len(counted),
        "clauses_run": sum(bool(decisive(clause) & _DECIDED) for clause in counted),
        "cases_total": len(cases),
        "retries": sum(max(case["attempts"] - 1, 0) for case in cases),
        "sentence": "",
    }
    held = sum(Outcome.HELD in decisive(clause) for clause in counted)
    summary["sentence"] = "; ".join(part for part in _parts(run, summary, held) if part)
    return summary


def _parts(run: RunInfo, summary: Summary, held: int) -> list[str]:
    words, total = summary["clauses"], summary["clauses_total"]
    not_run, partial = words[Verdict.NOT_RUN], words[Verdict.PARTIAL]
    unseen, aside = words[Verdict.NOT_OBSERVABLE], sum(summary["other_clauses"].values())
    known = summary["requirements"][Verdict.KNOWN_FAILURE]
    return [
        "" if run["complete"] else f"the run is incomplete ({run['why']})",
        _finding(summary, held),
        f"{known} of {summary['requirements_total']} requirements fail as the baseline lists" if known else "",
        f"{not_run} of {total} clauses did not run" if not_run else "",
        f"{partial} of {total} clauses ran only in part" if partial else "",
        f"{unseen} of {total} clauses cannot be observed from outside" if unseen else "",
        f"clauses reported apart, deciding nothing: {aside}" if aside else "",
    ]


def _finding(summary: Summary, held: int) -> str:
    words, total = summary["requirements"], summary["requirements_total"]
    violated = sum(words[verdict] for verdict in _VIOLATED)
    unsure = words[Verdict.INCONCLUSIVE]
    open_question = f"{unsure} of {total} requirements inconclusive"
    if violated:
        return f"{violated} of {total} requirements violated" + (f", {open_question}" if unsure else "")
    if not held:
        return "nothing held, so nothing was shown" + (f"; {open_question}" if unsure else "")
    if unsure:
        return f"no violation seen, but {open_question}"
    if words[Verdict.PASS] == total and not summary["clauses"][Verdict.NOT_OBSERVABLE]:
        return f"no violation seen; all {total} requirements and all their clauses held"
    return "no violation seen"


def _counts(words: Iterable[str], found: Iterable[str]) -> dict[str, int]:
    counter = Counter(found)
    return {str(word): counter[str(word)] for word in words}
