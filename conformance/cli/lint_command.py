"""`xmtp-conformance lint`: whether the ledger, the marks of the tests and the seeded faults fit together."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

import click

from conformance.cli.spec_commands import UsageFailure, usage_errors
from conformance.ledger.lint import lint
from conformance.ledger.load import load

if TYPE_CHECKING:
    from collections.abc import Mapping

    Marks = Mapping[str, tuple[str, ...]]

_MARKS = "conformance.plugin.marks"
_FAULTS = "conformance.faults.registry"


def suite_marks() -> Marks | None:
    """Return the clauses that each test case decides, or None where no tests are installed."""
    return _call(_MARKS, "collect_marks")


def seeded_faults() -> Marks | None:
    """Return the clauses that each seeded fault breaks, or None where no faults are installed."""
    return _call(_FAULTS, "fault_clauses")


def run_lint(marks: Marks, faults: Marks, *, release: bool) -> list[str]:
    """Return the problems of the shipped ledger with these marks and faults, one sentence each."""
    return lint(load(), marks, faults, release=release)


@click.command("lint")
@click.option("--release", is_flag=True, help="Also demand a test and a seeded fault for every clause.")
@usage_errors
def lint_command(release: bool) -> None:
    """Check the ledger against the marks of the tests and the seeded faults; exit code 1 if anything is amiss."""
    marks, faults = suite_marks(), seeded_faults()
    if marks is None or faults is None:
        raise UsageFailure(f"This installation lacks {_MARKS if marks is None else _FAULTS}, which lint checks.")
    problems = run_lint(marks, faults, release=release)
    for problem in problems:
        click.echo(problem)
    if problems:
        sys.exit(1)
    click.echo(f"The ledger fits {len(marks)} cases and {len(faults)} faults.")


def _call(module: str, function: str) -> Marks | None:
    """Call a function of the suite, imported late because it pulls in every test; None if there is no such module."""
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        # A module that is missing inside the suite is a broken installation and must not look like an absent one.
        if error.name != module:
            raise
        return None
    return {name: tuple(clauses) for name, clauses in getattr(found, function)().items()}
