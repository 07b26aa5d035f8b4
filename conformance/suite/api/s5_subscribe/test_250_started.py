"""API-250: Started is the first frame of a Subscribe stream, and the interval it announces is the one in use."""

from __future__ import annotations

from functools import partial

import pytest

from conformance.craft.draw import Draw
from conformance.oracle.frames import judge
from conformance.oracle.violation import Violation
from conformance.suite import Notes, covers
from conformance.suite.api.s5_subscribe.endings import reproduced
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.target.node import Node

ROUNDS = 3
# What a machine that is busy may add to a wait. Where nothing has to pass at all, less explains it.
SLACK_MS = 1000.0
SLACK_OF_NOTHING_MS = 100.0
EARLY = 0.9


@covers("API-250.a")
def test_started_comes_while_the_client_says_nothing(node: Node) -> None:
    """API-250.a: a stream on which the client sends no request frame begins with Started."""
    with node.subscribe() as stream:
        stream.started()
        judge(stream.call)
        stream.round_trip()
        judge(stream.call)


@covers("API-250.a")
@pytest.mark.parametrize("first", ["update", "ping"])
def test_started_comes_before_whatever_is_answered(node: Node, draw: Draw, first: str) -> None:
    """API-250.a: requests that are sent with the call itself are answered behind Started, and so are envelopes."""
    traffic = Traffic(node, draw)
    topic = traffic.stocked(3)
    with node.subscribe() as stream:
        if first == "ping":
            stream.ping()
        stream.add(topic)
        stream.until(topic, traffic.last_of(topic))
        stream.round_trip()
        traffic.judge(stream, "API-250.a")


@covers("API-250.b")
def test_the_announced_interval_is_the_one_in_use(quick_timers: Node, notes: Notes) -> None:
    """API-250.b: of the times a stream is idle, the shortest is no longer than twice what Started announces."""
    reproduced(partial(_pings_as_announced, quick_timers, notes))


def _pings_as_announced(node: Node, notes: Notes) -> None:
    idle_ms: list[float] = []
    with node.subscribe() as stream:
        announced_ms, since_ns = stream.started().interval_ms, stream.started().at_ns
        allowed_ms = 2 * announced_ms + (SLACK_MS if announced_ms else SLACK_OF_NOTHING_MS)
        while not idle_ms or (min(idle_ms) > allowed_ms and len(idle_ms) < ROUNDS):
            sign = stream.pinged(len(idle_ms) + 1)
            idle_ms.append((sign.at_ns - since_ns) / 1e6)
            since_ns = sign.at_ns
    witness = {"announced, in ms": announced_ms, "idle, in ms": idle_ms}
    if min(idle_ms) > allowed_ms:
        raise Violation("wrong-interval", "Pings come at another interval than Started announces.", witness=witness)
    if min(idle_ms) < EARLY * announced_ms:
        notes.add(f"Started announces {announced_ms} ms, and a Ping came after {min(idle_ms):.0f} ms.")


@covers("API-250.c")
def test_started_comes_once(node: Node, draw: Draw) -> None:
    """API-250.c: neither Updates of any kind nor Pings, envelopes and a half-close bring a second Started."""
    traffic = Traffic(node, draw)
    topic, other = traffic.stocked(3), traffic.topic()
    with node.subscribe() as stream:
        stream.add(topic)
        stream.until(topic, traffic.last_of(topic))
        stream.update(adds=[other], removes=[topic])
        stream.applied(stream.add())
        traffic.arrive([other], stream)
        stream.round_trip()
        stream.half_close()
        stream.end()
        traffic.judge(stream, "API-250.c")
