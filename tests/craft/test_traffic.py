"""Plans of traffic keep to their shape, and what is made of them is what they say."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.craft.topics import topic_of
from conformance.craft.traffic import Played, Shape, traffic_plan
from conformance.oracle.history.digest import value_digest

shapes = st.builds(
    Shape,
    writers=st.integers(1, 5),
    requests=st.integers(1, 8),
    topics=st.integers(1, 7),
    largest=st.integers(1, 8),
    most_topics=st.integers(1, 4),
    read_topics=st.integers(1, 4),
    repeats=st.sampled_from((0.0, 0.15, 0.6)),
    overlaps=st.sampled_from((0.0, 0.5, 1.0)),
    broken=st.sampled_from((0.0, 0.3)),
    long_bytes=st.sampled_from((0, 40, 2048)),
    endpoints=st.integers(1, 3),
)


@given(shape=shapes, seed=st.integers(0, 999))
def test_a_plan_keeps_to_its_shape(shape: Shape, seed: int) -> None:
    plan = traffic_plan(random.Random(seed), shape)  # noqa: S311 - choices of a test, not a secret
    played = Played(plan, Draw(seed, b"traffic"))
    assert plan == traffic_plan(random.Random(seed), shape)  # noqa: S311 - the same
    assert len(played.requests) == shape.writers
    assert {*plan.endpoints, *(reader.endpoint for reader in plan.readers)} <= set(range(shape.endpoints))
    assert all(1 <= len(reader.topics) <= shape.read_topics for reader in plan.readers)
    values: dict[bytes, bytes] = {}
    for requests in played.requests:
        assert len(requests) >= shape.requests
        for request in requests:
            good = [(e, t) for e, t in zip(request.envelopes, request.topics, strict=True) if t is not None]
            assert len(good) == len(request.envelopes) - request.is_broken
            assert 1 <= len(good) <= shape.largest
            assert len({topic for _, topic in good}) <= shape.most_topics
            for envelope, topic in good:
                assert topic_of(envelope) == values.setdefault(value_digest(envelope), topic)
                assert topic in played.topics
                assert len(envelope) <= shape.long_bytes * 2 + 1000
    assert len(values) == len(plan.envelopes)


def test_usual_traffic_has_its_share_of_everything() -> None:
    shape = Shape(writers=6, requests=200, repeats=0.15, overlaps=0.0, broken=0.05, long=0.1)
    plan = traffic_plan(random.Random(1), shape)  # noqa: S311 - choices of a test, not a secret
    requests = [request for requests in plan.writers for request in requests]
    items = sum(len(request.items) for request in requests)
    broken = sum(request.broken_at is not None for request in requests)
    repeats = items - len(plan.envelopes)
    assert 0.12 < repeats / items < 0.22
    assert 0.03 < broken / len(requests) < 0.07
    assert 0.07 < sum(envelope.size == shape.long_bytes for envelope in plan.envelopes) / len(plan.envelopes) < 0.13


def test_writers_that_overlap_send_the_same_envelopes_in_another_order() -> None:
    plan = traffic_plan(random.Random(2), Shape(writers=2, requests=30, overlaps=0.9, largest=6))  # noqa: S311 - the same
    pairs = [
        ([item.of for item in one.items], [item.of for item in other.items])
        for one, other in zip(*plan.writers, strict=False)
    ]
    assert sum(bool(set(one) & set(other)) for one, other in pairs) > len(pairs) // 2
    assert any(one != other and set(one) == set(other) for one, other in pairs)
