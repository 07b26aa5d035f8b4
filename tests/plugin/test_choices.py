"""Selection, seeds and manners: what a run was asked for is what it does, and other test runs never notice us."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from tests.plugin.conftest import SuiteRunner

TWO_CLAUSES = """
@covers("API-220.a", "API-221.a")
def test_both(): pass

@covers("API-222.a")
def test_other(): pass
"""

DRAWS = """
from hypothesis import given, strategies

@covers("API-220.a")
@pytest.mark.parametrize("half", ["a", "b"])
@given(number=strategies.integers(0, 10**9))
def test_draws(half, draw, notes, number):
    notes.add(f"{number} {draw.random.random()}")
"""


def test_only_the_cases_of_the_selected_clauses_are_planned(suite: SuiteRunner) -> None:
    ran = suite.run(TWO_CLAUSES, "--conformance-only=API-221*")
    assert list(ran.cases) == ["test_both"]
    assert ran.cases["test_both"]["clauses"] == ["API-221.a"]
    assert ran.results["clauses"]["API-220.a"]["reason"] == "not selected"


def test_an_unknown_clause_is_one_sentence_and_code_2(suite: SuiteRunner) -> None:
    ran = suite.run(TWO_CLAUSES, "--conformance-only=API-999")
    assert ran.code == 2
    assert "API-999" in ran.text
    assert "Traceback" not in ran.text


def test_the_seed_alone_decides_what_a_case_draws(suite: SuiteRunner) -> None:
    first = suite.run(DRAWS, "--conformance-seed=7").cases
    edit = DRAWS.replace("    notes.add", "    # an edit changes no choice\n    notes.add")
    edited = suite.run(edit, "--conformance-seed=7").cases
    other = suite.run(DRAWS, "--conformance-seed=8").cases
    for case in ("test_draws[a]", "test_draws[b]"):
        assert edited[case]["notes"] == first[case]["notes"]
        assert other[case]["notes"] != first[case]["notes"]
    assert first["test_draws[a]"]["notes"] != first["test_draws[b]"]["notes"]


def test_what_pytest_was_told_to_leave_out_is_missing_and_named(suite: SuiteRunner) -> None:
    ran = suite.run(TWO_CLAUSES + '\n@covers("API-222.a")\ndef test_third(): pass\n', "-k", "not other")
    assert ran.cases["test_other"]["outcome"] == "missing"
    assert ran.results["clauses"]["API-222.a"]["verdict"] == "partial"
    assert ran.results["clauses"]["API-222.a"]["missing_controls"] == ["selection"]


def test_a_module_that_skips_itself_makes_the_run_incomplete(suite: SuiteRunner) -> None:
    ran = suite.run('pytest.skip("not here", allow_module_level=True)\n@covers("API-220.a")\ndef test_lost(): pass\n')
    assert ran.code == 3
    assert ran.results["run"]["complete"] is False


def test_an_empty_target_is_no_target(suite: SuiteRunner) -> None:
    ran = suite.run(TWO_CLAUSES, "--conformance-target=")
    assert ran.code == 2
    assert "the target is empty" in ran.text


def test_a_smoke_run_tries_a_case_of_each_clause_chosen_by_the_seed(suite: SuiteRunner) -> None:
    body = """
@pytest.fixture
def unhurried(): pass

@covers("API-220.a", "API-220.d")
@pytest.mark.parametrize("number", range(50))
def test_many(number): pass

@covers("API-220.a", "API-222.a")
@pytest.mark.parametrize("number", range(20))
def test_slow(number, unhurried): pass

@covers("API-221.a")
def test_one(): pass
"""
    smoke = ("--conformance-profile=smoke", "--conformance-seed=3")
    alone, again, shared = (set(suite.run(body, *smoke, *more).cases) for more in ((), (), ("-n2",)))
    assert alone == again == shared
    assert sorted(case.partition("[")[0] for case in alone) == ["test_many", "test_one", "test_slow"]
    assert len(suite.run(body, "--conformance-seed=3").cases) == 71


def test_workers_share_the_seed_that_is_drawn_for_a_run(suite: SuiteRunner) -> None:
    body = """
@covers("API-220.a")
@pytest.mark.parametrize("number", range(8))
def test_choice(number, draw): raise AssertionError(str(draw.random.random()))
"""
    ran = suite.run(body, "-n2")
    again = suite.run(body, f"--conformance-seed={ran.results['run']['seed']}")
    first, second = ({name: case["message"] for name, case in each.cases.items()} for each in (ran, again))
    assert first == second
    assert len(set(first.values())) == len(first)


def test_a_foreign_test_run_never_pays_for_the_plugin(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "import sys\n"
        "def test_alone():\n"
        "    heavy = {'grpc', 'conformance.target', 'conformance.craft', 'conformance.ledger'} & set(sys.modules)\n"
        "    assert not heavy\n"
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)


def test_requirements_reach_the_reports_that_pytest_and_allure_write(
    suite: SuiteRunner, pytester: pytest.Pytester
) -> None:
    suite.run(TWO_CLAUSES, "--junitxml=junit.xml", "--alluredir=allure")
    assert 'value="API-222"' in (pytester.path / "junit.xml").read_text(encoding="utf-8")
    written = [path.read_text(encoding="utf-8") for path in (pytester.path / "allure").glob("*-result.json")]
    assert sum('"requirement", "value": "API-222"' in text for text in written) == 1
