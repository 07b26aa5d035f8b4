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
    paths = {name: out_dir / name for name in (RESULTS, SUMMARY, JUNIT)}
    write_results(results, paths[RESULTS])
    write_atomically(paths[SUMMARY], markdown.render(results))
    write_atomically(paths[JUNIT], junit.render(results))
    return paths
