"""API-255: an idle stream shows that it lives, in its own way and no more often than it may."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial

import pytest

from conformance.craft.draw import Draw
from conformance.oracle.frames import Known, judge, silence_broken
from conformance.suite import Notes, covers
from conformance.suite.api.s5_subscribe.endings import lives, reproduced
from conformance.suite.api.s5_subscribe.kinds import STATIC, SUBSCRIBE
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.suite.api.s5_subscribe.silence import (
    SLACK_NS,
    chatters_until_asked,
    early_signs,
    interval_s,
    may_have_ended,
    nothing_but_signs,
    shows_that_it_lives,
)
from conformance.target.node import Node
from conformance.wire.transcript import Code

CYCLES = 4


@covers("API-255.a", "API-255.b")
def test_an_idle_stream_shows_that_it_lives(quick_timers: Node, draw: Draw, notes: Notes) -> None:
    """API-255.a, API-255.b: a sign of life comes on a stream that never had an envelope, and on one that was busy.

    So it is on both kinds. A sign that comes earlier, or beside other frames, is noted.
    """
    reproduced(partial(_idle_streams_show_it, Traffic(quick_timers, draw), notes))


def _idle_streams_show_it(traffic: Traffic, notes: Notes) -> None:
    node, empty, topic = traffic.node, traffic.topic(), traffic.stocked(3)
    with ExitStack() as stack:
        silent = [stack.enter_context(kind.open(node, empty)) for kind in (SUBSCRIBE, STATIC)]
        busy = [stack.enter_context(kind.open(node, topic)) for kind in (SUBSCRIBE, STATIC)]
        for _ in range(3):
            traffic.arrive([topic], *busy)
            busy[0].watch(interval_s(busy[0]) / 3)
        for stream in (*silent, *busy):
            shows_that_it_lives(stream, 1)
            for sentence in early_signs(stream.call):
                notes.add(sentence)


@covers("API-255.c")
@pytest.mark.usefixtures("unhurried")
def test_no_second_ping_comes_while_one_is_unanswered(quick_timers: Node) -> None:
    """API-255.c: for as long as a Ping has no Pong no other comes, in silence as well as between answers."""
    with quick_timers.subscribe(answer_pings=False) as silent, quick_timers.subscribe(answer_pings=False) as busy:
        for stream in (silent, busy):
            stream.pinged()
        for _ in range(2):
            busy.ping()
            silent.watch(1.5 * interval_s(silent))
        for stream in (silent, busy):
            stream.watch(0.0)
            may_have_ended(stream, Code.DEADLINE_EXCEEDED)
            judge(stream.call, Known(), "API-255.c")


@covers("API-255.d", "API-259.d")
@pytest.mark.usefixtures("unhurried")
def test_a_static_stream_lives_on_and_asks_nothing(quick_timers: Node, draw: Draw) -> None:
    """API-255.d, API-259.d: in a long silence a static stream gets Keepalives only, and goes on to deliver."""
    reproduced(partial(_static_streams_live_on, Traffic(quick_timers, draw)))


def _static_streams_live_on(traffic: Traffic) -> None:
    node, empty, stocked = traffic.node, traffic.topic(), traffic.stocked(3)
    with (
        SUBSCRIBE.open(node, traffic.topic()) as beside,
        STATIC.open(node, empty) as silent,
        STATIC.open(node, stocked) as caught_up,
    ):
        for stream in (silent, caught_up):
            lives(stream, beside, partial(shows_that_it_lives, stream, CYCLES))
        traffic.arrive([empty], silent)
        traffic.arrive([stocked], caught_up)
        for stream in (silent, caught_up):
            nothing_but_signs(stream.call)


@covers("API-255.e")
def test_pongs_do_not_put_the_ping_off(quick_timers: Node) -> None:
    """API-255.e: a client that sends what needs no answer, over and over, gets its Ping all the same."""
    reproduced(partial(_pinged_all_the_same, quick_timers))


def _pinged_all_the_same(node: Node) -> None:
    with node.subscribe() as stream:
        chatters_until_asked(stream)
        stream.pinged()
        silence_broken(stream.call, slack_ns=SLACK_NS)
