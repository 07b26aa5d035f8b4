"""API-281: an orderly stop of the backend, as open streams and calls see it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.craft.draw import Draw
from conformance.oracle.violation import Violation
from conformance.suite import covers
from conformance.suite.api.s5_subscribe.kinds import STATIC, SUBSCRIBE
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.target.answers import Configured
from conformance.target.deployment import Deployment
from conformance.target.pool import Pool
from conformance.target.together import meanwhile
from conformance.wire.transcript import Code, Status

# how a call that meets a stop ends: by a status, or by a reset of its transport (V24)
LATE = (Code.UNAVAILABLE, Code.CANCELLED)


@pytest.fixture
def own(pool: Pool) -> Iterator[Deployment]:
    """A deployment that this case may stop."""
    with pool.exclusive() as deployment:
        yield deployment


def stopped(rpc: str, status: Status, *lawful: Code) -> None:
    """Judge what a stream or a call tells of a stop; what this side made up tells nothing."""
    if not status.local and status.code not in lawful:
        raise Violation("wrong-code", f"{rpc} ended {status.code.name} at an orderly stop.", witness={"as": status})


@covers("API-281.g")
def test_an_orderly_stop_ends_streams_and_calls_unavailable(own: Deployment, draw: Draw) -> None:
    """API-281.g: streams that are open at a stop end UNAVAILABLE, and a call that comes late is UNAVAILABLE at most."""
    node, caller = own.fresh_node(), own.fresh_node()
    traffic = Traffic(node, draw)
    topic, answers = traffic.stocked(3), list[Configured]()
    with STATIC.open(node, topic) as static, SUBSCRIBE.open(node, topic) as caught_up, node.subscribe() as bare:
        bare.round_trip()
        for stream in (static, caught_up):
            stream.until(topic, traffic.last_of(topic))
        meanwhile(lambda: answers.append(caller.configuration()), own.restart)
        for stream in (static, caught_up, bare):
            stopped(stream.call.rpc, stream.end(), Code.UNAVAILABLE)
    for answer in answers:
        stopped(answer.call.rpc, answer.status, Code.OK, *LATE)
