"""Settles every planned case: what it reported, or that it was lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from conformance.verdict.errors import AssemblyError
from conformance.verdict.events import CaseFinished, Note, Planned, RunFinished, to_json
from conformance.verdict.outcomes import WORST_LAST, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conformance.verdict.events import Event
    from conformance.verdict.results import CaseResult

UNFINISHED = "unfinished"
_SILENT = {
    Outcome.HELD: "",
    Outcome.FAILED: "the case failed without a diagnosis",
    Outcome.UNDECIDED: "the case was left undecided without a reason",
}


def plan_of(events: Sequence[Event]) -> dict[str, tuple[str, ...]]:
    """Find the planned cases and the clauses they decide; empty when the run ended before it had a plan.

    Raises AssemblyError when two plans differ: part of a plan must never pass for the whole.
    """
    plans = [{case: tuple(clauses) for case, clauses in e.cases.items()} for e in events if isinstance(e, Planned)]
    if any(plan != plans[0] for plan in plans):
        raise AssemblyError("the journal holds two different plans; write each run to a folder of its own")
    return plans[0] if plans else {}


def settle_cases(plan: Mapping[str, tuple[str, ...]], events: Sequence[Event]) -> list[CaseResult]:
    """Give one result per planned case, ordered by id.

    A case that reported more than once keeps its worst report, so no report can be outshone by a later one. A case
    that never reported is undecided, whatever else the events say. Raises AssemblyError for a report of a case that
    was not planned, because nobody can know which clauses it decides.
    """
    reports: dict[str, list[CaseFinished]] = {case: [] for case in plan}
    notes: dict[str, list[str]] = {}
    for event in events:
        if isinstance(event, CaseFinished):
            if event.id not in reports:
                raise AssemblyError(f"case {event.id} finished but was never planned; the journal is not whole")
            reports[event.id].append(event)
        elif isinstance(event, Note) and event.case is not None:
            notes.setdefault(event.case, []).append(event.text)
    cause = _common_cause(events)
    return [
        _finished(max(reports[case], key=_severity), plan[case], sorted(notes.get(case, [])), len(reports[case]))
        if reports[case]
        else _lost(case, plan[case], sorted(notes.get(case, [])), cause)
        for case in sorted(plan)
    ]


def _severity(event: CaseFinished) -> tuple[int, str]:
    """Rank reports of one case by outcome, then by content, so that their order in the journal never matters."""
    return WORST_LAST.index(event.outcome), json.dumps(to_json(event), sort_keys=True)


def _common_cause(events: Sequence[Event]) -> str:
    ends = [event for event in events if isinstance(event, RunFinished)]
    if not ends:
        return "the run was killed or hung before it ended"
    return "; ".join(sorted({end.why for end in ends if end.why})) or "its worker crashed or hung"


def _finished(event: CaseFinished, clauses: tuple[str, ...], notes: list[str], reports: int) -> CaseResult:
    silent = {**_SILENT, Outcome.MISSING: f"the target offers no {', '.join(event.missing)}"}
    return {
        "id": event.id,
        "clauses": sorted(set(clauses)),
        "outcome": event.outcome.value,
        "reason": event.reason,
        "message": event.message if event.message.strip() else silent[event.outcome],
        "duration_s": event.duration_s,
        "examples": event.examples,
        "classes": sorted(set(event.classes)),
        "notes": [*event.notes, *notes],
        "missing": sorted(set(event.missing)),
        "transcript": event.transcript,
        "repro": event.repro,
        "attempts": max(event.attempts, reports),
    }


def _lost(case: str, clauses: tuple[str, ...], notes: list[str], cause: str) -> CaseResult:
    return {
        "id": case,
        "clauses": sorted(set(clauses)),
        "outcome": Outcome.UNDECIDED.value,
        "reason": UNFINISHED,
        "message": f"did not finish: {'; '.join(notes) or cause}",
        "duration_s": 0.0,
        "examples": 0,
        "classes": [],
        "notes": notes,
        "missing": [],
        "transcript": None,
        "repro": "",
        "attempts": 0,
    }
