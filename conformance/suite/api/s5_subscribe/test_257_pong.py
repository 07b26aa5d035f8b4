"""API-257: the backend's Ping wants its Pong, the right one and in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial

import pytest

from conformance.craft.draw import Draw
from conformance.craft.topics import group_topic
from conformance.oracle.frames import Known, judge
from conformance.suite import covers
from conformance.suite.api.s5_subscribe.endings import ended, lives, reproduced
from conformance.suite.api.s5_subscribe.kinds import STATIC, SUBSCRIBE
from conformance.suite.api.s5_subscribe.silence import waited_for_pong
from conformance.target.node import Node
from conformance.target.streams import Subscription
from conformance.wire.transcript import Code

CYCLES = 5
OTHER_HALF = 1 << 32


def _wrong_nonces(stream: Subscription) -> None:
    nonce = stream.pinged().nonce
    for wrong in {0, nonce - 1 if nonce else 1, nonce ^ 1, nonce ^ OTHER_HALF, nonce ^ (1 << 63)} - {nonce}:
        stream.pong(wrong)


def _other_frames(stream: Subscription) -> None:
    nonce = stream.pinged().nonce
    stream.update()
    stream.ping(nonce)


def _earlier_nonce(stream: Subscription) -> None:
    nonce = stream.pinged().nonce
    stream.pong(nonce)
    if stream.pinged(2).nonce != nonce:
        stream.pong(nonce)


# What clients do instead of answering the Ping.
WITHOUT_A_PONG: Mapping[str, Callable[[Subscription], object]] = {
    "silence": Subscription.pinged,
    "wrong nonces": _wrong_nonces,
    "other frames": _other_frames,
    "the nonce of an earlier Ping": _earlier_nonce,
}


@covers("API-257.a")
@pytest.mark.usefixtures("unhurried")
def test_a_ping_without_its_own_pong_ends_the_stream(quick_timers: Node, draw: Draw, pong_wait_s: float) -> None:
    """API-257.a: nothing but a Pong with the nonce of the open Ping keeps a stream from ending DEADLINE_EXCEEDED."""
    assert pong_wait_s > 0
    with STATIC.open(quick_timers, group_topic(draw.group_id())) as beside, ExitStack() as stack:
        streams = {name: stack.enter_context(quick_timers.subscribe(answer_pings=False)) for name in WITHOUT_A_PONG}
        for name, behave in WITHOUT_A_PONG.items():
            behave(streams[name])
        for stream in streams.values():
            ended(stream, beside, Code.DEADLINE_EXCEEDED)
            judge(stream.call, Known(), "API-257")  # else it ended for a later Ping


@covers("API-257.a1")
@pytest.mark.usefixtures("unhurried")
def test_a_missed_pong_ends_the_stream_when_the_wait_is_over(
    quick_timers: Node, draw: Draw, pong_wait_s: float
) -> None:
    """API-257.a1: a Ping without a Pong ends its stream after the configured wait, neither before nor much later."""
    reproduced(partial(_ends_in_time, quick_timers, group_topic(draw.group_id()), pong_wait_s))


def _ends_in_time(node: Node, topic: bytes, pong_wait_s: float) -> None:
    with STATIC.open(node, topic) as beside, node.subscribe(answer_pings=False) as stream:
        stream.round_trip()
        stream.pinged()
        ended(stream, beside, Code.DEADLINE_EXCEEDED)
        waited_for_pong(stream.call, pong_wait_s)


@covers("API-257.b")
@pytest.mark.usefixtures("unhurried")
def test_a_stream_whose_pings_are_answered_goes_on(quick_timers: Node, draw: Draw) -> None:
    """API-257.b: with each Ping answered a stream outlasts every single wait for a Pong."""
    topics = group_topic(draw.group_id()), group_topic(draw.group_id())

    def goes_on() -> None:
        with STATIC.open(quick_timers, topics[0]) as beside, SUBSCRIBE.open(quick_timers, topics[1]) as stream:
            assert isinstance(stream, Subscription)
            lives(stream, beside, partial(stream.pinged, CYCLES))
            lives(stream, beside, stream.round_trip)

    reproduced(goes_on)
