"""From the cases of a clause to its word, and from the clauses of a requirement to its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.verdict.outcomes import Outcome, OutcomeSet, Verdict, merge, word

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set

    from conformance.verdict.results import CaseResult, ClauseResult, RequirementResult
    from conformance.verdict.views import ClauseView, RequirementView

_SHOWN_UNOBSERVED = frozenset({Outcome.FAILED, Outcome.UNDECIDED})
_FALLS_SHORT = frozenset({Verdict.NOT_RUN.value, Verdict.PARTIAL.value})


def judge_clause(
    clause: ClauseView, cases: Sequence[CaseResult], *, selected: Set[str] | None, profile: str
) -> ClauseResult:
    """Judge one clause by all cases that cover it, in a run of `profile` that was asked for the clauses `selected`.

    A should-clause is judged like a must-clause, and its level is reported beside the word: a reader may weigh a
    broken recommendation less, a verdict may not hide it. A clause that is still planned or was not selected is
    partial at best, even when cases of other clauses happened to decide it too.
    """
    outcomes = frozenset(Outcome(case["outcome"]) for case in cases)
    controls = sorted({name for case in cases for name in case["missing"]})
    short = _why_short(clause, cases, selected, profile)
    verdict = word(outcomes, planned=bool(short), observable=clause.observable)
    reasons = [short, f"missing: {', '.join(controls)}" if controls else ""]
    if verdict is Verdict.NOT_OBSERVABLE:
        reasons = [clause.why_not or "nothing outside the target shows it"]
    return {
        "requirement": clause.requirement,
        "says": clause.says,
        "party": clause.party,
        "level": clause.level,
        "sees": clause.sees,
        "owner": clause.owner,
        "counted": clause.owner is None and _opted_in(clause, outcomes, profile),
        "verdict": verdict.value,
        "held": _count(cases, Outcome.HELD),
        "failed": _count(cases, Outcome.FAILED),
        "undecided": _count(cases, Outcome.UNDECIDED),
        "missing": _count(cases, Outcome.MISSING),
        "missing_controls": controls,
        "reason": "; ".join(reason for reason in reasons if reason),
        "cases": sorted(case["id"] for case in cases),
    }


def judge_requirement(requirement: RequirementView, clauses: Mapping[str, ClauseResult]) -> RequirementResult:
    """Judge a requirement, per party and over all, by those of its clauses that count."""
    own = [clauses[clause.id] for clause in requirement.clauses if clauses[clause.id]["owner"] is None]
    counted = [clause for clause in own if clause["counted"]]
    parties = sorted({clause["party"] for clause in counted})
    reasons = sorted({clause["reason"] for clause in own if clause["reason"]})
    if not counted:
        reasons.insert(0, "none of its clauses counts in this run")
    return {
        "title": requirement.title,
        "section": requirement.section,
        "verdict": _word(own),
        "parties": {party: _word([clause for clause in own if clause["party"] == party]) for party in parties},
        "clauses": [clause.id for clause in requirement.clauses],
        "reason": "; ".join(reasons),
    }


def decisive(clause: ClauseResult) -> OutcomeSet:
    """Pick the outcomes of a clause that reach its requirement: a success nobody could have observed does not."""
    outcomes = frozenset(outcome for outcome in Outcome if _cases_with(clause, outcome))
    return outcomes if clause["sees"] != "none" else outcomes & _SHOWN_UNOBSERVED


def _opted_in(clause: ClauseView, outcomes: OutcomeSet, profile: str) -> bool:
    """Tell whether the run judges the clause: it always does, unless the clause belongs to profiles of its own."""
    return not clause.profiles or profile in clause.profiles or bool(outcomes - {Outcome.MISSING})


def _why_short(clause: ClauseView, cases: Sequence[CaseResult], selected: Set[str] | None, profile: str) -> str:
    """Why a part of the clause has no case in this run; empty when nothing is known to be left out."""
    reasons = []
    if clause.state == "planned":
        reasons.append("planned")
    elif selected is not None and clause.id not in selected:
        reasons.append("not selected")
    if not cases and clause.profiles and profile not in clause.profiles:
        reasons.append(f"opt-in: profile {', '.join(clause.profiles)}")
    if not cases and not reasons:
        reasons.append("no case of this run covers it")
    return "; ".join(reasons)


def _word(own: Sequence[ClauseResult]) -> str:
    """Derive the word for clauses of one requirement that no other specification owns."""
    counted = [clause for clause in own if clause["counted"]]
    # A clause without any case adds no outcome to the union; without this flag its absence would look like a pass.
    short = not counted or any(clause["verdict"] in _FALLS_SHORT for clause in counted)
    # An opt-in clause could be observed, so it keeps its requirement from being called not observable.
    observable = not own or any(clause["sees"] != "none" for clause in own)
    return word(merge(decisive(clause) for clause in counted), planned=short, observable=observable).value


def _count(cases: Sequence[CaseResult], outcome: Outcome) -> int:
    return sum(case["outcome"] == outcome for case in cases)


def _cases_with(clause: ClauseResult, outcome: Outcome) -> int:
    counts = {
        Outcome.HELD: clause["held"],
        Outcome.FAILED: clause["failed"],
        Outcome.UNDECIDED: clause["undecided"],
        Outcome.MISSING: clause["missing"],
    }
    return counts[outcome]
