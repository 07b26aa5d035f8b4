"""`xmtp-conformance prove`: run the suite against every seeded fault and conforming variation."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.digest import suite_digest
from conformance.faults.registry import variants
from conformance.ledger.load import load
from conformance.ledger.model import LedgerError
from conformance.plugin.marks import collect_marks
from conformance.plugin.profiles import PROFILES
from conformance.prove.jobs import Job, plan_jobs, sample
from conformance.prove.matrix import Line, judge, power
from conformance.prove.runner import run_job
from conformance.prove.store import ProofFile

if TYPE_CHECKING:
    pass


@click.command("prove")
@click.option("--role", type=click.Choice(["backend"]), default="backend", help="Whose reference is made faulty.")
@click.option("--only", metavar="ID", multiple=True, help="A requirement, a clause, or a variant such as B030.")
@click.option("--seeds", type=click.IntRange(min=1), default=1, help="Seeds for the clean backend and racy variants.")
@click.option("--sample", "part", metavar="K/N", default="1/1", help="Do the K-th of N equal parts of the work.")
@click.option("--profile", type=click.Choice(list(PROFILES)), default="standard", help="How hard each run tries.")
@click.option("-n", "workers", type=click.IntRange(min=1), default=2, help="Runs at a time.")
@click.option("--out", type=click.Path(file_okay=False), default="reports/prove", help="Where the proof is kept.")
def prove_command(  # noqa: PLR0917 - click passes every option by name
    role: str,
    only: tuple[str, ...],
    seeds: int,
    part: str,
    profile: str,
    workers: int,
    out: str,
) -> None:
    """Prove that each clause can fail, and that the clean backend and odd but right ones never do.

    Resumable: what was proved for the same state of the suite is not run again. Exit code 1 when a fault survived or
    something right was flagged.
    """
    proof = ProofFile(Path(out) / "proof.jsonl", suite_digest())
    jobs = _jobs(only, seeds, part, profile)
    found = proof.done()
    todo = [job for job in jobs if job.key not in found]
    click.echo(f"{len(jobs)} runs, {len(jobs) - len(todo)} of them proved before")
    with ThreadPoolExecutor(workers) as executor:
        running = {executor.submit(run_job, job): job for job in todo}
        for finished in as_completed(running):
            job = running[finished]
            found[job.key] = finished.result()
            proof.add(job, found[job.key])
    lines = judge([found[job.key] for job in jobs], variants())
    if not only and part == "1/1":
        # Only the whole proof says what a clause's verdict is worth.
        proved = {"digest": suite_digest(), "power": power(lines, variants())}
        text = json.dumps(proved, indent=1, sort_keys=True) + "\n"
        (Path(out) / "power.json").write_text(text, encoding="utf-8")
    _show(lines)
    sys.exit(0 if lines and all(line.proved for line in lines) else 1)


def _jobs(only: tuple[str, ...], seeds: int, part: str, profile: str) -> list[Job]:
    known = variants()
    named = {word for word in only if word in known}
    marked = {clause for clauses in collect_marks().values() for clause in clauses}
    patterns = [word for word in only if word not in known]
    try:
        selected = frozenset(load().select(patterns)) & marked if patterns else frozenset(marked)
    except LedgerError as error:
        raise click.UsageError(str(error)) from error
    chosen = {name: known[name] for name in known if not named or name in named}
    jobs = plan_jobs(chosen, selected, seeds=seeds, profile=profile)
    if named:
        jobs = [job for job in jobs if job.subject in named]
    try:
        number, parts = (int(word) for word in part.split("/"))
    except ValueError:
        raise click.UsageError(f"--sample takes K/N such as 1/4, not {part!r}") from None
    if not 1 <= number <= parts:
        raise click.UsageError(f"--sample {part}: K runs from 1 to N")
    return sample(jobs, number, parts)


def _show(lines: list[Line]) -> None:
    for line in sorted(lines, key=lambda line: (line.proved, line.kind, line.subject, line.clause)):
        if not line.proved or line.kind == "fault":
            word = "proved" if line.proved else "NOT PROVED"
            click.echo(
                f"{word:<11}{line.kind:<10}{line.subject:<12}{line.clause:<16}{line.right}/{line.runs}  {line.wrong}"
            )
    faults = [line for line in lines if line.kind == "fault"]
    killed = sum(line.proved for line in faults)
    wrong = [line for line in lines if line.kind != "fault" and not line.proved]
    click.echo(f"{killed} of {len(faults)} fault and clause pairs killed; {len(wrong)} lines wrong elsewhere")
