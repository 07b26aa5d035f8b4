"""Results say no more than the events of the run and the ledger allow."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from conformance.verdict.assemble import assemble
from conformance.verdict.errors import AssemblyError
from conformance.verdict.events import CaseFinished, Event, Note, Planned, RunFinished, RunStarted
from conformance.verdict.exit_code import exit_code
from conformance.verdict.outcomes import Outcome
from conformance.verdict.results_file import check_results

# A busy machine is slow, and that is no finding.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
View = dict[str, Any]


def clause(**keys: object) -> View:
    plain: View = {"party": "backend", "level": "must", "sees": "full", "state": "tested", "owner": None}
    return {**plain, "needs": [], "why_not": None, **keys}


def ledger(**requirements: View) -> View:
    return {
        "requirements": {
            name.replace("_", "-"): {"title": f"Title of {name}", "section": "1. First", "clauses": clauses}
            for name, clauses in requirements.items()
        }
    }


def start(selected: tuple[str, ...] | None = None, profile: str = "standard") -> RunStarted:
    return RunStarted(
        seed=7,
        profile=profile,
        started="2026-11-30T00:00:00Z",
        suite_version="0.1.0",
        spec={"api": "ab"},
        subjects={"backend": {"name": "b", "version": "1"}},
        workers=2,
        selected=selected,
    )


def finished(case: str, outcome: Outcome, message: str = "", notes: tuple[str, ...] = ()) -> CaseFinished:
    missing = ("kill",) if outcome is Outcome.MISSING else ()
    return CaseFinished(id=case, outcome=outcome, missing=missing, message=message, notes=notes)


@st.composite
def clauses(draw: st.DrawFn) -> View:
    return clause(
        party=draw(st.sampled_from(["backend", "backend", "client"])),
        sees=draw(st.sampled_from(["full", "part", "full", "none"])),
        state=draw(st.sampled_from(["tested", "tested", "tested", "planned"])),
        owner=draw(st.sampled_from([None, None, None, "IDENT"])),
        needs=draw(st.sampled_from([[], [], ["kill"], ["profile:durability"]])),
    )


@st.composite
def runs(draw: st.DrawFn) -> tuple[View, list[Event]]:
    """A ledger and the whole journal of a run over it."""
    requirements = {
        f"API_{200 + number}": {f"API-{200 + number}.{letter}": draw(clauses()) for letter in "abc"[: 1 + number % 3]}
        for number in range(draw(st.integers(1, 3)))
    }
    view = ledger(**requirements)
    ids = [name for entry in requirements.values() for name in entry]
    plan = {
        f"api/t.py::test_{number}": tuple(draw(st.lists(st.sampled_from(ids), min_size=1, max_size=3, unique=True)))
        for number in range(draw(st.integers(0, 6)))
    }
    selected = draw(st.none() | st.lists(st.sampled_from(ids), unique=True).map(tuple))
    outcomes = st.sampled_from([Outcome.HELD, Outcome.HELD, Outcome.HELD, *Outcome])
    ends: list[Event] = [
        finished(case, draw(outcomes), message=draw(st.sampled_from(["", "m"])))
        for case in draw(st.permutations(sorted(plan)))
    ]
    return view, [start(selected), Planned(cases=plan), *ends, RunFinished(complete=True, duration_s=1.0)]


def _about_first(text: str) -> Note:
    return Note(text=text, case="api/t.py::test_0")


@unhurried
@given(runs(), st.data())
def test_neither_order_nor_sharding_of_case_events_and_notes_matters(
    run: tuple[View, list[Event]], data: st.DataObject
) -> None:
    view, events = run
    middle = [*events[2:-1], Note(text="b"), Note(text="a", case="test_0"), *map(_about_first, "dc")]
    shuffled = data.draw(st.permutations(middle))
    whole = assemble(view, [*events[:2], *middle, events[-1]])
    assert assemble(view, [*events[:2], *shuffled, events[-1]]) == whole
    check_results(whole)


@unhurried
@given(runs(), st.data())
def test_a_run_cut_anywhere_passes_no_unfinished_clause_and_never_exits_green(
    run: tuple[View, list[Event]], data: st.DataObject
) -> None:
    view, events = run
    cut = events[: data.draw(st.integers(1, len(events) - 1))]
    done = {event.id for event in cut if isinstance(event, CaseFinished)}
    plan = next((event.cases for event in cut if isinstance(event, Planned)), {})
    before, after = assemble(view, cut), assemble(view, events)
    check_results(before)
    assert before["run"]["complete"] is False
    assert exit_code(before) in (1, 3)
    for name, entry in before["clauses"].items():
        lost = [case for case, covers in plan.items() if name in covers and case not in done]
        if lost:
            assert entry["verdict"] in ("inconclusive", "fail")
            assert entry["undecided"] >= len(lost)
        if entry["verdict"] == "pass":
            assert after["clauses"][name]["verdict"] == "pass"
    if exit_code(before) == 1:
        assert exit_code(after) == 1


@unhurried
@given(runs())
def test_a_clause_passes_only_when_all_its_cases_ran_and_held_and_nothing_of_it_is_left_out(
    run: tuple[View, list[Event]],
) -> None:
    view, events = run
    results = assemble(view, events)
    outcomes = {event.id: event.outcome for event in events if isinstance(event, CaseFinished)}
    plan = next(event.cases for event in events if isinstance(event, Planned))
    selected = next(event.selected for event in events if isinstance(event, RunStarted))
    passed = set()
    for name, entry in results["clauses"].items():
        keys = view["requirements"][entry["requirement"]]["clauses"][name]
        own = [outcomes[case] for case, covers in plan.items() if name in covers]
        in_full = keys["sees"] != "none" and keys["state"] == "tested" and (selected is None or name in selected)
        assert (entry["verdict"] == "pass") == (bool(own) and set(own) == {Outcome.HELD} and in_full)
        assert (entry["verdict"] == "fail") == (Outcome.FAILED in own)
        assert (entry["verdict"] in ("not-run", "not-observable")) <= bool(entry["reason"])
        passed |= {name} if entry["verdict"] == "pass" else set()
    for entry in results["requirements"].values():
        counted = [name for name in entry["clauses"] if results["clauses"][name]["counted"]]
        if entry["verdict"] == "pass":
            assert all(name in passed or results["clauses"][name]["sees"] == "none" for name in counted)
            assert passed & set(counted)


@unhurried
@given(runs(), st.data())
def test_a_violation_is_never_lost_and_an_owned_clause_never_decides(
    run: tuple[View, list[Event]], data: st.DataObject
) -> None:
    view, events = run
    ends = [event for event in events if isinstance(event, CaseFinished)]
    assume(ends)
    chosen = data.draw(st.sampled_from(ends))
    changed = [finished(event.id, Outcome.FAILED) if event is chosen else event for event in events]
    before, after = assemble(view, events), assemble(view, changed)
    covered = next(event.cases for event in events if isinstance(event, Planned))[chosen.id]
    own = [name for name in covered if after["clauses"][name]["owner"] is None]
    if own:
        assert exit_code(after) == 1
        assert all(after["requirements"][after["clauses"][name]["requirement"]]["verdict"] == "fail" for name in own)
    else:
        assert exit_code(after) == exit_code(before)
        assert after["requirements"] == before["requirements"]
    assert all(after["clauses"][name]["verdict"] == "fail" for name in covered)


ONE = ledger(API_200={"API-200.a": clause()})
PLAN = Planned(cases={"t.py::test_a": ("API-200.a",)})
END = RunFinished(complete=True)


@pytest.mark.parametrize(
    ("rest", "why"),
    [
        ([], "the run was killed or hung"),
        ([END], "its worker crashed or hung"),
        ([RunFinished(complete=False, why="interrupted by the user")], "interrupted by the user"),
        ([Note(text="worker gw1 crashed", case="t.py::test_a"), END], "worker gw1 crashed"),
    ],
)
def test_a_planned_case_that_never_finished_is_undecided_and_says_why(rest: list[Event], why: str) -> None:
    results = assemble(ONE, [start(), PLAN, *rest])
    assert results["cases"][0]["outcome"] == "undecided"
    assert results["cases"][0]["message"] == f"did not finish: {why}" + (" before it ended" if not rest else "")
    assert results["clauses"]["API-200.a"]["verdict"] == "inconclusive"
    assert results["run"]["complete"] is False
    assert "1 of 1 planned cases did not finish" in results["run"]["why"]
    assert exit_code(results) == 3


@pytest.mark.parametrize("later", Outcome)
def test_no_later_report_of_a_case_outshines_a_violation(later: Outcome) -> None:
    reports = [finished("t.py::test_a", Outcome.FAILED, message="first"), finished("t.py::test_a", later)]
    for order in (reports, reports[::-1]):
        results = assemble(ONE, [start(), PLAN, *order, END])
        assert results["clauses"]["API-200.a"]["verdict"] == "fail"
        assert results["summary"]["retries"] == 1


@pytest.mark.parametrize(
    ("keys", "selected", "word", "reason"),
    [
        ({"state": "planned"}, None, "not-run", "planned"),
        ({}, (), "not-run", "not selected"),
        ({"needs": ["profile:robustness|kill"]}, None, "not-run", "no case of this run covers it"),
        ({}, ("API-200.a",), "not-run", "no case of this run covers it"),
        ({"needs": ["profile:durability"]}, None, "not-run", "opt-in: profile durability"),
        (
            {"needs": ["profile:durability"], "state": "planned"},
            None,
            "not-run",
            "planned; opt-in: profile durability",
        ),
        ({"sees": "none", "why_not": "only the store knows"}, None, "not-observable", "only the store knows"),
        ({"sees": "none", "state": "planned"}, (), "not-observable", "nothing outside the target shows it"),
    ],
)
def test_a_clause_without_a_case_names_why(
    keys: View, selected: tuple[str, ...] | None, word: str, reason: str
) -> None:
    results = assemble(ledger(API_200={"API-200.a": clause(**keys)}), [start(selected), Planned(cases={}), END])
    assert results["clauses"]["API-200.a"]["verdict"] == word
    assert results["clauses"]["API-200.a"]["reason"] == reason
    assert reason in results["requirements"]["API-200"]["reason"]
    assert exit_code(results) == 3, "nothing held"


def test_a_clause_whose_control_is_missing_names_the_control() -> None:
    entry = assemble(ONE, [start(), PLAN, finished("t.py::test_a", Outcome.MISSING), END])["clauses"]["API-200.a"]
    assert (entry["verdict"], entry["reason"], entry["missing_controls"]) == ("not-run", "missing: kill", ["kill"])


def test_what_nobody_could_observe_lends_its_success_to_no_one() -> None:
    view = ledger(API_200={"API-200.a": clause(sees="none"), "API-200.b": clause()})
    plan = Planned(cases={"a": ("API-200.a",), "b": ("API-200.b",)})
    results = assemble(view, [start(), plan, finished("a", Outcome.HELD), finished("b", Outcome.MISSING), END])
    assert results["clauses"]["API-200.a"]["verdict"] == "not-observable"
    assert results["requirements"]["API-200"]["verdict"] == "not-run"
    assert results["summary"]["clauses_run"] == 0
    assert exit_code(results) == 3


def test_an_opt_in_clause_counts_exactly_when_the_run_judged_it() -> None:
    view = ledger(API_200={"API-200.a": clause(), "API-200.b": clause(needs=["profile:durability"])})
    plan = Planned(cases={"a": ("API-200.a",), "b": ("API-200.b",)})
    held = finished("a", Outcome.HELD)
    plain = assemble(view, [start(), PLAN, finished("t.py::test_a", Outcome.HELD), END])
    assert (plain["requirements"]["API-200"]["verdict"], exit_code(plain, require_full=True)) == ("pass", 0)
    hidden = ledger(API_200={"API-200.a": clause(sees="none"), "API-200.b": clause(needs=["profile:durability"])})
    unasked = assemble(hidden, [start(), Planned(cases={}), END])["requirements"]["API-200"]
    assert unasked["verdict"] == "not-run", "the opt-in clause could be observed"
    lacking = assemble(view, [start(profile="durability"), plan, held, finished("b", Outcome.MISSING), END])
    assert (lacking["requirements"]["API-200"]["verdict"], exit_code(lacking, require_full=True)) == ("partial", 3)
    broken = assemble(view, [start(), plan, held, finished("b", Outcome.FAILED), END])
    assert (broken["requirements"]["API-200"]["verdict"], exit_code(broken)) == ("fail", 1)


def test_each_party_has_its_own_word_and_a_should_clause_fails_with_its_level_shown() -> None:
    view = ledger(API_200={"API-200.a": clause(), "API-200.b": clause(party="client", level="should")})
    plan = Planned(cases={"a": ("API-200.a",), "b": ("API-200.b",)})
    results = assemble(view, [start(), plan, finished("a", Outcome.HELD), finished("b", Outcome.FAILED), END])
    assert results["requirements"]["API-200"]["parties"] == {"backend": "pass", "client": "fail"}
    assert results["requirements"]["API-200"]["verdict"] == "fail"
    assert results["clauses"]["API-200.b"]["level"] == "should"


@pytest.mark.parametrize(
    ("view", "events", "sentence"),
    [
        (ONE, [], "no start of a run"),
        (ONE, [start(), start()], "more than one run"),
        (ONE, [start(), PLAN, Planned(cases={})], "two different plans"),
        (ONE, [start(), finished("b", Outcome.HELD)], "never planned"),
        (ONE, [start(), Planned(cases={"a": ()})], "decides no clause"),
        (ONE, [start(), Planned(cases={"a": ("API-200.z",)})], "the ledger does not know"),
        (ONE, [start(("API-999.a",))], "the ledger does not know"),
        (ledger(API_200={}), [start()], "has no clause"),
        (ledger(API_200={"API-200.a": clause(sees="maybe")}), [start()], "sees = 'maybe'"),
        (ledger(A={"API-200.a": clause()}, B={"API-200.a": clause()}), [start()], "stands twice"),
        ({}, [start()], "not of the agreed form"),
    ],
)
def test_events_and_ledger_that_do_not_belong_together_are_refused(
    view: View, events: list[Event], sentence: str
) -> None:
    with pytest.raises(AssemblyError, match=sentence):
        assemble(view, events)


def test_notes_are_kept_whoever_they_belong_to() -> None:
    notes = [Note(text="run"), Note(text="case", case="t.py::test_a"), Note(text="lost", case="other")]
    results = assemble(ONE, [start(), PLAN, finished("t.py::test_a", Outcome.HELD, notes=("own",)), *notes, END])
    assert results["run"]["notes"] == ["other: lost", "run"]
    assert results["cases"][0]["notes"] == ["own", "case"]
