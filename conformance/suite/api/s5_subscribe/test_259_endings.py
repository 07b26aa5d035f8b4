"""API-259: a healthy stream ends when its client ends it, and then in order."""

from __future__ import annotations

from functools import partial

import pytest

from conformance.craft.draw import Draw
from conformance.suite import covers
from conformance.suite.api.s5_subscribe.endings import ended, lives, reproduced
from conformance.suite.api.s5_subscribe.kinds import STATIC, SUBSCRIBE
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.target.node import Node
from conformance.target.streams import Subscription
from conformance.wire.transcript import Code

CYCLES = 4
HISTORY = 300


@covers("API-259.a")
@pytest.mark.usefixtures("unhurried")
def test_a_stream_without_a_topic_stays_open(quick_timers: Node, draw: Draw) -> None:
    """API-259.a: a stream that has no topic yet, or none any more, outlasts many intervals and serves the next one."""
    traffic = Traffic(quick_timers, draw)
    gone, topic = traffic.topics(2)

    def goes_on() -> None:
        opened = quick_timers.subscribe(), quick_timers.subscribe()
        with STATIC.open(quick_timers, topic) as beside, opened[0] as never, opened[1] as no_longer:
            no_longer.add(gone)
            no_longer.remove(gone)
            for stream in (never, no_longer):
                lives(stream, beside, partial(stream.pinged, CYCLES))
                lives(stream, beside, partial(stream.applied, stream.add(topic)))
            traffic.arrive([topic], never, no_longer)

    reproduced(goes_on)


@covers("API-259.b")
@pytest.mark.parametrize("topics", [0, 1, 3], ids=["no-topic", "one-topic", "three-topics"])
def test_a_half_close_of_a_quiet_stream_ends_it_ok(node: Node, draw: Draw, topics: int) -> None:
    """API-259.b: a stream that is up to date, or has no topic, ends OK when its client ends the requests."""
    traffic = Traffic(node, draw)
    named = [traffic.stocked(2) for _ in range(topics)]
    with STATIC.open(node, traffic.topic()) as beside, SUBSCRIBE.open(node, *named) as stream:
        assert isinstance(stream, Subscription)
        traffic.arrive(named, stream)
        stream.half_close()
        ended(stream, beside, Code.OK)


@covers("API-259.b", "API-259.c")
def test_a_half_close_during_catch_up_ends_the_stream_ok(node: Node, draw: Draw) -> None:
    """API-259.b, API-259.c: with history left the stream ends OK as well, behind an unbroken part of it or all."""
    traffic = Traffic(node, draw)
    named = [traffic.stocked(HISTORY) for _ in range(2)]
    with STATIC.open(node, traffic.topic()) as beside, SUBSCRIBE.open(node, *named) as stream:
        assert isinstance(stream, Subscription)
        stream.half_close()
        ended(stream, beside, Code.OK)
        traffic.judge(stream, "API-254")


@covers("API-259.b")
def test_a_half_close_with_a_ping_open_ends_the_stream_ok(quick_timers: Node, draw: Draw) -> None:
    """API-259.b: a client that ends its requests owes no Pong: the stream ends OK, whether or not a Ping is open."""
    topic = Traffic(quick_timers, draw).topic()

    def ends() -> None:
        with STATIC.open(quick_timers, topic) as beside, quick_timers.subscribe(answer_pings=False) as stream:
            stream.pinged()
            stream.half_close()
            ended(stream, beside, Code.OK)

    reproduced(ends)


@covers("API-259.c")
def test_a_half_close_ends_a_busy_stream(node: Node, draw: Draw) -> None:
    """API-259.c: envelopes that go on arriving do not keep a stream whose client has ended its requests."""
    traffic = Traffic(node, draw)
    topic = traffic.stocked(1)
    with STATIC.open(node, traffic.topic()) as beside, SUBSCRIBE.open(node, topic) as stream:
        assert isinstance(stream, Subscription)
        stream.until(topic, traffic.last_of(topic))
        stream.half_close()
        traffic.publish_one_by_one(traffic.envelopes(topic, 5))
        ended(stream, beside, Code.OK)
        traffic.judge(stream, "API-254")
