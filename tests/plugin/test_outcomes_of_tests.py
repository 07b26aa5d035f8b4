"""What a test does decides what its clauses come to; nothing that did not run looks green."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.plugin.conftest import SuiteRunner

EVERY_END = """
import time
from hypothesis import given, strategies
from conformance.oracle.violation import Undecidable, Violation
from conformance.target.errors import Missing, Undecided

@covers("API-220.a")
def test_holds(): pass

@covers("API-221.a")
def test_fails(): raise Violation("hole", "A page leaves out id 3.", witness={"ids": [1, 2, 4]})

@covers("API-221.b")
def test_doubts(): raise Undecided("no answer within 20 s")

@covers("API-221.c")
def test_cannot_judge(): raise Undecidable("the token was refused")

@covers("API-222.a")
def test_lacks_a_control(): raise Missing("restart", "no adapter offers it")

@covers("API-222.b")
def test_skips(): pytest.skip("not today")

@covers("API-222.c")
def test_breaks(): raise KeyError("a mistake of the suite")

@pytest.fixture
def broken(): raise AssertionError("a fixture is no judgement")

@covers("API-222.f")
def test_has_a_broken_fixture(broken): pass

@pytest.fixture
def wrong(): raise Violation("hole", "The target was wrong before the test began.")

@covers("API-222.f")
def test_meets_a_wrong_target_in_a_fixture(wrong): pass

@covers("API-222.h")
@given(strategies.integers())
def test_property_fails(number): assert number < 100

@covers("API-222.i")
@reaches("odd", "even")
@given(strategies.just(1))
def test_property_misses_a_class(classes, number): classes.reach("odd")

@covers("API-223.a")
@pytest.mark.timeout(1, method="signal")
def test_hangs(): time.sleep(60)

@covers("API-223.b")
@pytest.mark.xfail
def test_is_expected_to_fail(): raise RuntimeError("xfail is no excuse")

@pytest.fixture(scope="module")
def unavailable():
    raise Missing("limits", "nobody can set them")
    yield

@pytest.fixture
def lost(): raise Undecided("the connection broke")

@covers("API-223.d")
@pytest.mark.parametrize("number", range(3))
def test_lacks_a_control_in_a_fixture(unavailable, number): pass

@covers("API-223.e")
@pytest.mark.parametrize("number", range(2))
def test_doubts_in_a_fixture(lost, number): pass

@covers("API-223.f")
def test_holds_after_all_that(): pass

@covers("API-224.b")
def test_violates_and_lacks_a_control_at_once():
    raise BaseExceptionGroup("both", [AssertionError("violated"), Missing("kill", "no")])

shrinks = []

@covers("API-230.a")
@given(strategies.integers(0, 1000))
def test_property_fails_and_then_cannot_go_on(number):
    shrinks.append(number)
    if any(shown >= 5 for shown in shrinks[:-1]): raise Undecided("the target is gone")
    assert number < 5, "the first witness"

flips = []

@covers("API-223.c")
@given(strategies.integers())
def test_is_flaky(number):
    flips.append(number)
    assert len(flips) != 3, "the witness"
"""


def test_every_end_of_a_test_has_its_outcome(suite: SuiteRunner) -> None:
    ran = suite.run(EVERY_END)
    outcomes = {name.removeprefix("test_"): case["outcome"] for name, case in ran.cases.items()}
    assert outcomes == {
        "holds": "held",
        "fails": "failed",
        "doubts": "undecided",
        "cannot_judge": "undecided",
        "lacks_a_control": "missing",
        "skips": "undecided",
        "breaks": "undecided",
        "has_a_broken_fixture": "undecided",
        "meets_a_wrong_target_in_a_fixture": "failed",
        "property_fails": "failed",
        "property_misses_a_class": "undecided",
        "hangs": "undecided",
        "is_expected_to_fail": "undecided",
        "is_flaky": "failed",
        "violates_and_lacks_a_control_at_once": "failed",
        "property_fails_and_then_cannot_go_on": "failed",
        **{f"lacks_a_control_in_a_fixture[{number}]": "missing" for number in range(3)},
        **{f"doubts_in_a_fixture[{number}]": "undecided" for number in range(2)},
        "holds_after_all_that": "held",
    }
    assert ran.code == 1
    assert ran.cases["test_fails"]["reason"] == "hole"
    assert "ids: [1, 2, 4]" in ran.cases["test_fails"]["message"]
    assert ran.cases["test_hangs"]["reason"] == "hung"
    assert "the witness" in ran.cases["test_is_flaky"]["message"]
    assert "the first witness" in ran.cases["test_property_fails_and_then_cannot_go_on"]["message"]
    assert "even" in ran.cases["test_property_misses_a_class"]["message"]
    assert ran.cases["test_doubts_in_a_fixture[1]"]["message"] == "the connection broke"
    assert ran.results["clauses"]["API-222.a"]["missing_controls"] == ["restart"]


def test_doubt_alone_is_code_3(suite: SuiteRunner) -> None:
    ran = suite.run('@covers("API-220.a")\ndef test_breaks(): raise KeyError("x")\n')
    assert ran.code == 3
    assert ran.results["requirements"]["API-220"]["verdict"] == "inconclusive"


def test_nothing_that_ran_is_code_3(suite: SuiteRunner) -> None:
    ran = suite.run("", "--conformance-only=API-220.a")
    assert ran.code == 3
    assert ran.results["summary"]["sentence"]
    assert len(ran.results["requirements"]) == 81


def test_a_module_that_cannot_be_imported_makes_the_run_incomplete(suite: SuiteRunner) -> None:
    ran = suite.run('import no_such_module\n@covers("API-220.a")\ndef test_holds(): pass\n')
    assert ran.code == 3
    assert ran.results["run"]["complete"] is False


def test_a_held_clause_alone_is_code_0(suite: SuiteRunner) -> None:
    ran = suite.run('@covers("API-220.a")\ndef test_holds(node): node.configuration().ok()\n')
    assert ran.code == 0
    assert ran.results["subjects"]["backend"]["name"]
