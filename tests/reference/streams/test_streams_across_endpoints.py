"""Two endpoint processes over one store: what one commits, the streams of the other deliver."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from random import Random

import grpc
import pytest

from tests.reference.harness import AdapterProcess, OverWire, fresh_group, group_message, ids, publish, read_all
from tests.reference.streams.calls import Ids, Static, Subscribe, note, targets_of, update

PROMPT_S = 0.3


class Pair:
    """Two endpoints of one deployment."""

    def __init__(self, adapter: AdapterProcess) -> None:
        started = adapter.ok("start", endpoints=2)
        self.adapter = adapter
        self.name = started["deployment"]
        self.addresses: list[str] = started["endpoints"]
        self.wires = [OverWire(address) for address in self.addresses]

    def store(self, action: str) -> dict[str, bool]:
        return self.adapter.ok("store", deployment=self.name, action=action)

    def close(self) -> None:
        for wire in self.wires:
            wire.close()
        self.adapter.ok("stop", deployment=self.name)


@pytest.fixture(scope="module")
def pair(adapter: AdapterProcess) -> Iterator[Pair]:
    with closing(Pair(adapter)) as deployment:
        yield deployment


def test_a_publish_reaches_streams_of_both_endpoints_within_moments(pair: Pair) -> None:
    group_id, topic = fresh_group()
    publish(pair.wires[0], group_message(group_id, b"first"))
    streams = [Subscribe(wire) for wire in pair.wires]
    for stream in streams:
        stream.update(1, {topic: 0})
        stream.collect(1)
    waits = []
    for n in range(40):
        live = ids(publish(pair.wires[n % 2], group_message(group_id, os.urandom(8))))
        began = time.monotonic()
        assert [stream.collect(1) for stream in streams] == [{topic: live}] * 2
        waits.append(time.monotonic() - began)
    assert statistics.median(waits) < PROMPT_S
    for stream in streams:
        stream.cancel()


def test_a_gap_is_held_open_while_a_lower_id_is_being_stored_and_other_topics_flow(pair: Pair) -> None:
    (group_id, topic), (other_id, other) = fresh_group(), fresh_group()
    streams = [Subscribe(wire) for wire in pair.wires]
    for stream in streams:
        stream.update(1, {topic: 0, other: 0})
    with ThreadPoolExecutor(2) as pool:
        pair.store("hold")
        held = pool.submit(publish, pair.wires[0], group_message(group_id, b"held"))
        end = time.monotonic() + 10
        while not pair.store("status")["held"]:
            assert time.monotonic() < end
        behind = pool.submit(publish, pair.wires[1], group_message(group_id, b"behind"))
        passing = ids(publish(pair.wires[1], group_message(other_id)))
        for stream in streams:
            assert stream.collect(1) == {other: passing}
            assert stream.settle(1) == {}
        pair.store("release")
        both = ids(held.result(20)) + ids(behind.result(20))
    for stream in streams:
        assert stream.collect(2) == {topic: both}
        stream.cancel()


def test_a_publish_that_died_releases_its_gap(pair: Pair) -> None:
    group_id, topic = fresh_group()
    stream = Subscribe(pair.wires[1])
    stream.update(1, {topic: 0})
    with ThreadPoolExecutor(2) as pool:
        pair.store("hold")
        doomed = pool.submit(publish, pair.wires[0], group_message(group_id, b"doomed"))
        end = time.monotonic() + 10
        while not pair.store("status")["held"]:
            assert time.monotonic() < end
        behind = pool.submit(publish, pair.wires[1], group_message(group_id, b"behind"))
        pair.adapter.ok("kill", deployment=pair.name, endpoint=0)
        with pytest.raises(grpc.RpcError):
            doomed.result(20)
        live = ids(behind.result(20))
    assert stream.collect(1) == {topic: live}
    stream.cancel()
    pair.adapter.ok("restart", deployment=pair.name, endpoint=0)
    pair.wires[0].close()
    pair.wires[0] = OverWire(pair.addresses[0])


@dataclass(frozen=True, kw_only=True)
class Run:
    """What one registration delivered."""

    topic: bytes
    cursor: int
    target: int
    delivered: list[int]


def follow(address: str, topics: list[bytes], seed: int) -> list[Run]:
    """Add and remove topics at random while reading, and return every registration."""
    random = Random(seed)  # noqa: S311 - a plan, not a secret
    runs: list[Run] = []
    registered: Ids = {}
    with closing(OverWire(address)) as wire:
        stream = Subscribe(wire)
        for number in range(1, 40):
            changed = random.sample(topics, random.randint(1, 3))
            removes = [topic for topic in changed if topic in registered and random.random() < 0.5]
            adds = {topic: random.choice([0, 0, 5]) for topic in changed if topic not in removes}
            stream.send(update(number, adds, removes))
            while (frame := stream.frame()).HasField("messages"):
                note(registered, frame.messages.envelopes)
            for topic in removes:
                del registered[topic]
            targets = targets_of(frame.applied.added_targets)
            assert list(targets) == [topic for topic in adds if topic not in registered]
            for topic, target in targets.items():
                registered[topic] = []
                runs.append(Run(topic=topic, cursor=adds[topic], target=target, delivered=registered[topic]))
        stream.cancel()
    return runs


def write(address: str, groups: list[bytes], seed: int) -> None:
    random = Random(seed)  # noqa: S311 - a plan, not a secret
    with closing(OverWire(address)) as wire:
        for _ in range(30):
            publish(wire, *[group_message(random.choice(groups), random.randbytes(12)) for _ in range(3)])


def follow_static(address: str, topics: list[bytes], count: int) -> Ids:
    with closing(OverWire(address)) as wire:
        return Static(wire, dict.fromkeys(topics, 0)).collect(count)


def test_streams_that_come_and_go_under_racing_writers_miss_and_repeat_nothing(pair: Pair) -> None:
    """Each registration delivers a gapless run of the final order from its cursor on (API-252, API-253, API-254)."""
    groups = [fresh_group() for _ in range(4)]
    topics = [topic for _, topic in groups]
    with ThreadPoolExecutor(16) as pool:
        followers = [pool.submit(follow, pair.addresses[n % 2], topics, n) for n in range(4)]
        static = [pool.submit(follow_static, address, topics, 8 * 30 * 3) for address in pair.addresses]
        writers = [pool.submit(write, pair.addresses[n % 2], [group for group, _ in groups], n) for n in range(8)]
        for writer in writers:
            writer.result(60)
        stored = {topic: read_all(pair.wires[0], topic) for topic in topics}
        for run in chain(*[follower.result(60) for follower in followers]):
            eligible = [sequence_id for sequence_id in stored[run.topic] if sequence_id > run.cursor]
            assert run.delivered == eligible[: len(run.delivered)]
            assert run.target == 0 or run.target in stored[run.topic]
        for follower in static:
            assert follower.result(60) == stored
