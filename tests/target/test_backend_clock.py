from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from conformance.pb import backend_pb2
from conformance.target.answers import Published
from conformance.target.backend_clock import BackendClock, set_clock
from conformance.target.deployment import Deployment
from conformance.target.errors import Undecided
from conformance.target.pool import Pool
from conformance.target.source import Source
from conformance.wire import methods
from conformance.wire.transcript import Call, Code, Status

SECOND_NS = 1_000_000_000


def receipt(server_ns: int) -> Published:
    """Make the answer to a publish that was answered a second ago."""
    response = backend_pb2.PublishResponse(envelope_metas=[backend_pb2.EnvelopeMeta(server_ns=server_ns)])
    call = Call(
        number=1,
        endpoint="127.0.0.1:1",
        method=methods.PUBLISH,
        request=b"",
        response=response.SerializeToString(),
        status=Status(code=Code.OK),
        ended_ns=time.monotonic_ns() - SECOND_NS,
    )
    return Published(call=call, sent=1)


@pytest.mark.parametrize("days", [0, -300, 300])
def test_the_clock_of_a_backend_goes_on_from_its_receipt_wherever_it_stands(days: int) -> None:
    shown = time.time_ns() + days * 86_400 * SECOND_NS
    clock = BackendClock(receipt(shown))
    assert SECOND_NS <= clock.now_ns() - shown < 60 * SECOND_NS
    assert clock.now_s() == clock.now_ns() // SECOND_NS


@pytest.mark.parametrize("unit", [1, 1000, 1_000_000])
def test_a_receipt_that_tells_no_time_of_these_years_leaves_this_machines_clock(unit: int) -> None:
    clock = BackendClock(receipt(time.time_ns() // SECOND_NS * unit))
    assert abs(clock.now_ns() - time.time_ns()) < 60 * SECOND_NS


def test_waiting_ends_when_the_instant_is_reached_and_never_begins_when_it_is_far() -> None:
    clock = BackendClock(receipt(time.time_ns() - 50 * SECOND_NS))
    instant = clock.now_ns() / SECOND_NS + 0.2
    clock.wait_until(instant, patience_s=5)
    assert clock.now_ns() >= instant * SECOND_NS
    clock.wait_until(instant - 100, patience_s=0)
    began = time.monotonic()
    with pytest.raises(Undecided, match="more than 5 s"):
        clock.wait_until(instant + 50, patience_s=5)
    assert time.monotonic() - began < 1


def test_a_case_that_took_too_long_is_undecided() -> None:
    clock = BackendClock(receipt(time.time_ns()))
    clock.must_be_before(clock.now_s() + 60)
    for late in (-10, 0, 1):
        with pytest.raises(Undecided, match="too slow"):
            clock.must_be_before(clock.now_s() + late)


def test_the_middle_of_a_second_is_far_from_both_of_its_ends() -> None:
    clock = BackendClock(receipt(time.time_ns() + 123_456_789))
    second = clock.mid_second()
    assert 0.25 < clock.now_ns() / SECOND_NS - second < 0.95


def test_an_answer_that_is_no_receipt_tells_no_clock() -> None:
    answer = receipt(1)
    with pytest.raises(AssertionError):
        BackendClock(replace(answer, call=replace(answer.call, status=Status(code=Code.INTERNAL))))


def test_the_clock_of_a_deployment_is_moved_by_its_adapter(
    adapter_argv: Callable[..., list[str]], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with Pool(Source.program(adapter_argv("--log", str(log)))) as pool, pool.exclusive() as deployment:
        deployment.clock_offset(-1500)
    moves = [args for command, args in map(json.loads, log.read_text().splitlines()) if command == "clock"]
    assert moves == [{"deployment": "d1", "offset_ms": -1500}]


class Moved:
    """A deployment whose clock is ahead of this machine's by a day, and is moved by a share of what is asked for."""

    def __init__(self, share: float) -> None:
        self.share = share
        self.ahead_ns = 86_400 * SECOND_NS

    def clock_offset(self, milliseconds: int) -> None:
        self.ahead_ns += int(milliseconds * 1_000_000 * self.share)

    def publish(self) -> Published:
        answer = receipt(time.time_ns() + self.ahead_ns)
        return replace(answer, call=replace(answer.call, ended_ns=time.monotonic_ns()))


def test_a_clock_is_set_from_what_it_shows() -> None:
    deployment, wanted = Moved(1.0), time.time_ns() - 50 * 86_400 * SECOND_NS
    set_clock(cast("Deployment", deployment), wanted, deployment.publish)
    assert abs(BackendClock(deployment.publish()).now_ns() - wanted) < 60 * SECOND_NS


def test_a_clock_that_does_not_follow_its_control_decides_nothing() -> None:
    deployment = Moved(0.5)
    with pytest.raises(Undecided, match="was set"):
        set_clock(cast("Deployment", deployment), time.time_ns(), deployment.publish)
