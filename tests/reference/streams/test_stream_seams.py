"""The seams of the streams take small overrides: each variant is a wrong backend, and what it does wrong shows."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.faults.backend.streams_acknowledgements import CursorTargets, NoApplied
from conformance.faults.backend.streams_delivery import Forgetful
from conformance.faults.backend.streams_endings import Deaf
from conformance.faults.backend.streams_fairness import OneByOne
from conformance.faults.backend.streams_pongs import AnyPong, OtherStatus
from conformance.faults.backend.streams_registrations import LaterCursors
from conformance.faults.backend.streams_static import Sorted
from conformance.faults.backend.streams_updates import ZeroIds
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.store import View
from conformance.reference.backend.streams.frames import MessagesFrame
from conformance.reference.backend.streams.pump import Pump
from conformance.reference.backend.streams.service import Streams
from conformance.reference.backend.streams.subscription import Registration
from tests.reference.harness import fresh_group, group_message, ids, publish
from tests.reference.streams.calls import Code, Endpoint, Ids, Static, Subscribe, endpoint, note, ping, pong, update

Trial = Callable[[Endpoint], bool]


class HistoryCap(Pump):
    def fill(self, view: View, registration: Registration, frame: MessagesFrame) -> bool:
        super().fill(view, registration, frame)
        return False


def until(stream: Subscribe, topic: bytes) -> Ids:
    """Read until an envelope on a topic comes; everything that came."""
    found: Ids = {}
    while topic not in found:
        note(found, stream.frame().messages.envelopes)
    return found


def accepts_zero(served: Endpoint) -> bool:
    stream = Subscribe(served.wire)
    stream.send(update(0))
    stream.half_close()
    return stream.end()[0] == Code.OK


def moves_a_registration(served: Endpoint) -> bool:
    group_id, topic = fresh_group()
    stream = Subscribe(served.wire)
    _, other = fresh_group()
    stream.update(1, {topic: 0, other: 0})
    stream.update(2, {topic: 2**62})
    publish(served.wire, group_message(group_id))
    publish(served.wire, group_message(other[1:]))
    return topic not in until(stream, other)


def misses_the_target(served: Endpoint) -> bool:
    group_id, topic = fresh_group()
    stored = ids(publish(served.wire, group_message(group_id)))
    return Subscribe(served.wire).update(1, {topic: 0}) != {topic: stored[0]}


def skips_an_acknowledgement(served: Endpoint) -> bool:
    stream = Subscribe(served.wire)
    stream.send(update(1), ping(1))
    return stream.frame().HasField("pong")


def stops_after_a_frame(served: Endpoint) -> bool:
    group_id, topic = fresh_group()
    publish(served.wire, *[group_message(group_id, os.urandom(4)) for _ in range(250)])
    _, other = fresh_group()
    stream = Subscribe(served.wire)
    stream.update(1, {other: 0})
    publish(served.wire, group_message(other[1:], b"the history has been noticed"))
    until(stream, other)
    stream.update(2, {topic: 0})
    stream.collect(100)
    publish(served.wire, group_message(other[1:], b"the history is over"))
    return topic not in until(stream, other)


def serves_one_after_the_other(served: Endpoint) -> bool:
    groups = [fresh_group() for _ in range(2)]
    for group_id, _ in groups:
        publish(served.wire, *[group_message(group_id, os.urandom(4)) for _ in range(300)])
    stream = Subscribe(served.wire)
    stream.update(1, {topic: 0 for _, topic in groups})
    found: Ids = {}
    for _ in range(2):
        note(found, stream.frame().messages.envelopes)
    return len(found) == 1


def takes_any_pong(served: Endpoint) -> bool:
    stream = Subscribe(served.wire)
    assert stream.frame().HasField("ping")
    stream.send(pong(77))
    return bool(stream.end()[1])


def ends_otherwise_without_a_pong(served: Endpoint) -> bool:
    return Subscribe(served.wire).end()[0] != Code.DEADLINE_EXCEEDED


def ends_a_half_close_badly(served: Endpoint) -> bool:
    stream = Subscribe(served.wire)
    assert stream.frame().HasField("ping")
    stream.half_close()
    return stream.end()[0] != Code.OK


def reorders_targets(served: Endpoint) -> bool:
    topics = [bytes([0, n]) + os.urandom(15) for n in (9, 5, 7)]
    return list(Static(served.wire, dict.fromkeys(topics, 0)).targets) != topics


def leaves_a_topic_asleep(served: Endpoint) -> bool:
    first, second, later = [fresh_group() for _ in range(3)]
    stream = Subscribe(served.wire)
    stream.update(1, {topic: 0 for _, topic in (first, second, later)})
    publish(served.wire, group_message(first[0]), group_message(second[0]))
    found = until(stream, first[1])
    publish(served.wire, group_message(later[0]))
    return second[1] not in found | until(stream, later[1])


VARIANTS: list[tuple[str, type, Trial]] = [
    ("checks_class", ZeroIds, accepts_zero),
    ("subscription_class", LaterCursors, moves_a_registration),
    ("targets_class", CursorTargets, misses_the_target),
    ("subscribe_class", NoApplied, skips_an_acknowledgement),
    ("pump_class", HistoryCap, stops_after_a_frame),
    ("turns_class", OneByOne, serves_one_after_the_other),
    ("challenge_class", AnyPong, takes_any_pong),
    ("subscribe_class", OtherStatus, ends_otherwise_without_a_pong),
    ("subscribe_class", Deaf, ends_a_half_close_badly),
    ("static_class", Sorted, reorders_targets),
    ("tail_class", Forgetful, leaves_a_topic_asleep),
]
TIMED = (takes_any_pong, ends_otherwise_without_a_pong, ends_a_half_close_badly)


@pytest.mark.parametrize(("seam", "part", "shows"), VARIANTS, ids=[part.__name__ for _, part, _ in VARIANTS])
def test_an_override_changes_what_it_names_and_the_clean_backend_does_not_show_it(
    tmp_path: Path, seam: str, part: type, shows: Trial
) -> None:
    streams = type("Variant", (Streams,), {seam: part})
    variant = type("Wrong", (Backend,), {"streams_class": streams})
    timers = {"keepalive_ms": 100, "pong_ms": 300} if shows in TIMED else {}
    for name, build in (("clean", Backend), ("wrong", variant)):
        (tmp_path / name).mkdir()
        with endpoint(tmp_path / name, build, timers=timers) as served:
            assert shows(served) == (build is variant)
