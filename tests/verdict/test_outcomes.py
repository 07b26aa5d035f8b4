"""The union of outcomes, and the word at its end."""

from __future__ import annotations

from itertools import chain, combinations, product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.verdict.outcomes import PRECEDENCE, Outcome, OutcomeSet, Verdict, merge, word

# A busy machine is slow, and that is no finding.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
SETS = [frozenset(chosen) for size in range(5) for chosen in combinations(Outcome, size)]
outcome_sets = st.sampled_from(SETS)


@unhurried
@given(outcome_sets, outcome_sets, outcome_sets)
def test_a_merge_depends_on_neither_order_nor_grouping_nor_repetition(
    a: OutcomeSet, b: OutcomeSet, c: OutcomeSet
) -> None:
    assert merge([a, b]) == merge([b, a])
    assert merge([merge([a, b]), c]) == merge([a, merge([b, c])]) == merge([a, b, c])
    assert merge([a, a]) == merge([a]) == a
    assert merge([]) == frozenset()
    assert set(merge([a, b, c])) == set(chain(a, b, c))


TABLE = {
    # what is in the set: (whole and observable, partly planned, not observable)
    "": ("not-run", "not-run", "not-observable"),
    "missing": ("not-run", "not-run", "not-observable"),
    "held": ("pass", "partial", "not-observable"),
    "held missing": ("partial", "partial", "not-observable"),
}


@pytest.mark.parametrize("outcomes", SETS, ids=lambda outcomes: "+".join(sorted(outcomes)) or "none")
def test_the_word_is_the_one_of_the_verdict_table(outcomes: OutcomeSet) -> None:
    for planned, observable in product((False, True), repeat=2):
        found = word(outcomes, planned=planned, observable=observable)
        if "failed" in outcomes:
            assert found == "fail"
        elif "undecided" in outcomes:
            assert found == "inconclusive"
        else:
            whole, part, unseen = TABLE[" ".join(sorted(outcomes))]
            assert found == (unseen if not observable else part if planned else whole)


@unhurried
@given(outcome_sets, outcome_sets, st.booleans(), st.booleans())
def test_more_outcomes_never_turn_something_else_into_a_pass_unless_a_case_held(
    some: OutcomeSet, more: OutcomeSet, planned: bool, observable: bool
) -> None:
    before = word(some, planned=planned, observable=observable)
    after = word(merge([some, more]), planned=planned, observable=observable)
    if after is Verdict.PASS and before is not Verdict.PASS:
        assert some == frozenset()
        assert more == {Outcome.HELD}
    if before is Verdict.FAIL:
        assert after is Verdict.FAIL


def test_every_word_has_a_place_in_the_precedence_and_pass_is_the_last() -> None:
    assert set(PRECEDENCE) == set(Verdict)
    assert len(PRECEDENCE) == 8
    assert PRECEDENCE[0] is Verdict.FAIL
    assert PRECEDENCE[-1] is Verdict.PASS
