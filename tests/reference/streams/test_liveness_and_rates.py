from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.reference.harness import fresh_group, group_message, publish
from tests.reference.streams.calls import Code, Endpoint, Static, Subscribe, endpoint, ping, pong, update

KEEPALIVE_S, PONG_S = 0.1, 0.5
LATE_S = 5.0  # what a busy machine may add


@pytest.fixture(scope="module")
def brief(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """An endpoint with short timers."""
    timers = {"keepalive_ms": int(KEEPALIVE_S * 1000), "pong_ms": int(PONG_S * 1000)}
    with endpoint(tmp_path_factory.mktemp("brief"), timers=timers) as served:
        yield served


def next_ping(stream: Subscribe) -> int:
    frame = stream.frame()
    assert frame.WhichOneof("response") == "ping", frame
    return frame.ping.nonce


def test_an_idle_stream_pings_and_a_stream_that_answers_stays_open(brief: Endpoint) -> None:
    stream = Subscribe(brief.wire)
    assert stream.interval_ms == KEEPALIVE_S * 1000
    began = time.monotonic()
    nonces = []
    for _ in range(6):
        nonces.append(next_ping(stream))
        stream.send(pong(nonces[-1]))
    assert time.monotonic() - began > 5 * KEEPALIVE_S
    assert nonces == [1, 2, 3, 4, 5, 6]
    stream.half_close()
    assert stream.end() == (Code.OK, [])


@pytest.mark.parametrize("noise", [(), (pong(0), pong(2), pong(2**64 - 1)), (update(1), ping(1))])
def test_a_missed_pong_ends_the_stream_after_one_ping_whatever_else_the_client_sends(
    brief: Endpoint, noise: tuple[bytes, ...]
) -> None:
    stream = Subscribe(brief.wire)
    assert next_ping(stream) == 1
    began = time.monotonic()
    stream.send(*noise)
    code, frames = stream.end()
    assert code == Code.DEADLINE_EXCEEDED
    assert PONG_S - 0.05 < time.monotonic() - began < PONG_S + LATE_S
    assert not [frame for frame in frames if frame.HasField("ping")]


def test_what_the_client_sends_is_no_sign_that_the_backend_lives(brief: Endpoint) -> None:
    stream = Subscribe(brief.wire)
    done = threading.Event()

    def chatter() -> None:
        while not done.wait(KEEPALIVE_S / 5):
            stream.send(pong(99))

    with ThreadPoolExecutor(1) as pool:
        pool.submit(chatter)
        try:
            assert next_ping(stream) == 1
        finally:
            done.set()
    stream.cancel()


def test_a_late_answer_of_a_stream_with_traffic_is_still_asked_for_once(brief: Endpoint) -> None:
    group_id, topic = fresh_group()
    stream = Subscribe(brief.wire)
    stream.update(1, {topic: 0})
    assert next_ping(stream) == 1
    began = time.monotonic()
    while time.monotonic() - began < PONG_S * 0.6:
        publish(brief.wire, group_message(group_id, str(time.monotonic_ns()).encode()))
        assert stream.frame().HasField("messages")
    stream.send(pong(1))
    assert next_ping(stream) == 2
    stream.cancel()


def test_an_idle_static_stream_sends_keepalives_past_the_pong_wait_and_then_delivers(brief: Endpoint) -> None:
    group_id, topic = fresh_group()
    stream = Static(brief.wire, {topic: 0})
    began = time.monotonic()
    for _ in range(6):
        assert stream.frame().WhichOneof("response") == "keepalive"
    assert time.monotonic() - began > max(5 * KEEPALIVE_S, PONG_S)
    publish(brief.wire, group_message(group_id))
    while not (frame := stream.frame()).HasField("messages"):
        assert frame.HasField("keepalive")
    stream.cancel()


@pytest.fixture(scope="module")
def slow_rates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """An endpoint that refills slowly, with bursts of three updates and two Pings."""
    limits = dict.fromkeys(["max_update_frames_per_second", "max_ping_frames_per_second"], 1)
    bursts = {"max_update_burst": 3, "max_ping_burst": 2}
    with endpoint(tmp_path_factory.mktemp("rates"), limits=limits | bursts) as served:
        yield served


def test_a_burst_is_answered_in_full_and_pongs_cost_nothing(slow_rates: Endpoint) -> None:
    stream = Subscribe(slow_rates.wire)
    stream.send(*[pong(n) for n in range(50)], *[update(n) for n in (1, 2, 3)], ping(1), ping(2), *[pong(1)] * 50)
    stream.half_close()
    code, frames = stream.end()
    assert code == Code.OK
    assert [frame.WhichOneof("response") for frame in frames] == ["applied"] * 3 + ["pong"] * 2


@pytest.mark.parametrize("flood", [[update(n) for n in range(1, 30)], [ping(n) for n in range(30)]])
def test_frames_past_the_bucket_end_their_stream_and_no_other(slow_rates: Endpoint, flood: list[bytes]) -> None:
    other, stream = Subscribe(slow_rates.wire), Subscribe(slow_rates.wire)
    stream.send(*flood)
    stream.half_close()
    code, frames = stream.end()
    assert code == Code.RESOURCE_EXHAUSTED
    assert len(frames) < 15
    assert other.update(1) == {}
    other.half_close()
    assert other.end()[0] == Code.OK
