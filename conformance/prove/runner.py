"""Runs one job: the suite, in a process of its own, against a variant started through the adapter protocol."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.prove.jobs import CLEAN
from conformance.prove.matrix import Verdicts
from conformance.verdict.errors import ResultsError
from conformance.verdict.results_file import read_results

if TYPE_CHECKING:
    from conformance.prove.jobs import Job

# A run that takes longer than this, in seconds, has hung: an error of the proof, never a kill.
_LONGEST_RUN_S = 300.0
# What the embedded backend says when it fails itself: a variant that crashes has proved nothing about the suite.
_FELL_OVER = "the backend failed"


def run_job(job: Job) -> Verdicts:
    """Run one job and read the word of each of its clauses."""
    with tempfile.TemporaryDirectory(prefix="xmtp-prove-") as folder:
        out = Path(folder)
        command = [sys.executable, "-m", "conformance", "run", "--seed", str(job.seed), "--profile", job.profile]
        command += ["--out", str(out / "run"), "--no-color"]
        for clause in job.clauses:
            command += ["--only", clause]
        if job.subject != CLEAN:
            # Every variant is the embedded backend underneath, so it reads handles as that one does.
            command += ["--deployment", str(_deployment(out, job.subject)), "--handles-profile", "shipped"]
        return _verdicts(job, command, out / "run" / "results.json")


def _deployment(folder: Path, subject: str) -> Path:
    program = [sys.executable, "-m", "conformance.faults", "backend", subject]
    path = folder / "deployment.toml"
    path.write_text(f'name = "{subject}"\n\n[adapter]\ncommand = {json.dumps(program)}\n', encoding="utf-8")
    return path


def _verdicts(job: Job, command: list[str], results_file: Path) -> Verdicts:
    try:
        ended = subprocess.run(  # noqa: S603 - our own command with our own arguments
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_LONGEST_RUN_S, check=False
        )
    except subprocess.TimeoutExpired:
        return Verdicts(subject=job.subject, seed=job.seed, words={}, error=f"hung for {_LONGEST_RUN_S:.0f} s")
    try:
        results = read_results(results_file)
    except ResultsError as error:
        tail = " ".join((ended.stderr or ended.stdout).split()[-40:])
        return Verdicts(subject=job.subject, seed=job.seed, words={}, error=f"{error}; it ended with: {tail}")
    fallen = [case["id"] for case in results["cases"] if _FELL_OVER in case["message"]]
    if fallen:
        why = f"the variant fell over instead of answering, first in {fallen[0]}"
        return Verdicts(subject=job.subject, seed=job.seed, words={}, error=why)
    words = {clause: results["clauses"][clause]["verdict"] for clause in job.clauses}
    return Verdicts(subject=job.subject, seed=job.seed, words=words)
