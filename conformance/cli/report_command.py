"""`xmtp-conformance report`: draw the reports of a run again, or of a run that was killed."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from conformance.plugin.results import JOURNAL_FILE, RESULTS_FILE, results_of
from conformance.report import terminal, write
from conformance.verdict.errors import AssemblyError, JournalError, ResultsError
from conformance.verdict.exit_code import exit_code
from conformance.verdict.results_file import read_results


@click.command("report")
@click.argument("folder", type=click.Path(file_okay=False, exists=True))
@click.option("--color/--no-color", default=None, help="Colour the table (default: on a terminal).")
def report_command(folder: str, color: bool | None) -> None:
    """Draw the reports of the run in FOLDER; one that was killed is drawn from its journal, as incomplete."""
    out = Path(folder)
    try:
        whole = (out / RESULTS_FILE).exists()
        results = read_results(out / RESULTS_FILE) if whole else results_of(out / JOURNAL_FILE)
        files = write.write_all(results, out)
    except (AssemblyError, JournalError, ResultsError) as error:
        raise click.UsageError(str(error)) from error
    click.echo(terminal.render(results, width=120, color=sys.stdout.isatty() if color is None else color))
    click.echo("Written: " + ", ".join(str(path) for path in files.values()))
    sys.exit(exit_code(results))
