"""Assembles results.json from the ledger and the events of one run, complete or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.verdict.cases import UNFINISHED, plan_of, settle_cases
from conformance.verdict.clauses import judge_clause, judge_requirement
from conformance.verdict.errors import AssemblyError
from conformance.verdict.events import Note, RunFinished, RunStarted
from conformance.verdict.results import SCHEMA_ID, UNKNOWN_POWER
from conformance.verdict.results_file import digest_of
from conformance.verdict.summary import summarise
from conformance.verdict.views import read_ledger

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from conformance.verdict.events import Event
    from conformance.verdict.results import CaseResult, Power, Results, RunInfo


def assemble(
    ledger_view: Mapping[str, Any], events: Iterable[Event], *, power: Mapping[str, Power] | None = None
) -> Results:
    """Assemble the results of one run.

    Pure, and independent of the order in which cases finished. `ledger_view` holds every requirement with its
    clauses; `power` maps clauses to how many seeded faults their cases detect, None when that is not known. Raises
    AssemblyError when the events contradict each other or the ledger.
    """
    history = list(events)
    ledger = read_ledger(ledger_view)
    known = {clause.id for requirement in ledger for clause in requirement.clauses}
    started = _start(history)
    selected = None if started.selected is None else frozenset(started.selected)
    plan = plan_of(history)
    _check_known(known, plan, selected or frozenset())

    cases = settle_cases(plan, history)
    covering: dict[str, list[CaseResult]] = {clause: [] for clause in known}
    for case in cases:
        for clause in case["clauses"]:
            covering[clause].append(case)
    clauses = {
        clause.id: judge_clause(clause, covering[clause.id], selected=selected, profile=started.profile)
        for requirement in ledger
        for clause in requirement.clauses
    }
    requirements = {requirement.id: judge_requirement(requirement, clauses) for requirement in ledger}
    run = _run(started, history, cases)
    results: Results = {
        "schema": SCHEMA_ID,
        "suite": {"version": started.suite_version},
        "spec": {"api": None, "send": None, **started.spec},
        "subjects": {"backend": None, "client": None, **started.subjects},
        "run": run,
        "plan": sorted(plan),
        "cases": cases,
        "clauses": clauses,
        "requirements": requirements,
        "summary": summarise(run, cases, clauses, requirements),
        "power": UNKNOWN_POWER if power is None else dict(power),
        "digest": "",
    }
    results["digest"] = digest_of(results)
    return results


def _start(events: Sequence[Event]) -> RunStarted:
    starts = [event for event in events if isinstance(event, RunStarted)]
    if not starts:
        raise AssemblyError("the journal holds no start of a run, so nothing is known about what was run")
    if len(starts) > 1:
        raise AssemblyError("the journal holds more than one run; write each run to a folder of its own")
    return starts[0]


def _check_known(known: set[str], plan: Mapping[str, tuple[str, ...]], selected: frozenset[str]) -> None:
    for case, clauses in sorted(plan.items()):
        if not clauses:
            raise AssemblyError(f"case {case} decides no clause; name one in its covers mark")
        for clause in clauses:
            if clause not in known:
                raise AssemblyError(f"case {case} covers {clause}, which the ledger does not know")
    for clause in sorted(selected - known):
        raise AssemblyError(f"the run selected {clause}, which the ledger does not know")


def _run(started: RunStarted, events: Sequence[Event], cases: Sequence[CaseResult]) -> RunInfo:
    ends = [event for event in events if isinstance(event, RunFinished)]
    lost = sum(case["reason"] == UNFINISHED for case in cases)
    complete = bool(ends) and all(end.complete for end in ends) and not lost
    durations = [end.duration_s for end in ends if end.duration_s is not None]
    return {
        "seed": started.seed,
        "profile": started.profile,
        "started": started.started,
        "duration_s": max(durations, default=None),
        "workers": started.workers,
        "complete": complete,
        "why": "" if complete else _why_incomplete(ends, lost, len(cases)),
        "selected": None if started.selected is None else sorted(set(started.selected)),
        "notes": sorted(_run_notes(events, {case["id"] for case in cases})),
        "handles_profile": started.handles_profile,
    }


def _run_notes(events: Sequence[Event], planned: set[str]) -> Iterator[str]:
    for event in events:
        if isinstance(event, Note) and event.case is None:
            yield event.text
        elif isinstance(event, Note) and event.case not in planned:
            yield f"{event.case}: {event.text}"


def _why_incomplete(ends: Sequence[RunFinished], lost: int, planned: int) -> str:
    said = sorted({end.why for end in ends if not end.complete and end.why})
    if not ends:
        said = ["it was killed or hung before it ended"]
    if lost:
        said.append(f"{lost} of {planned} planned cases did not finish")
    return "; ".join(said) or "it was stopped before its end"
