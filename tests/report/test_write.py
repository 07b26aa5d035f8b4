"""All files of a run are written together, deterministic and readable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conformance.report.terminal import render
from conformance.report.write import write_all
from conformance.verdict.errors import ResultsError
from conformance.verdict.results_file import read_results

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.verdict.results import Results


def test_the_files_are_where_they_are_said_to_be_and_equal_results_give_equal_bytes(
    results: Results, tmp_path: Path
) -> None:
    first = write_all(results, tmp_path / "a" / "b")
    assert {name: path.name for name, path in first.items()} == {
        "results.json": "results.json",
        "summary.md": "summary.md",
        "junit.xml": "junit.xml",
    }
    read = read_results(first["results.json"])
    assert read == results
    second = write_all(read, tmp_path / "c")
    assert [path.read_bytes() for path in first.values()] == [path.read_bytes() for path in second.values()]
    assert render(read, width=100, color=True) == render(results, width=100, color=True)


def test_nothing_is_written_for_results_that_are_not_valid(results: Results, tmp_path: Path) -> None:
    damaged: Any = {**results, "plan": ["another case"]}
    with pytest.raises(ResultsError):
        write_all(damaged, tmp_path)
    assert list(tmp_path.iterdir()) == []
