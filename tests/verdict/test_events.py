"""Events survive the journal exactly, and nothing else passes for an event."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.verdict.errors import EventError
from conformance.verdict.events import CaseFinished, Event, Note, Planned, RunFinished, RunStarted, from_json, to_json
from conformance.verdict.outcomes import Outcome

# A busy machine is slow, and that is no finding.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

# Lone surrogates included: a target may send bytes that decode to them. Only high ones: JSON joins a pair.
texts = st.text(st.characters(max_codepoint=0xDBFF) | st.characters(min_codepoint=0xE000), max_size=20)
text_tuples = st.lists(texts, max_size=3).map(tuple)
seconds = st.floats(min_value=0, allow_nan=False, allow_infinity=False)
events: st.SearchStrategy[Event] = st.one_of(
    st.builds(
        RunStarted,
        seed=st.integers(),
        profile=texts,
        started=texts,
        suite_version=texts,
        spec=st.dictionaries(texts, st.none() | texts, max_size=3),
        subjects=st.dictionaries(texts, st.dictionaries(texts, st.integers() | texts), max_size=2),
        workers=st.integers(),
        selected=st.none() | text_tuples,
    ),
    st.builds(Planned, cases=st.dictionaries(texts, text_tuples, max_size=3)),
    st.builds(
        CaseFinished,
        id=texts,
        outcome=st.sampled_from([Outcome.HELD, Outcome.FAILED, Outcome.UNDECIDED]),
        message=texts,
        reason=texts,
        duration_s=seconds,
        examples=st.integers(min_value=0),
        classes=text_tuples,
        notes=text_tuples,
        missing=st.just(()),
        transcript=st.none() | texts,
        repro=texts,
        attempts=st.integers(min_value=1),
    ),
    st.builds(CaseFinished, id=texts, outcome=st.just(Outcome.MISSING), missing=st.just(("kill", "lag"))),
    st.builds(Note, text=texts, case=st.none() | texts),
    st.builds(RunFinished, complete=st.booleans(), why=texts, duration_s=st.none() | seconds),
)


@unhurried
@given(events)
def test_an_event_survives_json(event: Event) -> None:
    assert from_json(json.loads(json.dumps(to_json(event)))) == event


@unhurried
@given(events, st.data())
def test_an_event_with_one_key_gone_strange_or_of_another_type_is_refused(event: Event, data: st.DataObject) -> None:
    whole = to_json(event)
    key = data.draw(st.sampled_from(sorted(whole)))
    damaged: list[dict[str, Any]] = [
        {name: value for name, value in whole.items() if name != key},
        {**whole, key + "'": 1},
        {**whole, key: {"an": ["object", 1]} if not isinstance(whole[key], dict) else [1]},
    ]
    if not isinstance(whole[key], bool):
        damaged.append({**whole, key: True})
    for value in damaged:
        if value.get("event") == "run-started" and key == "subjects" and isinstance(value.get(key), dict):
            continue
        with pytest.raises(EventError):
            from_json(value)


@pytest.mark.parametrize("value", [None, [], "planned", {"event": "party"}, {"event": ["note"]}, {}])
def test_what_is_no_event_is_refused(value: object) -> None:
    with pytest.raises(EventError):
        from_json(value)


@pytest.mark.parametrize("outcome", [Outcome.HELD, Outcome.FAILED, Outcome.UNDECIDED])
def test_only_a_missing_outcome_names_what_is_missing(outcome: Outcome) -> None:
    with pytest.raises(EventError, match="must name what is missing"):
        CaseFinished(id="a", outcome=outcome, missing=("kill",))
    with pytest.raises(EventError, match="must name what is missing"):
        CaseFinished(id="a", outcome=Outcome.MISSING)


@pytest.mark.parametrize("duration", [-1.0, math.nan, math.inf])
def test_a_duration_is_a_finite_number_of_seconds(duration: float) -> None:
    with pytest.raises(EventError, match="impossible duration"):
        CaseFinished(id="a", outcome=Outcome.HELD, duration_s=duration)
    with pytest.raises(EventError, match="impossible duration"):
        RunFinished(complete=True, duration_s=duration)


def test_counts_of_attempts_and_examples_make_sense() -> None:
    with pytest.raises(EventError, match="0 attempts"):
        CaseFinished(id="a", outcome=Outcome.HELD, attempts=0)
    with pytest.raises(EventError, match="-1 examples"):
        CaseFinished(id="a", outcome=Outcome.HELD, examples=-1)
