"""`xmtp-conformance run`: run the suite against a target and print what every requirement came to."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
import pytest

from conformance.plugin.options import EMBEDDED, SUITE
from conformance.plugin.profiles import PROFILES
from conformance.plugin.results import RESULTS_FILE, clear_results
from conformance.report import terminal, write
from conformance.verdict.errors import ResultsError
from conformance.verdict.exit_code import NOT_SHOWN, exit_code
from conformance.verdict.results_file import read_results

USAGE_ERROR = 2
_SETTINGS = Path(__file__).with_name("suite.ini")


@click.command("run")
@click.option("--target", metavar="HOST:PORT", default=EMBEDDED, help="The backend under test (default: embedded).")
@click.option("--deployment", metavar="FILE", help="A deployment.toml naming endpoints, token and adapter.")
@click.option(
    "--only", metavar="ID", multiple=True, help="A requirement or clause such as API-222, 'API-25*', API-222.a."
)
@click.option("--profile", type=click.Choice(list(PROFILES)), default="standard", help="How hard to try.")
@click.option("--seed", metavar="N", help="Replay the choices of an earlier run.")
@click.option("--handles-profile", metavar="FILE", help="How handles look on the wire: a TOML file, or `shipped`.")
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
    handles_profile: str | None,
    workers: int,
    out: str,
    allure: str | None,
    require_full: bool,
    color: bool | None,
) -> None:
    """Run the suite against a backend and write a verdict for every requirement.

    Exit code: 0 no violation seen; 1 a requirement failed; 2 the run could not be set up; 3 undecided or incomplete.
    """
    arguments = ["--pyargs", SUITE, "-c", str(_SETTINGS), "--rootdir", str(_SETTINGS.parent)]
    arguments += ["--tb=no", "-q", "-rN", "-p", "no:cacheprovider"]
    if not out:
        raise click.UsageError("the folder for results is empty; name one with --out, or leave the option out")
    arguments += [f"--conformance-profile={profile}", f"--conformance-out={out}"]
    if deployment is not None:
        arguments.append(f"--conformance-deployment={deployment}")
    if target != EMBEDDED or deployment is None:
        arguments.append(f"--conformance-target={target}")
    arguments += [f"--conformance-only={pattern}" for pattern in only]
    if seed is not None:
        arguments.append(f"--conformance-seed={seed}")
    if handles_profile is not None:
        arguments.append(f"--conformance-handles-profile={handles_profile}")
    if workers > 1:
        arguments += ["-n", str(workers)]
    if allure is not None:
        arguments.append(f"--alluredir={allure}")
    sys.exit(_run(arguments, Path(out), require_full=require_full, color=color))


def _run(arguments: list[str], out: Path, *, require_full: bool, color: bool | None) -> int:
    # What is meant for somebody's own tests must not reach this run.
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD"):
        os.environ.pop(name, None)
    results_file = out / RESULTS_FILE
    try:
        clear_results(out)
        code = int(pytest.main(arguments))
        if not results_file.exists():
            return USAGE_ERROR if code in (USAGE_ERROR, pytest.ExitCode.USAGE_ERROR) else NOT_SHOWN
        results = read_results(results_file)
        files = {RESULTS_FILE: results_file, **write.write_drawn(results, out)}
    except OSError as error:
        raise click.UsageError(f"the folder {out} cannot be used for results: {error.strerror}") from error
    except ResultsError as error:
        raise click.UsageError(str(error)) from error
    on_terminal = sys.stdout.isatty() if color is None else color
    click.echo(terminal.render(results, width=_width(), color=on_terminal))
    click.echo("Written: " + ", ".join(str(path) for path in files.values()))
    return exit_code(results, require_full=require_full)


def _width() -> int:
    return click.get_current_context().max_content_width or 120
