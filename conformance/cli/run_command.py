"""`xmtp-conformance run`: run the suite against a target and print what every requirement came to."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
import pytest

from conformance.plugin.options import EMBEDDED, SUITE
from conformance.plugin.profiles import PROFILES
from conformance.plugin.results import RESULTS_FILE
from conformance.report import terminal, write
from conformance.verdict.exit_code import exit_code
from conformance.verdict.results_file import read_results

_SETTINGS = Path(__file__).with_name("suite.ini")


@click.command("run")
@click.option("--target", metavar="HOST:PORT", default=EMBEDDED, help="The backend under test (default: embedded).")
@click.option("--deployment", metavar="FILE", help="A deployment.toml naming endpoints, token and adapter.")
@click.option(
    "--only", metavar="ID", multiple=True, help="A requirement or clause such as API-222, 'API-25*', API-222.a."
)
@click.option("--profile", type=click.Choice(list(PROFILES)), default="standard", help="How hard to try.")
@click.option("--seed", metavar="N", help="Replay the choices of an earlier run.")
@click.option("-n", "workers", type=click.IntRange(min=1), default=1, help="Worker processes.")
@click.option("--out", type=click.Path(file_okay=False), default="reports/latest", help="Where the results go.")
@click.option("--allure", type=click.Path(file_okay=False), help="Also write Allure results into this folder.")
@click.option("--require-full", is_flag=True, help="A clause that did not run makes the exit code 3.")
@click.option("--color/--no-color", default=None, help="Colour the table (default: on a terminal).")
def run_command(  # noqa: PLR0917 - click passes every option by name
    target: str,
    deployment: str | None,
    only: tuple[str, ...],
    profile: str,
    seed: str | None,
    workers: int,
    out: str,
    allure: str | None,
    require_full: bool,
    color: bool | None,
) -> None:
    """Run the suite against a backend and write a verdict for every requirement.

    Exit code: 0 no violation seen; 1 a requirement failed; 2 the run could not be set up; 3 undecided or incomplete.
    """
    arguments = ["--pyargs", SUITE, "-c", str(_SETTINGS), "--rootdir", str(_SETTINGS.parent), "--tb=no", "-q", "-rN"]
    arguments += [f"--conformance-profile={profile}", f"--conformance-out={out}"]
    if deployment is not None:
        arguments.append(f"--conformance-deployment={deployment}")
    if target != EMBEDDED or deployment is None:
        arguments.append(f"--conformance-target={target}")
    arguments += [f"--conformance-only={pattern}" for pattern in only]
    if seed is not None:
        arguments.append(f"--conformance-seed={seed}")
    if workers > 1:
        arguments += ["-n", str(workers)]
    if allure is not None:
        arguments.append(f"--alluredir={allure}")
    sys.exit(_run(arguments, Path(out), require_full=require_full, color=color))


def _run(arguments: list[str], out: Path, *, require_full: bool, color: bool | None) -> int:
    # Options meant for somebody's own tests must not reach this run.
    os.environ.pop("PYTEST_ADDOPTS", None)
    results_file = out / RESULTS_FILE
    # Whatever stops this run early, an older run in the same folder must not be taken for it.
    results_file.unlink(missing_ok=True)
    code = int(pytest.main(arguments))
    if not results_file.exists():
        return code if code not in (0, 5) else 3
    results = read_results(results_file)
    files = {RESULTS_FILE: results_file, **write.write_drawn(results, out)}
    on_terminal = sys.stdout.isatty() if color is None else color
    click.echo(terminal.render(results, width=_width(), color=on_terminal))
    click.echo("Written: " + ", ".join(str(path) for path in files.values()))
    return exit_code(results, require_full=require_full)


def _width() -> int:
    return click.get_current_context().max_content_width or 120
