from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from conformance.oracle.newest import lawful_newest, one_result_each
from conformance.oracle.violation import Violation
from conformance.wire.transcript import Meta, Seen

Stored = dict[bytes, list[int]]


def topic(number: int) -> bytes:
    return bytes([1, number]) + bytes(31)


def result(name: bytes, number: int, *, full: bool) -> Seen:
    meta = Meta(
        sequence_id=number,
        server_ns=1,
        message_hash=bytes(32),
        topic=name,
        expiry_ns=0,
        is_commit_or_proposal=False,
    )
    return Seen(source="QueryNewest", meta=meta, envelope=b"envelope" if full else None, result_topic=name)


@st.composite
def topics(draw: st.DrawFn) -> Stored:
    ids = draw(st.lists(st.integers(1, 1 << 40), unique=True, max_size=10).map(sorted))
    stored: Stored = {topic(number): [] for number in range(4)}
    for number in ids:
        stored[topic(draw(st.integers(0, 2)))].append(number)
    return stored


def answer(stored: Stored, choice: random.Random, *, full: bool) -> list[Seen]:
    results = [result(name, ids[-1], full=full) for name, ids in stored.items() if ids]
    choice.shuffle(results)
    return results


@given(stored=topics(), full=st.booleans(), lag=st.booleans(), choice=st.randoms(use_true_random=False))
def test_no_lawful_answer_is_ever_flagged(stored: Stored, full: bool, lag: bool, choice: random.Random) -> None:
    requested = [*stored, *choice.sample(list(stored), 2)]
    lawful_newest(answer(stored, choice, full=full), requested=requested, stored=stored, full=full, may_lag=lag)


@given(stored=topics(), full=st.booleans(), choice=st.randoms(use_true_random=False))
def test_a_lagging_answer_may_show_any_earlier_state_of_each_topic(
    stored: Stored, full: bool, choice: random.Random
) -> None:
    earlier = {name: ids[: choice.randint(0, len(ids))] for name, ids in stored.items()}
    results = answer(earlier, choice, full=full)
    lawful_newest(results, requested=stored, stored=stored, full=full, may_lag=True)
    if earlier != stored:
        with pytest.raises(Violation) as caught:
            lawful_newest(results, requested=stored, stored=stored, full=full, may_lag=False)
        assert caught.value.reason in {"not-newest", "missing-result"}


@given(stored=topics(), choice=st.randoms(use_true_random=False))
def test_what_has_expired_may_be_there_or_gone(stored: Stored, choice: random.Random) -> None:
    expired = {i for ids in stored.values() for i in ids if choice.random() < 0.5}
    pruned = {i for i in expired if choice.random() < 0.5}
    left = {name: [i for i in ids if i not in pruned] for name, ids in stored.items()}
    lawful_newest(
        answer(left, choice, full=True), requested=stored, stored=stored, full=True, may_lag=False, expired=expired
    )


def older(results: list[Seen], stored: Stored) -> list[Seen] | None:
    for index, seen in enumerate(results):
        if len(stored[seen.meta.topic]) > 1:
            before = replace(seen.meta, sequence_id=stored[seen.meta.topic][0])
            return [*results[:index], replace(seen, meta=before), *results[index + 1 :]]
    return None


def placeholder(results: list[Seen], stored: Stored) -> list[Seen] | None:
    empty = next((name for name, ids in stored.items() if not ids), None)
    return None if empty is None else [*results, result(empty, 0, full=True)]


def crossed(results: list[Seen], stored: Stored) -> list[Seen] | None:
    if len(results) < 2:
        return None
    return [replace(results[0], result_topic=results[1].result_topic), *results[1:]]


Spoil = Callable[[list[Seen], Stored], list[Seen] | None]
SPOILT: dict[str, tuple[Spoil, str]] = {
    "older": (older, "not-newest"),
    "left-out": (lambda results, _: results[1:] if results else None, "missing-result"),
    "repeated": (lambda results, _: [*results, results[0]] if results else None, "repeated-result"),
    "placeholder": (placeholder, "unknown-envelope"),
    "crossed-topics": (crossed, "result-topic-differs"),
    "unnamed": (lambda rs, _: [replace(rs[0], result_topic=None), *rs[1:]] if rs else None, "unnamed-result"),
    "name-empty": (lambda rs, _: [replace(rs[0], result_topic=b""), *rs[1:]] if rs else None, "unnamed-result"),
    "strange": (lambda results, _: [*results, result(topic(9), 1, full=True)], "foreign-topic"),
    "envelope-left-out": (lambda rs, _: [replace(rs[0], envelope=None), *rs[1:]] if rs else None, "missing-envelope"),
}


@pytest.mark.parametrize("name", SPOILT)
@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(stored=topics(), choice=st.randoms(use_true_random=False))
def test_every_spoilt_answer_is_flagged(name: str, stored: Stored, choice: random.Random) -> None:
    spoil, reason = SPOILT[name]
    results = spoil(answer(stored, choice, full=True), stored)
    assume(results is not None)
    assert results is not None
    with pytest.raises(Violation) as caught:
        lawful_newest(results, requested=stored, stored=stored, full=True, may_lag=False)
    assert caught.value.reason == reason


@pytest.mark.parametrize("envelope", [b"", b"envelope"], ids=["empty", "whole"])
def test_an_envelope_nobody_asked_for_is_flagged_even_when_empty(envelope: bytes) -> None:
    seen = replace(result(topic(0), 5, full=False), envelope=envelope)
    with pytest.raises(Violation) as caught:
        lawful_newest([seen], requested=[topic(0)], stored={topic(0): [5]}, full=False, may_lag=False)
    assert caught.value.reason == "unasked-envelope"
    lawful_newest([seen], requested=[topic(0)], stored={topic(0): [5]}, full=True, may_lag=False)


def test_a_result_for_an_empty_topic_is_flagged_by_itself() -> None:
    seen = result(topic(0), 5, full=False)
    one_result_each([seen], requested=[topic(0)], stored={topic(0): [5]}, may_lag=False)
    nothing: tuple[Stored, ...] = ({}, {topic(0): []})
    for stored in nothing:
        with pytest.raises(Violation) as caught:
            one_result_each([seen], requested=[topic(0)], stored=stored, may_lag=True)
        assert caught.value.reason == "empty-topic-answered"
