"""results.json is written whole, read only when whole, and never trusted after a change."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.verdict.assemble import assemble
from conformance.verdict.errors import ResultsError
from conformance.verdict.events import CaseFinished, Planned, RunFinished, RunStarted
from conformance.verdict.outcomes import Outcome
from conformance.verdict.results_file import digest_of, read_results, write_results
from conformance.verdict.schema import validate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from conformance.verdict.results import Results

# A busy machine is slow, and that is no finding.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
CLAUSE = {
    "party": "backend",
    "level": "must",
    "sees": "full",
    "state": "tested",
    "needs": (),
    "why_not": None,
    "owner": None,
    "says": "does it",
}
LEDGER = {"requirements": {"API-200": {"title": "t", "section": "1. s", "clauses": {"API-200.a": CLAUSE}}}}


def results() -> Results:
    backend = {"name": "b", "version": "1", "endpoints": ["h:1"], "limits": {"topics": 3}, "controls": ["kill"]}
    return assemble(
        LEDGER,
        [
            RunStarted(
                seed=2**64,
                profile="smoke",
                started="2026-11-30T00:00:00Z",
                suite_version="0.1.0",
                spec={"api": "ab"},
                subjects={"backend": backend},
                workers=2,
                selected=("API-200.a",),
            ),
            Planned(cases={"api/s3/test_x.py::test_y[a]": ("API-200.a",)}),
            CaseFinished(
                id="api/s3/test_x.py::test_y[a]",
                outcome=Outcome.FAILED,
                message="wrong \ud800\x1b[0m",
                classes=("empty",),
                transcript="transcripts/x.json",
            ),
            RunFinished(complete=True, duration_s=0.5),
        ],
        power={"API-200.a": {"killed": 1, "seeded": 2}},
    )


def places(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place inside a JSON value."""
    if path:
        yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from places(member, (*path, index))


PLACES = sorted(places(results()), key=str)


def holder_of(whole: object, path: tuple[Any, ...]) -> Any:  # noqa: ANN401 - an object or a list, as JSON has it
    for step in path[:-1]:
        whole = whole[step]  # type: ignore[index] - the path was taken from the same shape
    return whole


def test_results_survive_the_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "results.json"
    write_results(results(), path)
    assert read_results(path) == results()
    assert list(json.loads(path.read_bytes())) == sorted(results())
    assert [entry.name for entry in path.parent.iterdir()] == ["results.json"]


@unhurried
@given(st.sampled_from(PLACES))
def test_any_change_after_writing_is_noticed(path: tuple[Any, ...]) -> None:
    changed = copy.deepcopy(results())
    holder = holder_of(changed, path)
    holder[path[-1]] = "changed" if holder[path[-1]] != "changed" else "again"
    assert digest_of(changed) != results()["digest"] or changed["digest"] != results()["digest"]


@pytest.mark.parametrize("path", [path for path in PLACES if isinstance(path[-1], str)], ids=str)
def test_the_schema_knows_every_key_its_type_and_that_no_other_belongs_there(path: tuple[Any, ...]) -> None:
    free = path[:3] == ("subjects", "backend", "limits")
    optional = path[:2] == ("subjects", "backend") and path[-1] in {"endpoints", "limits", "controls"}
    optional = optional or path == ("run", "handles_profile")
    named_by_data = path[:-1] in {("clauses",), ("requirements",), ("power",)} or path[-2:-1] == ("parties",)
    counts = path[:1] == ("summary",) and len(path) == 3
    wrong, absent, strange = (copy.deepcopy(results()) for _ in range(3))
    holder_of(wrong, path)[path[-1]] = [{"wrong": 1.5}]
    del holder_of(absent, path)[path[-1]]
    holder_of(strange, path)["strange key"] = 1
    for damaged, tolerated in (
        (wrong, free and len(path) > 3),
        (absent, free or optional or named_by_data or counts),
        (strange, free and len(path) > 3),
    ):
        if tolerated:
            validate(damaged)
            continue
        with pytest.raises(ResultsError, match="do not match schema") as caught:
            validate(damaged)
        assert "\n" not in str(caught.value)


def test_invalid_results_are_not_written_and_leave_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    write_results(results(), path)
    before = path.read_bytes()
    for key, value in (("digest", "0" * 64), ("schema", "xmtp-conformance/results/2")):
        damaged: Any = {**results(), key: value}
        with pytest.raises(ResultsError):
            write_results(damaged, path)
    damaged = results()
    damaged["subjects"]["backend"]["limits"]["topics"] = float("nan")
    with pytest.raises(ResultsError, match="JSON cannot carry"):
        write_results(damaged, path)
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


def test_a_file_that_is_no_results_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    with pytest.raises(ResultsError, match="cannot be read"):
        read_results(path)
    for content in (b"", b"\xff", b"[" * 99999, b"null", b"{}"):
        path.write_bytes(content)
        with pytest.raises(ResultsError) as caught:
            read_results(path)
        assert "\n" not in str(caught.value)
    write_results(results(), path)
    path.write_bytes(path.read_bytes().replace(b'"held": 0', b'"held": 1', 1))
    with pytest.raises(ResultsError, match="changed after they were written"):
        read_results(path)
    with pytest.raises(ResultsError, match="cannot be written"):
        write_results(results(), tmp_path / "results.json" / "below-a-file.json")
    (tmp_path / "folder" / "x").mkdir(parents=True)
    with pytest.raises(ResultsError, match="cannot be written"):
        write_results(results(), tmp_path / "folder")
    assert {entry.name for entry in tmp_path.iterdir()} == {"results.json", "folder"}


def test_unknown_power_is_a_word_of_its_own() -> None:
    start = RunStarted(seed=1, profile="", started="", suite_version="1", spec={}, subjects={}, workers=1)
    assert assemble(LEDGER, [start])["power"] == "unknown"


def _holds_a_case(whole: dict[str, Any]) -> None:
    whole["cases"][0]["outcome"] = "held"


def _loses_its_cases(whole: dict[str, Any]) -> None:
    whole["cases"] = []


def _loses_its_requirements(whole: dict[str, Any]) -> None:
    whole["requirements"] = {}


def _decides_what_is_not_listed(whole: dict[str, Any]) -> None:
    whole["cases"][0]["clauses"] = ["API-999.a"]


def _lists_what_there_is_not(whole: dict[str, Any]) -> None:
    whole["requirements"]["API-200"]["clauses"] = ["API-200.z"]


def _passes_a_clause_that_failed(whole: dict[str, Any]) -> None:
    whole["clauses"]["API-200.a"]["verdict"] = "pass"


def _passes_a_requirement_whose_clause_failed(whole: dict[str, Any]) -> None:
    whole["requirements"]["API-200"]["verdict"] = "pass"


@pytest.mark.parametrize(
    "change",
    [
        _holds_a_case,
        _loses_its_cases,
        _loses_its_requirements,
        _decides_what_is_not_listed,
        _lists_what_there_is_not,
        _passes_a_clause_that_failed,
        _passes_a_requirement_whose_clause_failed,
    ],
)
def test_results_that_contradict_themselves_are_refused_whatever_their_digest(
    tmp_path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    whole: dict[str, Any] = copy.deepcopy(dict(results()))
    change(whole)
    whole["digest"] = digest_of(whole)
    path = tmp_path / "results.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    with pytest.raises(ResultsError, match=r"contradict themselves|schema"):
        read_results(path)
