"""No lawful stream is ever found fault with, and every mutation of one is."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from typing import Protocol

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.oracle.frames import Known, findings, judge, notes
from conformance.oracle.violation import Violation
from conformance.pb import backend_pb2 as pb
from conformance.wire.transcript import Code, Status, StreamCall

seeds = st.integers(0, 1 << 32)


class Simulated(Protocol):
    static: bool
    steps: list[tuple[bool, object]]
    status: Status | None
    half_closed_at: int | None
    cancelled_at: int | None
    call: StreamCall
    known: Known


Simulate = Callable[..., Simulated]
Mutation = Callable[[Simulated], bool]


@given(seed=seeds, static=st.booleans())
@settings(max_examples=300, deadline=None)
def test_a_lawful_stream_is_not_found_fault_with(simulate: Simulate, seed: int, static: bool) -> None:
    simulation = simulate(seed, static=static)
    assert findings(simulation.call, simulation.known) == ()
    assert findings(simulation.call) == (), "to know less is never to find more"
    judge(simulation.call, simulation.known)
    assert isinstance(notes(simulation.call, simulation.known), tuple)


@given(seed=seeds, static=st.booleans(), cut=st.integers(0, 60))
@settings(max_examples=200, deadline=None)
def test_a_stream_is_lawful_at_every_moment(simulate: Simulate, seed: int, static: bool, cut: int) -> None:
    simulation = simulate(seed, static=static)
    del simulation.steps[cut:]
    simulation.status = simulation.half_closed_at = simulation.cancelled_at = None
    assert findings(simulation.call, simulation.known) == ()


def answers(simulation: Simulated, member: str) -> list[int]:
    return [
        place
        for place, (sent, message) in enumerate(simulation.steps)
        if not sent and message.WhichOneof("response") == member  # type: ignore[attr-defined]
    ]


def rows(simulation: Simulated) -> list[tuple[int, int]]:
    """Place and index of every envelope delivered."""
    return [
        (place, index)
        for place in answers(simulation, "messages")
        for index in range(len(simulation.steps[place][1].messages.envelopes))  # type: ignore[attr-defined]
    ]


def row(simulation: Simulated, at: tuple[int, int]) -> pb.ServerEnvelope:
    return simulation.steps[at[0]][1].messages.envelopes[at[1]]  # type: ignore[attr-defined,no-any-return]


def running(simulation: Simulated) -> None:
    simulation.status = simulation.cancelled_at = None


def without_started(simulation: Simulated) -> bool:
    places = answers(simulation, "started")
    if not places or len([1 for sent, _ in simulation.steps if not sent]) < 2:
        return False
    del simulation.steps[places[0]]
    return True


def started_again(simulation: Simulated) -> bool:
    places = answers(simulation, "started")
    if places:
        simulation.steps.append(simulation.steps[places[0]])
        running(simulation)
    return bool(places)


def applied_again(simulation: Simulated) -> bool:
    places = answers(simulation, "applied")
    if places:
        simulation.steps.append(simulation.steps[places[-1]])
        running(simulation)
    return bool(places)


def applied_left_out(simulation: Simulated) -> bool:
    places = answers(simulation, "applied")
    if len(places) < 2:
        return False
    del simulation.steps[places[-2]]
    return True


def applied_with_another_id(simulation: Simulated) -> bool:
    places = answers(simulation, "applied")
    if places:
        simulation.steps[places[-1]][1].applied.id += 1000  # type: ignore[attr-defined]
    return bool(places)


def a_target_left_out(simulation: Simulated) -> bool:
    return _retarget(simulation, lambda listed: listed.__delitem__(0), least=1)


def targets_in_another_order(simulation: Simulated) -> bool:
    return _retarget(simulation, lambda listed: listed.append(listed.pop(0)), least=2)


def a_strange_target_listed(simulation: Simulated) -> bool:
    return _retarget(simulation, lambda listed: listed.append(_target(b"\0" + bytes(16), 0)), least=0)


def a_target_nobody_stored(simulation: Simulated) -> bool:
    return _retarget(simulation, lambda listed: listed[0].__setattr__("through_sequence_id", 1 << 40), least=1)


def _target(topic: bytes, through: int) -> pb.CatchupTarget:
    return pb.CatchupTarget(topic=pb.Topic(topic=topic), through_sequence_id=through)


def _retarget(simulation: Simulated, change: Callable[[list[pb.CatchupTarget]], object], *, least: int) -> bool:
    for place in answers(simulation, "started" if simulation.static else "applied"):
        message = simulation.steps[place][1]
        listed = message.started.targets if simulation.static else message.applied.added_targets  # type: ignore[attr-defined]
        if len(listed) >= least:
            changed = [copy.deepcopy(each) for each in listed]
            change(changed)
            del listed[:]
            listed.extend(changed)
            return True
    return False


def a_row_left_out(simulation: Simulated) -> bool:
    """Take out a row behind which the same registration got another one."""
    applied = [*answers(simulation, "applied"), len(simulation.steps)]
    found = rows(simulation)
    for one in found:
        until = next(place for place in applied if place > one[0])
        for other in found:
            if one < other < (until, 0) and row(simulation, one).meta.topic == row(simulation, other).meta.topic:
                del simulation.steps[one[0]][1].messages.envelopes[one[1]]  # type: ignore[attr-defined]
                return True
    return False


def a_row_twice(simulation: Simulated) -> bool:
    found = rows(simulation)
    if found:
        frame = simulation.steps[found[-1][0]][1].messages  # type: ignore[attr-defined]
        frame.envelopes.append(frame.envelopes[found[-1][1]])
    return bool(found)


def two_rows_in_the_wrong_order(simulation: Simulated) -> bool:
    for place, index in rows(simulation):
        envelopes = simulation.steps[place][1].messages.envelopes  # type: ignore[attr-defined]
        if index and envelopes[index].meta.topic == envelopes[index - 1].meta.topic:
            first, second = copy.deepcopy(envelopes[index - 1]), copy.deepcopy(envelopes[index])
            envelopes[index - 1].CopyFrom(second)
            envelopes[index].CopyFrom(first)
            return True
    return False


def a_row_with_another_time(simulation: Simulated) -> bool:
    return _remeta(simulation, lambda meta: meta.__setattr__("server_ns", meta.server_ns + 1))


def a_row_without_its_hash(simulation: Simulated) -> bool:
    return _remeta(simulation, lambda meta: meta.ClearField("message_hash"))


def a_row_nobody_stored(simulation: Simulated) -> bool:
    return _remeta(simulation, lambda meta: meta.cursor.__setattr__("sequence_id", (1 << 63) - 1))


def _remeta(simulation: Simulated, change: Callable[[pb.EnvelopeMeta], object]) -> bool:
    found = rows(simulation)
    if found:
        change(row(simulation, found[-1]).meta)
    return bool(found)


def history_before_applied(simulation: Simulated) -> bool:
    """Let a Messages frame overtake the frame that opens its first registration."""
    opened = answers(simulation, "started" if simulation.static else "applied")
    found = rows(simulation)
    if not (found and opened) or (not simulation.static and found[0][0] < opened[0]):
        return False
    simulation.steps.insert(opened[0], simulation.steps.pop(found[0][0]))
    return True


def a_row_of_a_topic_nobody_asked_for(simulation: Simulated) -> bool:
    return _remeta(simulation, lambda meta: meta.topic.__setattr__("topic", b"\x04" + b"x" * 16))


def a_second_ping(simulation: Simulated) -> bool:
    places = answers(simulation, "ping")
    if places:
        simulation.steps.insert(places[0], simulation.steps[places[0]])
    return bool(places)


def a_pong_of_another_nonce(simulation: Simulated) -> bool:
    places = answers(simulation, "pong")
    if places:
        simulation.steps[places[0]][1].pong.nonce = 12345  # type: ignore[attr-defined]
    return bool(places)


def a_pong_twice(simulation: Simulated) -> bool:
    places = answers(simulation, "pong")
    if places:
        nonce = simulation.steps[places[-1]][1].pong.nonce  # type: ignore[attr-defined]
        asked = sum(sent and message.ping.nonce == nonce for sent, message in simulation.steps if sent)  # type: ignore[attr-defined]
        simulation.steps.extend([simulation.steps[places[-1]]] * (asked + 1))
    return bool(places)


def ended_ok_unasked(simulation: Simulated) -> bool:
    simulation.status, simulation.cancelled_at = Status(code=Code.OK), None
    simulation.half_closed_at = 1 if simulation.static else None
    return bool(answers(simulation, "started"))


def ended_with_a_strange_code(simulation: Simulated) -> bool:
    simulation.status, simulation.cancelled_at = Status(code=Code.UNKNOWN, message="oops"), None
    return True


def refused_for_nothing(simulation: Simulated) -> bool:
    simulation.status, simulation.cancelled_at = Status(code=Code.INVALID_ARGUMENT), None
    return True


MUTATIONS: dict[Mutation, set[str]] = {
    without_started: {"not-started-first"},
    started_again: {"started-twice"},
    applied_again: {"applied-twice"},
    applied_left_out: {"applied-missing"},
    applied_with_another_id: {"applied-unasked"},
    a_target_left_out: {"wrong-targets"},
    targets_in_another_order: {"wrong-targets"},
    a_strange_target_listed: {"wrong-targets"},
    a_target_nobody_stored: {"unknown-target"},
    a_row_left_out: {"hole"},
    a_row_twice: {"repeated"},
    two_rows_in_the_wrong_order: {"not-ascending", "hole"},
    a_row_with_another_time: {"changed-meta"},
    a_row_without_its_hash: {"incomplete-meta"},
    a_row_nobody_stored: {"unknown-envelope"},
    a_row_of_a_topic_nobody_asked_for: {"not-registered"},
    history_before_applied: {"before-applied", "after-removal", "not-registered"},
    a_second_ping: {"second-ping"},
    a_pong_of_another_nonce: {"wrong-nonce"},
    a_pong_twice: {"unasked-pong", "wrong-nonce"},
    ended_ok_unasked: {"ended-healthy"},
    ended_with_a_strange_code: {"wrong-code"},
    refused_for_nothing: {"refused-valid"},
}
ON_SUBSCRIBE_ONLY = {applied_again, applied_left_out, applied_with_another_id, a_second_ping}
ON_SUBSCRIBE_ONLY |= {a_pong_of_another_nonce, a_pong_twice}


@pytest.mark.parametrize("mutate", MUTATIONS, ids=lambda mutate: mutate.__name__)
@pytest.mark.parametrize("static", [False, True], ids=["Subscribe", "SubscribeStatic"])
def test_every_mutation_of_a_lawful_stream_is_found(simulate: Simulate, mutate: Mutation, static: bool) -> None:
    if static and mutate in ON_SUBSCRIBE_ONLY:
        return
    applied = Counter[bool]()
    for seed in range(100):
        simulation = simulate(seed, static=static)
        mutated = mutate(simulation)
        applied[mutated] += 1
        if mutated:
            reasons = {each.reason for each in findings(simulation.call, simulation.known)}
            assert reasons & MUTATIONS[mutate], f"seed {seed}: {reasons}"
            with pytest.raises(Violation):
                judge(simulation.call, simulation.known, *MUTATIONS[mutate])
    assert applied[True] >= 10, "the mutation has to fit some of the streams"
