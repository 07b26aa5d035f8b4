"""The checker of recorded histories: nothing lawful is flagged, and each anomaly is, by an excerpt of a few events."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from conformance.oracle.history.checker import check
from conformance.oracle.history.events import Operation
from conformance.oracle.history.excerpt import lines
from conformance.oracle.history.finding import INVARIANTS, Finding
from conformance.oracle.history.judge import judge
from conformance.oracle.violation import Violation
from tests.history.anomalies import ANOMALIES
from tests.history.simulator import MS, SETTLE_NS, Setting, simulate

SKEW_NS = 10 * MS
# An excerpt shows at most: two copies of an envelope and the two publishes that stored them.
LONGEST_EXCERPT = 4

lawful_settings = st.builds(
    Setting,
    writers=st.integers(1, 6),
    readers=st.integers(1, 4),
    topics=st.sampled_from((1, 3, 6)),
    endpoints=st.integers(1, 3),
    repeats=st.sampled_from((0.15, 0.5)),
    failing=st.sampled_from((0.05, 0.3)),
    lost=st.sampled_from((0.0, 0.1, 0.4)),
    largest=st.sampled_from((1, 4)),
    retention_ms=st.sampled_from((0, 0, 5, 20)),
)
seeds = st.integers(0, 2**32)


def dice(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - choices of a simulation, not a secret


def findings(history: list[Operation]) -> list[Finding]:
    return check(history, settle_ns=SETTLE_NS // 2, skew_ns=SKEW_NS)


@settings(max_examples=120)
@given(setting=lawful_settings, seed=seeds)
def test_a_lawful_history_is_never_flagged(setting: Setting, seed: int) -> None:
    history = simulate(dice(seed), setting)
    found = findings(history)
    assert not found, "\n".join((found[0].sentence, *lines(found[0])))


@settings(max_examples=30)
@given(seed=seeds)
def test_the_order_in_which_a_history_was_written_down_does_not_matter(seed: int) -> None:
    choice = dice(seed)
    history = simulate(choice, Setting(lost=0.3))
    broken = ANOMALIES["hole"].plant(history, choice)
    assume(broken is not None)
    assert broken is not None
    told = [finding.sentence for finding in findings(broken)]
    choice.shuffle(broken)
    assert [finding.sentence for finding in findings(broken)] == told


@pytest.mark.parametrize("name", ANOMALIES)
@settings(max_examples=10)
@given(seed=seeds)
def test_an_anomaly_is_flagged_by_a_short_excerpt_that_proves_it(name: str, seed: int) -> None:
    anomaly, choice = ANOMALIES[name], dice(seed)
    broken = anomaly.plant(simulate(choice, Setting(failing=0.2, lost=0.2)), choice)
    assume(broken is not None)
    assert broken is not None
    found = findings(broken)
    hits = [f for f in found if f.invariant in anomaly.invariants and f.reason in anomaly.reasons]
    assert hits
    assert hits == found or not anomaly.alone
    for hit in hits:
        assert hit.invariant in INVARIANTS
        assert len(hit.operations) == len(lines(hit)) <= LONGEST_EXCERPT
        assert all(broken[number] is operation for number, operation in zip(hit.numbers, hit.operations, strict=True))
        assert same_finding(hit, list(hit.operations)), "\n".join((hit.sentence, *lines(hit)))


@pytest.mark.parametrize("name", sorted(set(ANOMALIES) - {"reorder"}))
@settings(max_examples=10)
@given(seed=seeds)
def test_no_event_of_the_shortest_excerpt_can_be_spared(name: str, seed: int) -> None:
    anomaly, choice = ANOMALIES[name], dice(seed)
    broken = anomaly.plant(simulate(choice, Setting(failing=0.2, lost=0.2)), choice)
    assume(broken is not None)
    assert broken is not None
    hits = [f for f in findings(broken) if f.invariant in anomaly.invariants and f.reason in anomaly.reasons]
    shortest = min(hits, key=lambda finding: (len(finding.operations), _span(finding)))
    for place in range(len(shortest.operations)):
        rest = [*shortest.operations[:place], *shortest.operations[place + 1 :]]
        assert not same_finding(shortest, rest), "\n".join((shortest.sentence, *lines(shortest)))


def _span(finding: Finding) -> int:
    return max(o.completed_ns for o in finding.operations) - min(o.invoked_ns for o in finding.operations)


def same_finding(finding: Finding, history: list[Operation]) -> bool:
    """Tell whether a few operations alone prove what the whole history did."""
    return any(
        (f.invariant, f.reason, f.clauses[0]) == (finding.invariant, finding.reason, finding.clauses[0])
        and (f.topic == finding.topic or f.ids == finding.ids)
        for f in findings(history)
    )


@settings(max_examples=30)
@given(seed=seeds)
def test_judging_names_clause_and_witness_and_only_what_was_asked_for(seed: int) -> None:
    choice = dice(seed)
    history = simulate(choice)
    judge(history)
    broken = ANOMALIES["half a request"].plant(history, choice)
    assume(broken is not None)
    assert broken is not None
    for about in ("H13", "API-201.a", "API-201"):
        with pytest.raises(Violation, match=r"API-201\.a") as caught:
            judge(broken, about)
        assert caught.value.reason in {"hole", "late-insert"}
        assert "event 1" in caught.value.witness
    judge(broken, "H10", "API-287.a")
