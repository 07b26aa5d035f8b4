from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import chain
from random import Random

import grpc
import pytest

from conformance.pb import backend_pb2 as pb
from tests.reference.harness import (
    AdapterProcess,
    OverWire,
    fresh_group,
    group_message,
    ids,
    page_ids,
    publish,
    query,
    read_all,
)

Pair = tuple[pb.ClientEnvelope, pb.ClientEnvelope]


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(24) as executor:
        yield executor


class Deployment:
    """Two endpoints over one store, and the controls on them."""

    def __init__(self, adapter: AdapterProcess) -> None:
        started = adapter.ok("start", endpoints=2)
        self.adapter = adapter
        self.name = started["deployment"]
        self.addresses: list[str] = started["endpoints"]
        self.one, self.two = (OverWire(address) for address in self.addresses)

    def store(self, action: str) -> dict[str, bool]:
        return self.adapter.ok("store", deployment=self.name, action=action)

    def wait_held(self) -> None:
        end = time.monotonic() + 10
        while not self.store("status")["held"]:
            assert time.monotonic() < end, "no publish was held"

    def restart_one(self) -> None:
        self.adapter.ok("restart", deployment=self.name, endpoint=0)
        self.one.close()
        self.one = OverWire(self.addresses[0])

    def close(self) -> None:
        self.one.close()
        self.two.close()
        self.adapter.ok("stop", deployment=self.name)


@pytest.fixture(scope="module")
def both(adapter: AdapterProcess) -> Iterator[Deployment]:
    with closing(Deployment(adapter)) as deployment:
        yield deployment


def test_racing_duplicates_in_opposite_order_are_stored_once(both: Deployment, pool: ThreadPoolExecutor) -> None:
    for _ in range(15):
        (a_id, a), (b_id, b) = fresh_group(), fresh_group()
        first, second = group_message(a_id, os.urandom(8)), group_message(b_id, os.urandom(8))
        barrier = threading.Barrier(8)

        def race(number: int, barrier: threading.Barrier = barrier, pair: Pair = (first, second)) -> list[int]:
            batch = pair if number % 2 else pair[::-1]
            wire = both.one if number % 4 < 2 else both.two
            barrier.wait()
            found = ids(publish(wire, *batch))
            return found if number % 2 else found[::-1]

        receipts = list(pool.map(race, range(8)))
        assert receipts == [receipts[0]] * 8
        for wire in (both.one, both.two):
            assert read_all(wire, a) + read_all(wire, b) == receipts[0]


def test_busy_writers_on_two_endpoints_never_fail_and_never_publish_behind_a_reader(
    both: Deployment, pool: ThreadPoolExecutor
) -> None:
    groups = [fresh_group() for _ in range(3)]
    repeated = [group_message(groups[n % 3][0], b"repeated" + bytes([n])) for n in range(30)]
    writing = threading.Event()
    writing.set()

    def write(number: int) -> dict[bytes, int]:
        random = Random(number)  # noqa: S311 - a plan, not a secret
        receipts: dict[bytes, int] = {}
        with closing(OverWire(both.addresses[number % 2])) as wire:
            for _ in range(12):
                batch = [
                    group_message(random.choice(groups)[0], random.randbytes(16), content_type=random.randint(1, 3))
                    for _ in range(random.randint(1, 4))
                ]
                batch += random.sample(repeated, random.randint(0, 4))
                random.shuffle(batch)
                for envelope, sequence_id in zip(batch, ids(publish(wire, *batch)), strict=True):
                    key = envelope.SerializeToString()
                    assert receipts.setdefault(key, sequence_id) == sequence_id
        return receipts

    def follow(number: int) -> dict[bytes, list[int]]:
        random = Random(number)  # noqa: S311 - a plan, not a secret
        seen: dict[bytes, list[int]] = {topic: [] for _, topic in groups}
        with closing(OverWire(both.addresses[number % 2])) as wire:
            more = True
            while more or writing.is_set():
                more = writing.is_set()
                for topic, found in seen.items():
                    page = query(wire, topic, cursor=found[-1] if found else 0, limit=random.randint(1, 5))
                    found.extend(page_ids(page))
                    more = more or page.continuation.has_more
        return seen

    followers = [pool.submit(follow, number) for number in range(2)]
    written = [task.result(60) for task in [pool.submit(write, number) for number in range(16)]]
    writing.clear()
    together: dict[bytes, int] = {}
    for receipts in written:
        for key, sequence_id in receipts.items():
            assert together.setdefault(key, sequence_id) == sequence_id
    assert len(set(together.values())) == len(together)
    stored = {topic: read_all(both.one, topic) for _, topic in groups}
    assert sorted(chain(*stored.values())) == sorted(together.values())
    for follower in followers:
        assert follower.result(30) == stored


def test_a_held_publish_keeps_its_range_open_across_processes(both: Deployment, pool: ThreadPoolExecutor) -> None:
    (group_id, topic), (other_id, other) = fresh_group(), fresh_group()
    assert both.store("hold") == {}
    held = pool.submit(publish, both.one, group_message(group_id, b"held"))
    both.wait_held()
    behind = pool.submit(publish, both.two, group_message(group_id, b"behind"))
    (passing,) = ids(publish(both.two, group_message(other_id)))
    assert read_all(both.one, other) == [passing]
    assert read_all(both.two, topic) == []
    assert not held.done()
    assert not behind.done()
    assert both.store("release") == {"held": True}
    (first,), (second,) = ids(held.result(20)), ids(behind.result(20))
    assert first < passing
    assert first < second
    assert read_all(both.one, topic) == read_all(both.two, topic) == [first, second]
    assert both.store("release") == {"held": False}


def test_a_killed_publish_frees_its_topic_for_the_other_endpoint(both: Deployment, pool: ThreadPoolExecutor) -> None:
    group_id, topic = fresh_group()
    both.store("hold")
    unseen = pool.submit(publish, both.one, group_message(fresh_group()[0]))
    both.wait_held()
    both.adapter.ok("kill", deployment=both.name, endpoint=0)
    with pytest.raises(grpc.RpcError):
        unseen.result(20)
    assert both.store("release") == {"held": False}
    both.restart_one()
    both.store("hold")
    doomed = pool.submit(publish, both.one, group_message(group_id, b"doomed"))
    both.wait_held()
    behind = pool.submit(publish, both.two, group_message(group_id, b"behind"))
    both.adapter.ok("kill", deployment=both.name, endpoint=0)
    with pytest.raises(grpc.RpcError):
        doomed.result(20)
    stored = ids(behind.result(20))
    assert read_all(both.two, topic) == stored
    both.restart_one()
    retried = ids(publish(both.one, group_message(group_id, b"doomed")))
    assert retried > stored
    assert read_all(both.one, topic) == read_all(both.two, topic) == stored + retried
