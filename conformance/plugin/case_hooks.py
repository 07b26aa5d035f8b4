"""Hooks that run where tests run: which cases are planned, how each starts, and what each one found."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from conformance.plugin import fixtures
from conformance.plugin.cases import (
    case_id,
    case_seed,
    chosen_for_each_clause,
    covered_clauses,
    required_classes,
    requirements_of,
)
from conformance.plugin.hypothesis_setup import Witness, apply_seed
from conformance.plugin.marks import collect_marks, names_any
from conformance.plugin.options import SUITE_FOLDER, OptionError
from conformance.plugin.outcome import FAILED, HELD, MISSING, UNDECIDED, PhaseOutcome, judge, violated, worst

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from conformance.plugin.run import Run

FINISHED_CASE = "xmtp-conformance"
_PHASES = pytest.StashKey[list[PhaseOutcome]]()
_DURATION = pytest.StashKey[float]()


class CaseHooks:
    """Takes part in collection and in every test of this process."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._witness = Witness()
        self._collected: set[str] = set()
        self._selected: list[pytest.Item] = []

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Leave out files of the suite that decide nothing of what is selected: most of a run of one clause."""
        selected = self._run.selected_clauses
        is_test = collection_path.suffix == ".py" and collection_path.name.startswith("test_")
        if selected is None or not is_test or not collection_path.is_relative_to(SUITE_FOLDER):
            return None
        return None if names_any(collection_path, selected) else True

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Keep the cases that decide a selected clause, and label them for every report pytest can write."""
        kept: list[pytest.Item] = []
        left: list[pytest.Item] = []
        self._collected = {case_id(item).partition("[")[0] for item in items}
        options = self._run.options
        most = options.profile.cases_per_clause
        tried = [item for item in items if not case_id(item).startswith(options.profile.leaves_out)]
        chosen = set(tried) if most is None else chosen_for_each_clause(tried, most, options.seed)
        for item in items:
            clauses = covered_clauses(item)
            (kept if item in chosen and self._run.selects(clauses) else left).append(item)
            for requirement in requirements_of(clauses):
                item.user_properties.append(("requirement", requirement))
                item.add_marker(pytest.mark.allure_label(requirement, label_type="requirement"))
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(options.profile.hung_after_s, method="signal"))
        self._selected = list(kept)
        if left:
            config.hook.pytest_deselected(items=left)
            items[:] = kept

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Write down what is planned before anything runs, so that a lost case is missed."""
        plan = {case_id(item): self._run.selected(covered_clauses(item)) for item in (*self._selected, *session.items)}
        running = {case_id(item) for item in session.items}
        left_out = [case for case in plan if case not in running]
        for case, clauses in self._never_collected().items():
            plan[case] = clauses
            left_out.append(case)
        try:
            self._run.write_plan(plan, {item.nodeid: case_id(item) for item in session.items}, left_out)
        except OptionError as error:
            pytest.exit(str(error), returncode=2)

    def _never_collected(self) -> dict[str, tuple[str, ...]]:
        """Tests of the suite that decide a selected clause and that pytest was not even asked to look at."""
        if not any(item.path.is_relative_to(SUITE_FOLDER) for item in self._selected):
            return {}
        marked = collect_marks(self._run.selected_clauses)
        marks = {test: self._run.selected(sorted(clauses)) for test, clauses in marked.items()}
        return {test: clauses for test, clauses in marks.items() if clauses and test not in self._collected}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Seed the case."""
        item.stash[_PHASES] = []
        item.stash[_DURATION] = 0.0
        self._witness.watch(item)
        apply_seed(item, case_seed(self._run.options.seed, case_id(item)))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Judge the phase; after the last one, send the finished case along with the report."""
        report = yield
        phase = judge(call.when, call.excinfo.value if call.excinfo else None)
        if call.when == "call" and phase.outcome == HELD:
            phase = _unless_classes_are_missing(item)
        elif call.when == "call" and phase.outcome != FAILED and self._witness.first is not None:
            phase = violated(self._witness.first)
        item.stash[_PHASES].append(phase)
        item.stash[_DURATION] += call.duration
        if phase.outcome == MISSING:
            report.outcome = "skipped"
            report.longrepr = (str(item.path), 0, f"not run: {phase.message}")
        elif phase.outcome == UNDECIDED and call.excinfo is None:
            report.outcome = "failed"
            report.longrepr = phase.message
        if call.when == "teardown":
            report.user_properties.append((FINISHED_CASE, json.dumps(self._finished(item))))
        return report

    def _finished(self, item: pytest.Item) -> dict[str, object]:
        phases = item.stash[_PHASES]
        seconds = item.stash[_DURATION]
        phase = worst(phases)
        case = case_id(item)
        clauses = self._run.selected(covered_clauses(item))
        classes = item.stash.get(fixtures.CLASSES, None)
        notes = item.stash.get(fixtures.NOTES, None)
        return {
            "id": case,
            "clauses": list(clauses),
            "outcome": phase.outcome,
            "reason": phase.reason,
            "message": phase.message,
            "missing": list(phase.controls),
            "duration_s": round(seconds, 4),
            "examples": classes.examples if classes else 0,
            "classes": sorted(classes.seen) if classes else [],
            "notes": notes.sentences if notes else [],
            "transcript": None if phase.outcome in (HELD, MISSING) else self._keep_transcript(item, case),
            "repro": self._run.repro(clauses),
        }

    def _keep_transcript(self, item: pytest.Item, case: str) -> str | None:
        recorder = item.stash.get(fixtures.RECORDER, None)
        if recorder is None or not (recorder.calls or recorder.streams):
            return None
        name = re.sub(r"[^A-Za-z0-9.-]+", "_", case)[-150:] + ".json"
        path = self._run.options.out / "transcripts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(recorder.to_json(), indent=1), encoding="utf-8")
        return f"transcripts/{name}"


def _unless_classes_are_missing(item: pytest.Item) -> PhaseOutcome:
    """A property that never tried a class of input it names has decided nothing."""
    classes = item.stash.get(fixtures.CLASSES, None)
    never = required_classes(item) - (classes.seen if classes else set())
    if not never:
        return PhaseOutcome(outcome=HELD)
    return PhaseOutcome(
        outcome=UNDECIDED,
        reason="class-not-reached",
        message=f"no example reached: {', '.join(sorted(never))}; run with more examples (--profile thorough)",
    )
