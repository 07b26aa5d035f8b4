"""Catch-up is shared fairly: a simulated pump over real turns, judged frame by frame."""

from __future__ import annotations

import random

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from conformance.reference.backend.streams.subscription import Registration, Turn
from conformance.reference.backend.streams.turns import Turns


class Model:
    """Registrations with rows still owed, and what each frame brought them."""

    def __init__(self, seed: int) -> None:
        self.turns = Turns()
        self.random = random.Random(seed)  # noqa: S311 - a plan, not a secret
        self.owed: dict[Registration, int] = {}  # rows to deliver
        self.history: dict[Registration, int] = {}  # of those, at or below the target
        self.frames: dict[Registration, int] = {}  # Messages frames of history so far
        self.beside: dict[Registration, list[Registration]] = {}  # those that counted at its first frame

    def register(self, rows: int) -> None:
        registration = Registration(bytes([len(self.owed)]), 0)
        self.owed[registration] = self.history[registration] = rows
        self.frames[registration] = 0
        self.turns.begin(registration, has_rows=rows > 0)

    def live(self) -> list[Registration]:
        return [registration for registration in self.owed if registration.turn is not Turn.REMOVED]

    def counting(self) -> list[Registration]:
        return [registration for registration in self.live() if self.history[registration] > 0]

    def arrive(self, registration: Registration) -> None:
        self.owed[registration] += 1
        self.turns.wake(registration)

    def frame(self, room: int, per_turn: int) -> None:
        """Fill one frame from a view, and judge it against what counted when it began (API-261)."""
        counted = self.counting()
        self.turns.look()
        shown = dict(self.owed)
        brought: list[Registration] = []
        while room > 0 and (taken := self.turns.take(starts_frame=not brought)) is not None:
            if self.random.random() < 0.3:
                self.arrive(self.random.choice(self.live()))
            if self.random.random() < 0.1:
                taken.turn = Turn.REMOVED
                self.turns.end(taken, served=False, more=False)
                continue
            count = min(room, per_turn, shown[taken])
            if count and self.history[taken]:
                brought.append(taken)
            shown[taken] -= count
            self.owed[taken] -= count
            self.history[taken] = max(0, self.history[taken] - count)
            room -= count
            self.turns.end(taken, served=count > 0, more=shown[taken] > 0)
        assert len(set(brought)) == len(brought), "a frame serves a registration once"
        for registration in brought:
            if self.frames[registration] == 1:
                waiting = [
                    other
                    for other in self.beside[registration]
                    if other in counted and other.turn is not Turn.REMOVED and self.frames[other] == 0
                ]
                assert not waiting, "a second frame before the first of another"
        for registration in brought:
            if self.frames[registration] == 0:
                self.beside[registration] = counted
            self.frames[registration] += 1


@given(
    st.lists(st.integers(0, 12), min_size=2, max_size=6),
    st.lists(st.sampled_from(["frame", "frame", "frame", "join", "arrive", "remove"]), max_size=30),
    st.integers(1, 6),
    st.integers(1, 6),
    st.integers(0, 2**32),
)
def test_no_registration_gets_a_second_frame_before_every_other_has_had_one(
    rows: list[int], steps: list[str], room: int, per_turn: int, seed: int
) -> None:
    model = Model(seed)
    for count in rows:
        model.register(count)
    for step in steps:
        live = model.live()
        if step == "frame":
            model.frame(room, per_turn)
        elif step == "join":
            model.register(model.random.randint(0, 12))
        elif step == "arrive" and live:
            model.arrive(model.random.choice(live))
        elif step == "remove" and live:
            model.random.choice(live).turn = Turn.REMOVED
    while model.turns:
        model.frame(room, per_turn)
    assert not [registration for registration in model.live() if model.owed[registration]], "all is delivered"
    event(f"several frames: {sum(frames > 1 for frames in model.frames.values()) > 1}")


def test_a_row_that_found_no_room_keeps_its_place() -> None:
    turns, (first, second) = Turns(), (Registration(bytes([n]), 0) for n in range(2))
    for registration in (first, second):
        turns.begin(registration, has_rows=True)
    turns.look()
    assert turns.take(starts_frame=True) is first
    turns.end(first, served=False, more=True)
    turns.look()
    assert turns.take(starts_frame=True) is first


@pytest.mark.parametrize("woken", [True, False])
def test_a_registration_is_silent_until_it_is_acknowledged(woken: bool) -> None:
    turns, registration = Turns(), Registration(b"t", 0)
    if woken:
        turns.wake(registration)
    assert not turns
    turns.begin(registration, has_rows=False)
    assert bool(turns) == woken
