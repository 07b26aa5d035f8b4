"""API-258: how many Updates and Pings a stream lets through, and that Pongs are free."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from conformance.craft.draw import Draw
from conformance.craft.topics import group_topic
from conformance.suite import covers
from conformance.suite.api.s5_subscribe.endings import lives, reproduced
from conformance.suite.api.s5_subscribe.kinds import STATIC
from conformance.suite.api.s5_subscribe.rates import BUCKETS, PINGS, UPDATES, Bucket, each_bucket, exceeded
from conformance.target.node import Node
from conformance.target.streams import Stream

# What a refill in steps may keep a client waiting beyond the time that fills its tokens, in seconds.
STEP_S = 1
WINDOW_S = 1.05
MANY = 10
NONCES = 1 << 64


@pytest.fixture
def beside(small: Node, draw: Draw) -> Iterator[Stream]:
    """A stream that no bucket can end."""
    with STATIC.open(small, group_topic(draw.group_id())) as stream:
        yield stream


@covers("API-258.a", "API-281.a")
@each_bucket
def test_a_fresh_stream_lets_its_burst_through_and_no_more(small: Node, beside: Stream, bucket: Bucket) -> None:
    """API-258.a: the published burst of Updates or Pings is answered; far more of them end RESOURCE_EXHAUSTED."""
    burst = bucket.burst(small.limits)
    with small.subscribe() as stream:
        lives(stream, beside, partial(bucket.spent, stream, burst))
    with small.subscribe() as stream:
        bucket.spend(stream, 2 * burst + 3 * bucket.rate(small.limits))
        exceeded(stream, bucket, small.limits, beside=beside)


@covers("API-258.b")
@pytest.mark.usefixtures("unhurried")
def test_a_spent_bucket_fills_up_at_its_rate(small: Node, beside: Stream) -> None:
    """API-258.b: after a burst, a second and the time of a step let through what the rate gives in a second.

    A burst more right behind the second that the first one began in is too much: no fixed seconds are counted.
    """
    limits = small.limits
    with small.subscribe() as patient, small.subscribe() as updating, small.subscribe() as pinging:
        hasty = {UPDATES: updating, PINGS: pinging}
        for bucket, stream in hasty.items():
            bucket.spent(stream, bucket.burst(limits))
            bucket.spent(patient, bucket.burst(limits))
        patient.watch(WINDOW_S)
        for bucket, stream in hasty.items():
            bucket.spend(stream, bucket.burst(limits))
        for bucket, stream in hasty.items():
            exceeded(stream, bucket, limits, beside=beside)
        patient.watch(1 + STEP_S - WINDOW_S)
        for bucket in hasty:
            count = min(bucket.rate(limits), bucket.burst(limits))
            lives(patient, beside, partial(bucket.spent, patient, count))


@covers("API-258.c")
@each_bucket
def test_each_bucket_of_each_stream_is_its_own(small: Node, beside: Stream, bucket: Bucket) -> None:
    """API-258.c: both bursts pass on one stream, and on a second one beside a stream that exceeds its own."""
    limits = small.limits
    with small.subscribe() as stream, small.subscribe() as other:
        for each in BUCKETS:
            lives(stream, beside, partial(each.spent, stream, each.burst(limits)))
        bucket.spend(stream, bucket.burst(limits) + 3 * bucket.rate(limits))
        exceeded(stream, bucket, limits, beside=beside)
        for each in reversed(BUCKETS):
            lives(other, beside, partial(each.spent, other, each.burst(limits)))


@covers("API-258.d")
def test_pongs_nobody_asked_for_are_free(small: Node, beside: Stream) -> None:
    """API-258.d: ten times the burst in Pongs ends no stream and leaves both buckets full."""
    with small.subscribe() as stream:
        for nonce in range(MANY * max(bucket.burst(small.limits) for bucket in BUCKETS)):
            stream.pong(nonce)
        for bucket in BUCKETS:
            lives(stream, beside, partial(bucket.spent, stream, bucket.burst(small.limits)))


@covers("API-258.d")
def test_pongs_that_answer_are_free(quick_timers: Node, draw: Draw) -> None:
    """API-258.d: a Ping answered with a flood of Pongs, the right one among them, leaves both buckets full."""

    def floods() -> None:
        with STATIC.open(quick_timers, group_topic(draw.group_id())) as beside, quick_timers.subscribe() as stream:
            asked = stream.pinged().nonce
            for nonce in range(MANY * max(bucket.burst(quick_timers.limits) for bucket in BUCKETS)):
                stream.pong((asked + nonce) % NONCES)
            for bucket in BUCKETS:
                lives(stream, beside, partial(bucket.spent, stream, bucket.burst(quick_timers.limits)))

    reproduced(floods)
