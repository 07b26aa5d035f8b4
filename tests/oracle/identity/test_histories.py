"""Lawful histories are admitted step by step, and the model ends where their people say they are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.craft.identity.actions import AddMember, ChangeRecovery, ClaimHandle, CreateInbox, RevokeMember
from conformance.craft.identity.attempts import ATTEMPTS, Attempt, attempted
from conformance.craft.identity.handles_file import shipped_profile
from conformance.craft.identity.identifier import MemberId, MemberKind
from conformance.craft.identity.signed_text import shown_time
from conformance.craft.identity.signer import Signature
from conformance.craft.identity.strategies import MOVE_CLASSES, histories
from conformance.craft.identity.update import SECOND_NS, signed_update
from conformance.craft.identity.wallet import Wallet
from conformance.craft.identity.world import MOVES, Move, Step, World
from conformance.oracle.identity.directory import Directory
from conformance.oracle.identity.judge import IdentityUpdate, replay
from conformance.oracle.identity.reading import read
from conformance.oracle.identity.signed_text import signed_text
from conformance.oracle.identity.verdict import Refused
from tests.oracle.identity.people import admitted, honest_chain, identifier

OPENING = Move(kind="open", whom=1)
seeds = st.integers(0, (1 << 32) - 1)


@dataclass(frozen=True, kw_only=True)
class Told:
    """A history that was played: the world after it, what is stored, and the updates of each inbox."""

    world: World
    directory: Directory
    steps: list[Step]

    def of(self, inbox_id: str) -> list[IdentityUpdate]:
        return [step.update for step in self.steps if step.inbox_id == inbox_id]


def play(seed: int, moves: list[Move]) -> Told:
    """Play moves, and hold the model against the world's own books after each."""
    told = Told(world=World(Draw(seed, b"history"), contracts=1), directory=Directory(), steps=[])
    for move in [OPENING, *moves]:
        step = told.world.play(move)
        told.steps.append(step)
        admitted(told.directory.judge(step.update, chain=honest_chain))
        state = told.directory.store(step.update, sequence_id=10 * len(told.steps))
        assert set(state.members) == set(map(identifier, told.world.members(step.inbox_id)))
        assert state.recovery == identifier(told.world.recovery(step.inbox_id))
    return told


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seeds, histories())
def test_a_lawful_history_is_admitted_and_resolves_as_its_people_remember(seed: int, moves: list[Move]) -> None:
    told = play(seed, moves)
    for person in told.world.people:
        assert told.directory.inbox_of(identifier(person)) == told.world.inbox_of(person)
    for inbox_id in told.world.inbox_ids:
        assert replay(told.of(inbox_id)) == told.directory.state(inbox_id)
        for member in told.world.members(inbox_id):
            if member.kind is MemberKind.INSTALLATION:
                assert told.directory.inbox_of(identifier(member)) is None


def test_every_kind_of_move_is_a_class_that_a_history_can_reach() -> None:
    assert {name for kind in MOVES for name in Move(kind=kind).classes} == set(MOVE_CLASSES)
    for kind in MOVES:
        play(3, [Move(kind="add-person", whom=2), Move(kind=kind, who=1, whom=1)])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seeds, histories(most=5), st.integers(0, (1 << 64) - 1), st.text(max_size=8))
def test_both_writers_of_the_signed_text_write_the_same(
    seed: int, moves: list[Move], client_timestamp_ns: int, handle: str
) -> None:
    heard: list[str] = []
    wallet = Wallet(b"\x11" * 32)

    class Listener:
        identifier = wallet.identifier

        def sign(self, text: str) -> Signature:
            heard.append(text)
            return wallet.sign(text)

    profile = shipped_profile()
    spoken = [
        CreateInbox(owner=wallet.identifier, by=Listener()),
        *(AddMember(member=member, by=Listener(), new=wallet) for member in people_and_devices(seed, moves)),
        *(RevokeMember(member=member, by=Listener()) for member in people_and_devices(seed, moves)),
        ChangeRecovery(to=wallet.identifier, by=Listener()),
        ClaimHandle(handle=handle, by=Listener(), profile=profile),
    ]
    update = signed_update("ab" * 32, client_timestamp_ns, *spoken)
    reading = read(update, profile)
    assert reading.actions is not None
    assert set(heard) == {signed_text(update.inbox_id, client_timestamp_ns, reading.actions, profile)}


def test_both_writers_show_the_same_time_around_every_new_year_and_leap_day() -> None:
    for year in range(1678, 2262):
        march = date(year, 3, 1)
        for day in (date(year, 1, 1), march - timedelta(days=1), march, date(year, 12, 31)):
            for second in (0, 1, 86_399):
                days = (day - date(1970, 1, 1)).days
                time_ns = ((days * 86_400 + second) * SECOND_NS) % (1 << 64)
                told = signed_text("ab" * 32, time_ns, ()).splitlines()[3]
                assert told == f"Current time: {shown_time(time_ns)}"


def people_and_devices(seed: int, moves: list[Move]) -> list[MemberId]:
    world = World(Draw(seed, b"text"))
    members = {member for move in [OPENING, *moves] for member in world.members(world.play(move).inbox_id)}
    return sorted(members, key=lambda member: member.text)


@pytest.mark.parametrize("seed", range(3))
def test_most_attempts_of_each_kind_are_forbidden(seed: int) -> None:
    draw = Draw(seed, bytes([seed]))
    world, directory, steps = World(draw), Directory(), list[Step]()
    refused: Counter[str] = Counter()
    numbers = [[draw.random.randrange(13) for _ in range(3)] for _ in range(len(MOVES) + 8 * len(ATTEMPTS))]
    for number, (inbox, who, whom) in enumerate(numbers):
        if number < len(MOVES):
            steps.append(world.play(Move(kind=MOVES[number], inbox=inbox, who=who, whom=whom)))
            directory.store(steps[-1].update, sequence_id=number + 1)
        else:
            kind = ATTEMPTS[number % len(ATTEMPTS)]
            tried = attempted(world, draw, Attempt(kind=kind, inbox=inbox, who=who, whom=whom), steps)
            refused[kind] += isinstance(directory.judge(tried.update), Refused)
    assert all(refused[kind] >= 4 for kind in ATTEMPTS), refused
    assert refused["again"] == refused["open-again"] == refused["forged"] == refused["elsewhere"] == 8
