"""What the tests of streams make of times and ends: a busy machine or a closing backend is blamed for nothing."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import TypeAlias, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.oracle.violation import Undecidable, Violation
from conformance.pb.backend_pb2 import Ping, Pong, SubscribeRequest, SubscribeResponse
from conformance.suite.api.s5_subscribe.endings import ForItsPong, ended, lives, reproduced
from conformance.suite.api.s5_subscribe.rates import PINGS, within_the_rate
from conformance.suite.api.s5_subscribe.silence import SLACK_S, early_signs, waited_for_pong
from conformance.target.errors import Undecided
from conformance.target.limits import Limits
from conformance.target.streams import Stream, Subscription
from conformance.wire.transcript import Code, Frame, Status, StreamCall

SECOND_NS = 1_000_000_000
Event: TypeAlias = tuple[float, bool, SubscribeRequest | SubscribeResponse]
LIMITS = Limits(max_ping_frames_per_second=2, max_ping_burst=3)


def call(frames: Iterable[Event], *, ended_s: float) -> StreamCall:
    """Record a stream: when a frame went or came, whether it was sent, and what it was."""
    recorded = tuple(
        Frame(sent=sent, at_ns=round(at_s * SECOND_NS), data=message.SerializeToString())
        for at_s, sent, message in frames
    )
    return StreamCall(
        number=1, endpoint="here", method="/a.B/Subscribe", frames=recorded, ended_ns=round(ended_s * SECOND_NS)
    )


def asked(nonce: int) -> SubscribeRequest:
    return SubscribeRequest(ping=Ping(nonce=nonce))


def told(nonce: int) -> SubscribeResponse:
    return SubscribeResponse(pong=Pong(nonce=nonce))


@given(
    arrivals=st.lists(st.floats(0.0, 5.0), max_size=20).map(sorted),
    delays=st.lists(st.tuples(st.floats(0.0, 2.0), st.floats(0.0, 2.0)), min_size=20, max_size=20),
)
def test_a_lawful_bucket_is_never_over_the_rate_however_slow_the_way(
    arrivals: list[float], delays: list[tuple[float, float]]
) -> None:
    tokens, last = 3.0, 0.0
    frames: list[Event] = []
    for nonce, (at_s, (before_s, behind_s)) in enumerate(zip(arrivals, delays, strict=False)):
        tokens, last = min(3.0, tokens + (at_s - last) * 2), at_s
        frames.append((at_s - before_s, True, asked(nonce)))
        if tokens >= 1:
            tokens -= 1
            frames.append((at_s + behind_s, False, told(nonce)))
    within_the_rate(call(sorted(frames, key=lambda frame: frame[0]), ended_s=9.0), PINGS, LIMITS)


def test_one_frame_more_than_there_can_have_been_tokens_is_over_the_rate() -> None:
    frames: list[Event] = [(0.0, True, asked(nonce)) for nonce in range(7)]
    frames += [(0.9, False, told(nonce)) for nonce in range(7)]
    with pytest.raises(Violation, match=r"7 Pings were answered within 0\.900 s"):
        within_the_rate(call(frames, ended_s=1.0), PINGS, LIMITS)


@pytest.mark.parametrize(
    ("ended_s", "reason"), [(1.89, "too-early"), (1.9, None), (2.4 + SLACK_S, None), (2.6 + SLACK_S, "too-late")]
)
def test_the_wait_for_a_pong_is_measured_between_what_is_sure(ended_s: float, reason: str | None) -> None:
    frames: list[Event] = [
        (1.0, True, asked(1)),
        (1.2, False, told(1)),
        (1.4, True, asked(2)),
        (1.6, False, SubscribeResponse(ping=Ping(nonce=7))),
    ]
    stream = call(frames, ended_s=ended_s)
    if reason is None:
        waited_for_pong(stream, 0.9)
    else:
        with pytest.raises(Violation) as found:
            waited_for_pong(stream, 0.9)
        assert found.value.reason == reason


def test_a_sign_of_life_before_its_time_is_noted() -> None:
    started = SubscribeResponse(started=SubscribeResponse.Started(keepalive_interval_ms=1000))
    ping = SubscribeResponse(ping=Ping(nonce=7))
    assert list(early_signs(call([(0.0, False, started), (1.0, False, ping)], ended_s=2.0))) == []
    assert len(list(early_signs(call([(0.0, False, started), (0.5, False, ping)], ended_s=2.0)))) == 1


class Ended(Subscription):
    """A stream that has ended, as far as a judgement looks."""

    def __init__(self, code: Code, *, local: bool = False) -> None:
        self._status = Status(code=code, local=local)

    @property
    def call(self) -> StreamCall:
        return StreamCall(number=1, endpoint="here", method="/a.B/Subscribe", status=self._status)

    def end(self) -> Status:
        return self._status


def neighbour(*, lives_on: bool) -> Stream:
    return cast(Stream, SimpleNamespace(watch=lambda _: lives_on))


def wait_in_vain() -> None:
    raise Undecided("ended before it came")


@pytest.mark.parametrize("code", [Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED])
def test_what_ends_every_stream_is_no_finding_about_one(code: Code) -> None:
    with pytest.raises(Violation):
        ended(Ended(code), neighbour(lives_on=True), Code.OK)
    with pytest.raises(Violation):
        lives(Ended(code), neighbour(lives_on=True), wait_in_vain)
    with pytest.raises(Undecidable):
        ended(Ended(code), neighbour(lives_on=False), Code.OK)
    with pytest.raises(Undecidable):
        lives(Ended(code), neighbour(lives_on=False), wait_in_vain)


def test_credentials_and_what_this_side_made_up_decide_nothing() -> None:
    with pytest.raises(Undecidable):
        ended(Ended(Code.PERMISSION_DENIED), neighbour(lives_on=True), Code.OK)
    with pytest.raises(Undecided):
        lives(Ended(Code.UNAVAILABLE, local=True), neighbour(lives_on=True), wait_in_vain)
    ended(Ended(Code.OK), neighbour(lives_on=False), Code.OK)


@pytest.mark.parametrize(
    ("codes", "attempts", "raised"),
    [
        ((Code.OK,), 1, None),
        ((Code.DEADLINE_EXCEEDED, Code.OK), 2, Undecidable),
        ((Code.DEADLINE_EXCEEDED,) * 3, 3, ForItsPong),
        ((Code.UNAVAILABLE,), 1, Violation),
    ],
)
def test_a_missed_pong_is_blamed_on_the_target_when_it_comes_again_every_time(
    codes: tuple[Code, ...], attempts: int, raised: type[BaseException] | None
) -> None:
    made: list[Code] = []

    def check() -> None:
        made.append(codes[len(made)])
        ended(Ended(made[-1]), neighbour(lives_on=True), Code.OK)

    if raised is None:
        reproduced(check)
    else:
        with pytest.raises(raised):
            reproduced(check)
    assert len(made) == attempts
