"""API-254: a publish that commits late, under an id that others have passed, reaches every stream in its place."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from conformance.craft.draw import Draw
from conformance.suite import covers
from conformance.suite.api.s5_subscribe.kinds import STATIC, SUBSCRIBE, registered
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.target.errors import Undecided
from conformance.target.holding import held_publish
from conformance.target.pool import Pool
from conformance.target.streams import Stream

# How long a gap is kept open, in seconds: longer than a wait that somebody may find long enough, and well under the
# limit for a publish.
OPEN_S = 1.3
GLANCE_S = 0.1


def open_gap(pool: Pool, draw: Draw, *about: str) -> None:
    """Keep a publish unfinished beside others, and judge streams of both kinds begun before and while it is so."""
    with pool.exclusive() as deployment, ExitStack() as streams:
        node = deployment.node()
        traffic = Traffic(node, draw)
        topic, other = traffic.stocked(2), traffic.topic()
        late, later, beside = (traffic.envelopes(each, 2) for each in (topic, topic, other))
        opened: list[Stream] = [streams.enter_context(kind.open(node, topic, other)) for kind in (SUBSCRIBE, STATIC)]
        with held_publish(deployment, *late) as held:
            above = traffic.publish_one_by_one(beside)
            opened += [streams.enter_context(kind.begin(node, topic, other)) for kind in (SUBSCRIBE, STATIC)]
            opened[0].watch(OPEN_S)
            waiting = held.beside(lambda: node.publish(*later))
            opened[0].watch(GLANCE_S)
        for answer in (held.answer, waiting):
            traffic.add(answer.result())
        if max(meta.sequence_id for meta in held.answer.result().metas) > above[-1].sequence_id:
            raise Undecided("The publish that was held had no lower id than the one confirmed beside it.")
        for stream in opened:
            registered(stream)
        traffic.arrive([other, topic], *opened)
        for stream in opened:
            traffic.judge(stream, *about)


@covers("API-254.c", "API-203.a")
@pytest.mark.usefixtures("unhurried")
def test_a_late_commit_is_delivered_in_its_place(pool: Pool, draw: Draw) -> None:
    """API-254.c, API-203.a: envelopes of an unfinished publish come to every stream, before later ones of the topic."""
    open_gap(pool, draw, "API-254.c", "API-252.d")
