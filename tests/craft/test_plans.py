from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.craft.plans import LAST_SEQUENCE_ID, LIMITS, PLACES, BatchPlan, Cast, CursorPlan, QueryPlan, Repeat
from conformance.craft.strategies import (
    BATCH_CLASSES,
    ENVELOPE_CLASSES,
    FORM_NAMES,
    QUERY_CLASSES,
    envelope_plans,
    publish_plans,
    query_plans,
)
from conformance.craft.topics import Kind, topic_of
from conformance.pb import backend_pb2

SEARCH = settings(
    max_examples=5000,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@given(requests=publish_plans(forms=FORM_NAMES), seed=st.integers(0, 1000))
def test_a_plan_makes_envelopes_on_its_topics_and_repeats_only_where_it_says(
    requests: tuple[BatchPlan, ...], seed: int
) -> None:
    cast = Cast(Draw(seed, b"plans"))
    fresh: list[bytes] = []
    for item in (item for request in requests for item in request.items):
        envelope = backend_pb2.ClientEnvelope.FromString(cast.encode(item))
        value = envelope.SerializeToString(deterministic=True)
        if isinstance(item, Repeat):
            assert value == fresh[item.of]
        else:
            assert value not in fresh
            assert topic_of(envelope) == cast.topic(item.kind, item.slot)
            fresh.append(value)
    assert [made.SerializeToString(deterministic=True) for made in cast.made] == fresh


def test_a_group_and_its_commit_log_share_their_identifier() -> None:
    cast = Cast(Draw(1, b"cast"))
    assert cast.identifier(Kind.GROUP_MESSAGE, 0) == cast.identifier(Kind.COMMIT_LOG, 0)
    assert cast.identifier(Kind.GROUP_MESSAGE, 0) != cast.identifier(Kind.GROUP_MESSAGE, 1)


@given(requests=publish_plans())
def test_two_casts_of_one_plan_use_other_identifiers(requests: tuple[BatchPlan, ...]) -> None:
    one, other = (Cast(Draw(1, salt)) for salt in (b"one run", b"other run"))
    for item in (item for request in requests for item in request.items):
        assert topic_of(one.envelope(item)) != topic_of(other.envelope(item))


def reaches(name: str) -> Callable[[object], bool]:
    return lambda plan: name in plan.classes  # type: ignore[attr-defined] # any of the plan types


@pytest.mark.parametrize("name", ENVELOPE_CLASSES)
def test_every_class_of_envelope_is_reached(name: str) -> None:
    find(envelope_plans(forms=FORM_NAMES), reaches(name), settings=SEARCH)


@pytest.mark.parametrize("name", sorted(set(BATCH_CLASSES) - set(ENVELOPE_CLASSES)))
def test_every_class_of_request_is_reached(name: str) -> None:
    find(publish_plans().map(lambda requests: requests[-1]), reaches(name), settings=SEARCH)


@pytest.mark.parametrize("name", QUERY_CLASSES)
def test_every_class_of_query_is_reached(name: str) -> None:
    find(query_plans(topics=3), reaches(name), settings=SEARCH)


@given(plan=query_plans(topics=3), eligible=st.integers(0, 50))
def test_a_query_names_no_class_that_is_not_listed(plan: QueryPlan, eligible: int) -> None:
    assert plan.classes <= set(QUERY_CLASSES)
    assert len(plan.topics) == len(plan.cursors)
    assert 0 <= plan.resolve_limit(eligible, ceiling=20) < 1 << 32


@given(ids=st.lists(st.integers(1, 1000), unique=True).map(sorted), index=st.integers(0, 20))
def test_a_cursor_is_a_lawful_position(ids: list[int], index: int) -> None:
    for place in PLACES:
        position = CursorPlan(place=place, index=index).resolve(ids)
        assert (position is None) == (place == "absent")
        assert position is None or 0 <= position <= LAST_SEQUENCE_ID
    if ids:
        pivot = ids[index % len(ids)]
        resolved = [CursorPlan(place=place, index=index).resolve(ids) for place in PLACES]
        assert resolved == [None, 0, pivot - 1, pivot, pivot + 1, ids[-1], ids[-1] + 1000, LAST_SEQUENCE_ID]


def test_the_limits_stand_around_what_is_eligible_and_around_the_ceiling() -> None:
    asked = [QueryPlan(topics=(), cursors=(), limit=limit).resolve_limit(7, ceiling=50) for limit in LIMITS]
    assert asked == [0, 1, 6, 7, 8, 50, 51, (1 << 32) - 1]
