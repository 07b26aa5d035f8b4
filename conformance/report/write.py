"""Writes the files of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.report import junit, markdown
from conformance.verdict.results_file import write_atomically, write_results

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.verdict.results import Results

RESULTS, SUMMARY, JUNIT = "results.json", "summary.md", "junit.xml"


def write_all(results: Results, out_dir: Path) -> dict[str, Path]:
    """Write results.json, summary.md and junit.xml into `out_dir`, each in one step, and say where they are.

    Raises ResultsError when the results are not valid or a file cannot be written.
    """
    path = out_dir / RESULTS
    write_results(results, path)
    return {RESULTS: path, **write_drawn(results, out_dir)}


def write_drawn(results: Results, out_dir: Path) -> dict[str, Path]:
    """Write what is drawn from valid results beside their results.json; raises ResultsError as `write_all` does."""
    paths = {name: out_dir / name for name in (SUMMARY, JUNIT)}
    write_atomically(paths[SUMMARY], markdown.render(results))
    write_atomically(paths[JUNIT], junit.render(results))
    return paths
