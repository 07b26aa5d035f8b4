from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any, cast

import pytest

from conformance.pb import backend_pb2
from conformance.plugin.target_clock import TargetClock
from conformance.target.limits import Limits
from conformance.target.node import Node
from conformance.wire.transcript import Call, Code, Status

HOUR_S = 3600


class Target:
    """A connection to a target that answers every publish with one receipt, or with a failure."""

    def __init__(self, ahead_s: int = 0, code: Code = Code.OK, *, local: bool = False) -> None:
        self.ahead_s, self.status = ahead_s, Status(code=code, local=local)
        self.calls = 0

    def unary(self, method: str, request: bytes, **_: object) -> Call:
        self.calls += 1
        server_ns = time.time_ns() + self.ahead_s * 1_000_000_000
        meta = backend_pb2.EnvelopeMeta(server_ns=server_ns)
        return Call(
            number=1,
            endpoint="",
            method=method,
            request=request,
            response=backend_pb2.PublishResponse(envelope_metas=[meta]).SerializeToString(),
            status=self.status,
            ended_ns=time.monotonic_ns(),
        )

    def node(self) -> Node:
        return Node(cast("Any", SimpleNamespace(unary=self.unary)), Limits())


@pytest.mark.parametrize("ahead_s", [0, -30 * HOUR_S, 30 * HOUR_S])
def test_the_clock_of_the_first_node_is_taken_over_and_looked_at_once(ahead_s: int) -> None:
    clock, target, other = TargetClock(b"salt"), Target(ahead_s), Target(5 * HOUR_S)
    nodes = [each.node() for each in (target, target, other)]
    assert [clock.watch(node) for node in nodes] == nodes
    assert (target.calls, other.calls) == (1, 0)
    assert abs(clock.now_s() - (time.time() + ahead_s)) < 60


@pytest.mark.parametrize(
    "target", [Target(HOUR_S, Code.INTERNAL), Target(HOUR_S, Code.DEADLINE_EXCEEDED, local=True)], ids=["code", "local"]
)
def test_a_target_that_tells_no_time_leaves_this_machines_clock(target: Target) -> None:
    clock = TargetClock(b"salt")
    clock.watch(target.node())
    assert abs(clock.now_s() - time.time()) < 60


def test_without_a_node_the_clock_is_this_machines() -> None:
    assert abs(TargetClock(b"salt").now_s() - time.time()) < 60
