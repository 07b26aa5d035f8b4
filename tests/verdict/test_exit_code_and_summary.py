"""What a run is worth, as a number for machines and as a sentence for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conformance.verdict.assemble import assemble
from conformance.verdict.events import CaseFinished, Planned, RunFinished, RunStarted
from conformance.verdict.exit_code import exit_code
from conformance.verdict.outcomes import Outcome

if TYPE_CHECKING:
    from conformance.verdict.results import Results


def run(*clauses: str, complete: bool = True) -> Results:
    """A run over requirements of one clause each, given as the outcome of their case or as why they have none."""
    view: dict[str, Any] = {"requirements": {}}
    plan, ends = {}, []
    for number, what in enumerate(clauses, start=200):
        name = f"API-{number}.a"
        view["requirements"][f"API-{number}"] = {"title": "t", "section": "1. s", "clauses": {name: keys_of(what)}}
        outcome = what.removeprefix("owned ")
        if outcome in set(Outcome):
            plan[f"test_{number}"] = (name,)
            missing = ("kill",) if outcome == "missing" else ()
            ends.append(CaseFinished(id=f"test_{number}", outcome=Outcome(outcome), missing=missing))
    start = RunStarted(seed=1, profile="smoke", started="", suite_version="1", spec={}, subjects={}, workers=1)
    return assemble(view, [start, Planned(cases=plan), *ends, RunFinished(complete=complete, why="interrupted")])


def keys_of(what: str) -> dict[str, object]:
    return {
        "party": "backend",
        "level": "must",
        "sees": "none" if what == "unseen" else "full",
        "state": "planned" if what == "planned" else "tested",
        "needs": ["profile:durability"] if what == "opt-in" else [],
        "why_not": None,
        "owner": "IDENT" if what.startswith("owned") else None,
    }


@pytest.mark.parametrize(
    ("clauses", "code", "full", "sentence"),
    [
        (["held", "held"], 0, 0, "no violation seen; all 2 requirements and all their clauses held"),
        (["held", "planned"], 0, 3, "no violation seen; 1 of 2 clauses did not run"),
        (["held", "missing"], 0, 3, "no violation seen; 1 of 2 clauses did not run"),
        (["held", "unseen"], 0, 0, "no violation seen; 1 of 2 clauses cannot be observed from outside"),
        (["held", "opt-in"], 0, 0, "no violation seen; clauses reported apart, deciding nothing: 1"),
        (["held", "undecided"], 3, 3, "no violation seen, but 1 of 2 requirements inconclusive"),
        (["held", "failed"], 1, 1, "1 of 2 requirements violated"),
        (
            ["failed", "undecided", "planned"],
            1,
            1,
            "1 of 3 requirements violated, 1 of 3 requirements inconclusive; 1 of 3 clauses did not run",
        ),
        (["held", "owned failed"], 0, 0, "no violation seen; clauses reported apart, deciding nothing: 1"),
        (
            ["owned held"],
            3,
            3,
            "nothing held, so nothing was shown; clauses reported apart, deciding nothing: 1",
        ),
        (["missing", "planned"], 3, 3, "nothing held, so nothing was shown; 2 of 2 clauses did not run"),
        (["undecided"], 3, 3, "nothing held, so nothing was shown; 1 of 1 requirements inconclusive"),
        ([], 3, 3, "nothing held, so nothing was shown"),
    ],
)
def test_code_and_sentence_of_a_complete_run(clauses: list[str], code: int, full: int, sentence: str) -> None:
    results = run(*clauses)
    assert exit_code(results) == code
    assert exit_code(results, require_full=True) == full
    assert results["summary"]["sentence"] == sentence


@pytest.mark.parametrize(("clauses", "code"), [(["held"], 3), (["failed"], 1), (["held", "undecided"], 3), ([], 3)])
def test_an_incomplete_run_is_never_green_and_says_so_first(clauses: list[str], code: int) -> None:
    results = run(*clauses, complete=False)
    assert exit_code(results) == code
    assert results["summary"]["sentence"].startswith("the run is incomplete (interrupted); ")


def test_a_clause_that_ran_in_part_is_counted_apart() -> None:
    results = run("held")
    view = {"requirements": {"API-200": {"title": "t", "section": "s", "clauses": {"API-200.a": keys_of("held")}}}}
    start = RunStarted(seed=1, profile="smoke", started="", suite_version="1", spec={}, subjects={}, workers=1)
    cases = [
        CaseFinished(id="a", outcome=Outcome.HELD),
        CaseFinished(id="b", outcome=Outcome.MISSING, missing=("lag",), attempts=3),
    ]
    plan = Planned(cases={"a": ("API-200.a",), "b": ("API-200.a",)})
    results = assemble(view, [start, plan, *cases, RunFinished(complete=True)])
    assert results["summary"]["sentence"] == "no violation seen; 1 of 1 clauses ran only in part"
    assert (exit_code(results), exit_code(results, require_full=True)) == (0, 3)
    assert results["summary"]["clauses_run"] == 1
    assert results["summary"]["retries"] == 2


@pytest.mark.parametrize(("word", "code"), [("stale-baseline", 1), ("known-failure", 0)])
def test_a_stale_baseline_fails_a_run_and_a_known_failure_does_not(word: str, code: int) -> None:
    results = run("held", "failed")
    results["clauses"]["API-201.a"]["verdict"] = word
    results["requirements"]["API-201"]["verdict"] = word
    assert exit_code(results) == code


def test_every_word_and_every_outcome_is_counted_even_when_it_did_not_occur() -> None:
    summary = run("held", "failed", "planned", "owned held")["summary"]
    assert len(summary["requirements"]) == len(summary["clauses"]) == 8
    assert sum(summary["requirements"].values()) == summary["requirements_total"] == 4
    assert sum(summary["clauses"].values()) == summary["clauses_total"] == 3
    assert summary["cases"] == {"held": 2, "failed": 1, "undecided": 0, "missing": 0}
    assert summary["clauses_run"] == 2
    assert run("held", "undecided")["summary"]["clauses_run"] == 1
