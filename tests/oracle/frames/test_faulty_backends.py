"""A simulated backend with one fault is caught, and blamed for nothing but what the fault brings about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from conformance.oracle.frames import findings
from conformance.pb import backend_pb2 as pb

Simulator = Any  # the class of the conftest beside this, which no test can import
Fault = dict[str, Callable[..., object]]


def unfair(self: Simulator) -> None:
    waiting = [each for each in self.open.values() if self.owed(each)]
    if waiting:
        one = self.random.choice(waiting[:1] + waiting)
        self.deliver([(one, self.owed(one))])


def serving(change: Callable[[Simulator, pb.SubscribeRequest], None]) -> Callable[[Simulator], None]:
    """Change what the backend holds around the next Update it serves."""

    def serve(self: Simulator) -> None:
        if self.unread and self.unread[0].HasField("update"):
            change(self, self.unread[0])
        type(self).__mro__[1].serve(self)  # type: ignore[attr-defined]  # the lawful one

    return serve


def moves_on_readding(self: Simulator, request: pb.SubscribeRequest) -> None:
    for query in request.update.adds:
        each = self.open.get(query.topic.topic)
        if each is not None:
            each.reached = query.cursor.sequence_id


def starts_anew_on_readding(self: Simulator, request: pb.SubscribeRequest) -> None:
    for query in request.update.adds:
        self.open.pop(query.topic.topic, None)


def forgets_removals(self: Simulator, request: pb.SubscribeRequest) -> None:
    del self, request.update.removes[:]


def delivers_before_applied(self: Simulator, request: pb.SubscribeRequest) -> None:
    for query in request.update.adds:
        ids = [i for i in self.out.stored[query.topic.topic] if i > query.cursor.sequence_id]
        if ids and query.topic.topic not in self.open:
            one = type("Early", (), {"topic": query.topic.topic, "target": 0, "turns": [], "reached": 0})
            self.deliver([(one, ids)])


def skips_a_row(self: Simulator) -> None:
    for each in self.open.values():
        ids = [i for i in self.out.stored[each.topic] if i > max(each.reached, each.target)]
        if ids and not self.owed(each):
            each.reached = ids[0]
    type(self).__mro__[1].live(self)  # type: ignore[attr-defined]  # the lawful one


def rewinds(self: Simulator) -> None:
    for each in self.open.values():
        each.reached = min(each.reached, each.cursor)
    type(self).__mro__[1].live(self)  # type: ignore[attr-defined]  # the lawful one


def pings_twice(self: Simulator) -> None:
    self.ping = None
    type(self).__mro__[1].back_ping(self)  # type: ignore[attr-defined]  # the lawful one


def sorted_targets(self: Simulator, request: pb.SubscribeRequest) -> None:
    """Registers in the order of the topics' names, whatever order they were added in."""
    del self
    adds = sorted(request.update.adds, key=lambda query: query.topic.topic)
    unsorted = pb.SubscribeRequest.FromString(request.SerializeToString())
    request.ClearField("update")
    request.update.id = unsorted.update.id
    request.update.adds.extend(adds)
    request.update.removes.extend(unsorted.update.removes)


FAULTS: dict[str, tuple[Fault, set[str]]] = {
    "unfair": ({"history": unfair}, {"starved"}),
    "moves on re-adding": (
        {"serve": serving(moves_on_readding)},
        {"hole", "repeated", "not-ascending", "at-or-below-cursor", "starved"},
    ),
    "starts anew on re-adding": (
        {"serve": serving(starts_anew_on_readding)},
        {"wrong-targets", "hole", "repeated", "not-ascending", "at-or-below-cursor", "starved"},
    ),
    "delivers before Applied": (
        {"serve": serving(delivers_before_applied)},
        {"before-applied"},
    ),
    "target is the head of all": ({"head": lambda self, _topic: self.next_id}, {"foreign-target", "unknown-target"}),
    "target is nothing": ({"head": lambda _self, _topic: 0}, {"stale-target"}),
    "skips a row": ({"live": skips_a_row}, {"hole"}),
    "rewinds": ({"live": rewinds}, {"repeated", "not-ascending", "hole", "starved"}),
    "pings twice": ({"back_ping": pings_twice}, {"second-ping"}),
}
# These change the request the client is said to have sent along with what the backend does: the record keeps the
# original, so they are made from a copy.
COPYING: dict[str, tuple[Callable[[Simulator, pb.SubscribeRequest], None], set[str]]] = {
    "forgets removals": (
        forgets_removals,
        {"after-removal", "before-applied", "wrong-targets", "starved", "hole", "at-or-below-cursor"},
    ),
    "sorts the targets": (sorted_targets, {"wrong-targets"}),
}


def copying(change: Callable[[Simulator, pb.SubscribeRequest], None]) -> Callable[[Simulator], None]:
    def serve(self: Simulator) -> None:
        if self.unread:
            self.unread[0] = pb.SubscribeRequest.FromString(self.unread[0].SerializeToString())
            if self.unread[0].HasField("update"):
                change(self, self.unread[0])
        type(self).__mro__[1].serve(self)  # type: ignore[attr-defined]  # the lawful one

    return serve


ALL = {**FAULTS, **{name: ({"serve": copying(change)}, expected) for name, (change, expected) in COPYING.items()}}


@pytest.mark.parametrize("name", ALL)
def test_a_fault_is_caught_and_blamed_for_its_own_deeds(simulator: Simulator, name: str) -> None:
    methods, expected = ALL[name]
    faulty = type("Faulty", (simulator,), methods)
    caught = Counter[str]()
    for seed in range(250):
        simulation = faulty(seed, static=False).run()
        reasons = {each.reason for each in findings(simulation.call, simulation.known)}
        assert reasons <= expected, f"seed {seed}: {reasons - expected}"
        caught.update(reasons)
    assert caught.total() >= 10, f"caught too rarely: {caught}"
    assert caught[max(expected, key=lambda reason: caught[reason])] >= 10
