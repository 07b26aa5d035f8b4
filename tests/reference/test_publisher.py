from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.reference.backend.backend import Backend
from conformance.reference.backend.clock import Clock
from conformance.reference.backend.failure import Code, Failure, PublishFailure
from tests.reference.harness import (
    InProcess,
    fresh_group,
    group_message,
    ids,
    page_ids,
    publish,
    query,
    read_all,
    running,
)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=6))
def test_every_distinct_envelope_is_stored_once_and_every_receipt_shows_it(
    call: InProcess, batches: list[list[int]]
) -> None:
    groups = [fresh_group() for _ in range(3)]
    known: dict[int, int] = {}
    highest = 0
    for batch in batches:
        metas = publish(call, *[group_message(groups[number % 3][0], bytes([number])) for number in batch])
        assert [meta.topic.topic for meta in metas] == [groups[number % 3][1] for number in batch]
        new = {number: meta for number, meta in zip(batch, metas, strict=True) if number not in known}
        assert len({meta.server_ns for meta in new.values()}) <= 1
        assert all(meta.cursor.sequence_id > highest for meta in new.values())
        known |= {number: meta.cursor.sequence_id for number, meta in new.items()}
        highest = max(known.values(), default=0)
        assert ids(metas) == [known[number] for number in batch]
    assert len(set(known.values())) == len(known)
    for place, (_, topic) in enumerate(groups):
        assert read_all(call, topic) == sorted(i for number, i in known.items() if number % 3 == place)


def test_a_failed_request_stores_nothing_and_its_good_part_is_stored_when_resent(call: InProcess) -> None:
    group_id, topic = fresh_group()
    good, bad = group_message(group_id), group_message(b"short")
    for batch in ([good, bad], [bad, good]):
        with pytest.raises(PublishFailure):
            publish(call, *batch)
    assert read_all(call, topic) == []
    assert read_all(call, topic) == [] != ids(publish(call, good))


def test_a_store_that_breaks_half_way_keeps_nothing_and_leaves_the_topic_usable(tmp_path: Path) -> None:
    class BrokenClock(Clock):
        broken = False

        def now_ns(self) -> int:
            if self.broken:
                raise ZeroDivisionError
            return super().now_ns()

    class Variant(Backend):
        clock_class = BrokenClock

    with running(tmp_path, Variant) as backend:
        call = InProcess(backend)
        group_id, topic = fresh_group()
        BrokenClock.broken = True
        with pytest.raises(ZeroDivisionError):
            publish(call, group_message(group_id))
        BrokenClock.broken = False
        assert read_all(call, topic) == []
        assert publish(call, group_message(group_id))


def test_ids_start_where_they_are_told_and_end_at_the_top_of_their_range(tmp_path: Path) -> None:
    with running(tmp_path, first_sequence_id=2**63 - 2) as backend:
        call = InProcess(backend)
        group_id, topic = fresh_group()
        with pytest.raises(Failure) as caught:
            publish(call, *[group_message(group_id, bytes([n])) for n in range(3)])
        assert caught.value.code == Code.INTERNAL
        assert ids(publish(call, group_message(group_id, b"\0"), group_message(group_id, b"\1"))) == [
            2**63 - 2,
            2**63 - 1,
        ]
        with pytest.raises(Failure):
            publish(call, group_message(group_id, b"\2"))
        assert page_ids(query(call, topic, cursor=2**63 - 2)) == [2**63 - 1]
        assert page_ids(query(call, topic, cursor=2**63 - 1)) == []


def test_an_answer_past_its_bound_fails_after_the_commit(tmp_path: Path) -> None:
    limits = {"max_envelope_bytes": 256, "max_response_bytes": 512}
    with running(tmp_path, limits=limits) as backend:
        call = InProcess(backend)
        group_id, topic = fresh_group()
        envelopes = [group_message(group_id, bytes([n])) for n in range(12)]
        with pytest.raises(Failure) as caught:
            publish(call, *envelopes)
        assert caught.value.code == Code.OUT_OF_RANGE
        stored: list[int] = []
        while len(stored) < 12:
            stored += page_ids(query(call, topic, cursor=stored[-1] if stored else 0, limit=1))
        assert ids(publish(call, random.choice(envelopes)))[0] in stored  # noqa: S311 - any of them will do
