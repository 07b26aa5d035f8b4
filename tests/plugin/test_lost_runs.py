"""Workers crash, runs are killed: no requirement is lost, and what is left never looks green."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from tests.plugin.conftest import SuiteRunner

CRASH = """
import os

@covers("API-220.a")
def test_crashes(): os._exit(7)

@covers("API-221.a")
@pytest.mark.parametrize("number", range(4))
def test_holds(number): pass
"""

TWO_ENDS = """
@covers("API-220.a")
@pytest.mark.parametrize("number", range(6))
def test_holds(number): pass

@covers("API-221.a")
@pytest.mark.parametrize("number", range(3))
def test_fails(number): assert number != 1

@covers("API-222.a")
def test_lacks():
    from conformance.target.errors import Missing
    raise Missing("restart", "no adapter offers it")
"""


def test_a_crashed_worker_leaves_its_case_undecided(suite: SuiteRunner) -> None:
    ran = suite.run(CRASH, "-n2")
    assert ran.code == 3
    assert ran.cases["test_crashes"]["outcome"] == "undecided"
    assert "crashed" in ran.cases["test_crashes"]["message"]
    assert [case["outcome"] for name, case in ran.cases.items() if name.startswith("test_holds")] == ["held"] * 4
    assert ran.results["run"]["complete"] is False


def test_two_workers_come_to_the_same_verdicts_as_one(suite: SuiteRunner) -> None:
    alone, shared = suite.run(TWO_ENDS).results, suite.run(TWO_ENDS, "-n2").results
    for key in ("plan", "clauses", "requirements", "summary"):
        assert alone[key] == shared[key]
    assert [(case["id"], case["outcome"]) for case in alone["cases"]] == [
        (case["id"], case["outcome"]) for case in shared["cases"]
    ]


def test_a_killed_run_is_reported_from_its_journal_as_incomplete(suite: SuiteRunner, pytester: pytest.Pytester) -> None:
    suite.write(
        'import time\n@covers("API-220.a")\ndef test_a_holds(): pass\n'
        '@covers("API-221.a")\ndef test_b_waits():\n print("WAITING", flush=True)\n time.sleep(60)\n'
    )
    out = pytester.path / "out"
    command = [sys.executable, "-m", "pytest", "-s", f"--conformance-out={out}", "-p", "no:cacheprovider"]
    with subprocess.Popen(
        command, cwd=pytester.path, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as running:
        assert running.stdout is not None
        for line in running.stdout:
            if "WAITING" in line:
                break
        os.killpg(running.pid, signal.SIGKILL)
    assert not (out / "results.json").exists()
    report = subprocess.run(
        [sys.executable, "-m", "conformance", "report", str(out)], capture_output=True, text=True, check=False
    )
    assert report.returncode == 3, report.stderr
    assert "API-221" in report.stdout
    assert "did not finish" in report.stdout


def test_results_of_an_earlier_run_do_not_survive_a_run_that_cannot_start(
    suite: SuiteRunner, pytester: pytest.Pytester
) -> None:
    out = pytester.path / "out"
    out.mkdir()
    (out / "results.json").write_text("{}", encoding="utf-8")
    ran = suite.run('@covers("API-220.a")\ndef test_holds(): pass\n', "--conformance-target=127.0.0.1:1")
    assert ran.code == 2
    assert "127.0.0.1:1" in ran.text
    assert "Traceback" not in ran.text
    assert not (out / "results.json").exists()
