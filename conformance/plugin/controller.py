"""The side of a run that survives its workers: journal, lost cases, results, exit code."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

import conformance
from conformance.plugin.case_hooks import FINISHED_CASE
from conformance.plugin.options import WORKER_SEED
from conformance.plugin.results import JOURNAL_FILE, PLAN_FILE, RESULTS_FILE, results_of
from conformance.plugin.run import POOL, assumed_limits, examine
from conformance.target.errors import Missing, TargetError
from conformance.verdict.errors import AssemblyError, JournalError, ResultsError
from conformance.verdict.events import CaseFinished, Note, Planned, RunFinished, RunStarted
from conformance.verdict.exit_code import exit_code
from conformance.verdict.journal import Journal
from conformance.verdict.outcomes import Outcome
from conformance.verdict.results_file import write_results

if TYPE_CHECKING:
    from conformance.plugin.run import Run
    from conformance.target.pool import Pool

USAGE_ERROR = 2
_WORKER_CRASHED = "???"


class Controller:
    """Lives in the process pytest was started in; with xdist that is the one that runs no test itself."""

    def __init__(self, config: pytest.Config, run: Run) -> None:
        self._config = config
        self._run = run
        self._out = run.options.out
        self._began = time.monotonic()
        self._pool: Pool | None = None
        self._journal: Journal | None = None
        self._planned = False
        self._cases: dict[str, str] = {}
        self._finished: set[str] = set()
        self._why_incomplete = ""
        self._unreported = ""

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:  # noqa: ANN401 - a worker as xdist has it, which has no types
        """Give a worker the seed of the run, or it would draw one of its own."""
        node.workerinput[WORKER_SEED] = self._run.options.seed

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Check that the target can be reached, and begin the journal."""
        try:
            self._pool = self._run.open_pool()
            subject = examine(self._pool)
            assumed = assumed_limits(self._pool)
            self._journal = Journal(self._out / JOURNAL_FILE)
        except (TargetError, Missing, JournalError) as error:
            # pytest says the sentence itself; its terminal reporter would say it a second time.
            self._config.pluginmanager.unregister(name="terminalreporter")
            pytest.exit(str(error), returncode=USAGE_ERROR)
        if getattr(self._config.option, "tx", None):
            self._pool.close()
        else:
            self._config.stash[POOL] = self._pool
        selected = self._run.selected_clauses
        self._journal.append(
            RunStarted(
                seed=self._run.options.seed,
                profile=self._run.options.profile.name,
                started=datetime.now(UTC).isoformat(timespec="seconds"),
                suite_version=conformance.__version__,
                spec=self._run.spec_digests(),
                subjects={"backend": subject, "client": None},
                workers=self._workers(),
                selected=None if selected is None else tuple(sorted(selected)),
                handles_profile=self._run.handles.name,
            )
        )
        if assumed:
            self._journal.append(Note(text=f"not published, so the contract's default was taken: {', '.join(assumed)}"))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self) -> None:
        """Plan, when the tests run in this very process."""
        self._plan()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self) -> None:
        """Plan, when workers collected: the first of them wrote down what all of them run."""
        self._plan()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Journal a case that finished, or one that took its worker down with it."""
        for name, value in report.user_properties:
            if name == FINISHED_CASE:
                self._finish(json.loads(str(value)))
        if report.when == _WORKER_CRASHED:
            case = self._cases.get(report.nodeid)
            if case is not None:
                self._append(Note(case=case, text="the worker process that ran it crashed"))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A part of the suite that cannot be imported makes the run incomplete."""
        if report.failed or report.skipped:
            self._why_incomplete = f"collecting {report.nodeid or 'the suite'} {report.outcome}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the results and set the exit code by the verdicts alone."""
        if self._pool is not None:
            self._pool.close()
        if self._journal is None:
            return
        if exitstatus in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR):
            self._why_incomplete = self._why_incomplete or "the run was interrupted"
        lost = set(self._cases.values()) - self._finished
        complete = not self._why_incomplete and not lost
        self._append(
            RunFinished(
                complete=complete, why=self._why_incomplete, duration_s=round(time.monotonic() - self._began, 3)
            )
        )
        self._journal.close()
        try:
            results = results_of(self._out / JOURNAL_FILE)
            write_results(results, self._out / RESULTS_FILE)
        except (AssemblyError, JournalError, ResultsError) as error:
            self._unreported = f"no results could be written: {error}"
            session.exitstatus = USAGE_ERROR
            return
        session.exitstatus = exit_code(results)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say where the results are."""
        path = self._out / RESULTS_FILE
        if self._unreported:
            terminalreporter.write_line(self._unreported)
        elif path.exists():
            terminalreporter.write_line(f"results: {path}")

    def _plan(self) -> None:
        path = self._out / PLAN_FILE
        if self._planned or not path.exists():
            return
        self._planned = True
        plan = json.loads(path.read_text(encoding="utf-8"))
        self._cases = plan["nodes"]
        self._append(Planned(cases={case: tuple(clauses) for case, clauses in plan["cases"].items()}))
        for case in plan["left_out"]:
            self._append(
                CaseFinished(
                    id=case,
                    outcome=Outcome.MISSING,
                    reason="left-out",
                    message="left out by what pytest was told to run",
                    missing=("selection",),
                )
            )

    def _finish(self, case: dict[str, Any]) -> None:
        self._finished.add(case["id"])
        self._append(
            CaseFinished(
                id=case["id"],
                outcome=Outcome(case["outcome"]),
                message=case["message"],
                reason=case["reason"],
                duration_s=case["duration_s"],
                examples=case["examples"],
                classes=tuple(case["classes"]),
                notes=tuple(case["notes"]),
                missing=tuple(case["missing"]),
                transcript=case["transcript"],
                repro=case["repro"],
            )
        )

    def _append(self, event: CaseFinished | Note | Planned | RunFinished) -> None:
        if self._journal is not None:
            self._journal.append(event)

    def _workers(self) -> int:
        return len(getattr(self._config.option, "tx", None) or []) or 1
