from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from conformance.reference.backend.backend import Backend
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.ranges import Span
from tests.reference.harness import InProcess, fresh_group, group_message, ids, publish, read_all, running


def until(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    """Wait for a condition, or fail."""
    tick = threading.Event()
    for _ in range(int(seconds / 0.002)):
        if condition():
            return
        tick.wait(0.002)
    raise AssertionError("the condition did not come about in time")


@contextmanager
def aside() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


def open_range(backend: Backend, *topics: bytes, count: int = 1) -> Span:
    return backend.ranges.open(topics, count, Deadline(5, "the test"))


def open_lows(backend: Backend) -> list[int]:
    with backend.database.read() as connection:
        return [low for (low,) in connection.execute("SELECT low FROM open_range ORDER BY low")]


def boundary(backend: Backend) -> int:
    with backend.database.read() as connection:
        return backend.ranges.boundary(connection)


def test_an_open_range_stops_later_publishes_on_its_topics_only(tmp_path: Path) -> None:
    with running(tmp_path) as backend, aside() as pool:
        call = InProcess(backend)
        (group_id, topic), (other_id, other) = fresh_group(), fresh_group()
        span = open_range(backend, topic)
        waiting = pool.submit(publish, call, group_message(group_id), group_message(other_id, b"beside"))
        until(lambda: len(open_lows(backend)) > 1)
        assert ids(publish(call, group_message(fresh_group()[0])))[0] > span.low
        assert read_all(call, topic) == read_all(call, other) == []
        assert not waiting.done()
        backend.ranges.abandon(span)
        receipts = ids(waiting.result(10))
        assert read_all(call, topic) + read_all(call, other) == receipts


def test_a_publish_that_waits_too_long_gives_up_and_stores_nothing(tmp_path: Path) -> None:
    with running(tmp_path, timers={"publish_ms": 150}) as backend:
        call = InProcess(backend)
        group_id, topic = fresh_group()
        span = open_range(backend, topic)
        with pytest.raises(Failure) as caught:
            publish(call, group_message(group_id))
        assert caught.value.code == Code.DEADLINE_EXCEEDED
        backend.ranges.abandon(span)
        assert read_all(call, topic) == []
    with running(tmp_path) as patient:
        (stored,) = ids(publish(InProcess(patient), group_message(group_id)))
        assert stored > span.low
        assert boundary(patient) == stored


def test_the_boundary_stays_below_the_lowest_open_range_and_never_falls(tmp_path: Path) -> None:
    with running(tmp_path, first_sequence_id=100) as backend:
        assert boundary(backend) == 99
        first = open_range(backend, b"one", count=3)
        second = open_range(backend, b"two")
        assert [first.low, second.low] == [100, 103]
        assert boundary(backend) == 99
        backend.ranges.abandon(second)
        assert boundary(backend) == 99
        backend.ranges.abandon(first)
        assert boundary(backend) == 103
        third = open_range(backend, b"three")
        assert boundary(backend) == 103
    with running(tmp_path, first_sequence_id=1) as again:
        assert third.low == 104
        assert boundary(again) == 104
        assert open_range(again, b"four").low == 105


def test_the_range_of_a_dead_process_is_closed_and_of_a_living_one_is_not(tmp_path: Path) -> None:
    group_id, topic = fresh_group()
    with running(tmp_path) as survivor, aside() as pool:
        call = InProcess(survivor)
        dying = Backend(survivor.settings, tmp_path)
        span = open_range(dying, topic)
        survivor.ranges.close_dead(Deadline(5, "the test"))
        waiting = pool.submit(publish, call, group_message(group_id))
        until(lambda: len(open_lows(survivor)) > 1)
        assert read_all(call, topic) == []
        assert boundary(survivor) < span.low
        assert not waiting.done()
        dying.close()
        assert ids(waiting.result(10)) == [span.low + 1]
        assert read_all(call, topic) == [span.low + 1]
        assert boundary(survivor) == span.low + 1


def test_a_publish_whose_range_was_closed_for_dead_stores_nothing(tmp_path: Path) -> None:
    with running(tmp_path) as backend, aside() as pool:
        call = InProcess(backend)
        group_id, topic = fresh_group()
        backend.hold.arm()
        held = pool.submit(publish, call, group_message(group_id))
        until(backend.hold.is_holding)
        with backend.database.write(Deadline(5, "the test")) as connection:
            backend.ranges.remove(connection, [row[0] for row in connection.execute("SELECT low FROM open_range")])
        backend.hold.release()
        with pytest.raises(Failure) as caught:
            held.result(10)
        assert caught.value.code == Code.UNAVAILABLE
        assert read_all(call, topic) == []


def test_the_hold_stops_the_next_publish_until_its_release(tmp_path: Path) -> None:
    with running(tmp_path) as backend, aside() as pool:
        call = InProcess(backend)
        (group_id, topic), (other_id, other) = fresh_group(), fresh_group()
        assert not backend.hold.release()
        backend.hold.arm()
        assert not backend.hold.is_holding()
        held = pool.submit(publish, call, group_message(group_id, b"held"))
        until(backend.hold.is_holding)
        behind = pool.submit(publish, call, group_message(group_id, b"behind"))
        until(lambda: len(open_lows(backend)) > 1)
        (passing,) = ids(publish(call, group_message(other_id)))
        assert read_all(call, other) == [passing]
        assert read_all(call, topic) == []
        assert not held.done()
        assert not behind.done()
        assert backend.hold.release()
        (first,), (second,) = ids(held.result(10)), ids(behind.result(10))
        assert first < passing
        assert first < second
        assert read_all(call, topic) == [first, second]
        assert not backend.hold.release()


def test_a_hold_longer_than_the_publish_limit_is_reported_as_not_held(tmp_path: Path) -> None:
    with running(tmp_path, timers={"publish_ms": 100}) as backend:
        call = InProcess(backend)
        group_id, topic = fresh_group()
        backend.hold.arm()
        with pytest.raises(Failure) as caught:
            publish(call, group_message(group_id))
        assert caught.value.code == Code.DEADLINE_EXCEEDED
        assert not backend.hold.release()
        assert read_all(call, topic) == []
    with running(tmp_path) as patient:
        assert publish(InProcess(patient), group_message(group_id))
