"""Random histories against the suite's model of them: two sides that share no code."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.craft.identity.identifier import MemberKind
from conformance.craft.identity.strategies import histories
from conformance.craft.identity.world import Move, World
from conformance.oracle.identity.judge import judge_update, replay
from conformance.pb.association_pb2 import IdentityUpdate
from conformance.reference.backend.failure import PublishFailure
from conformance.target.chain.stub import ChainStub
from tests.reference.harness import InProcess, query, running
from tests.reference.identity.calls import ETHEREUM, IDU, PASSKEY, SIG, draw, found, take, topic

KINDS = {MemberKind.ETHEREUM: ETHEREUM, MemberKind.PASSKEY: PASSKEY}
Mutation = Callable[[IdentityUpdate, random.Random], IdentityUpdate]


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    with ChainStub() as chain:
        folder = tmp_path_factory.mktemp("histories")
        with running(folder, chains={chain.name: chain.url}) as backend:
            yield InProcess(backend)


@settings(deadline=None, max_examples=60)
@given(histories())
def test_lawful_histories_are_taken_and_lookups_follow_them(call: InProcess, moves: list[Move]) -> None:
    world = World(draw(), contracts=1)
    for move in moves:
        take(call, world.play(move).update)
    for person in world.people:
        assert found(call, KINDS[person.kind], person.text) == world.inbox_of(person)
    for inbox_id in world.inbox_ids:
        stored = [each.envelope.identity_update for each in query(call, topic(inbox_id), limit=1000).envelopes]
        state = replay(stored)
        assert state is not None
        assert len(state.members) == len(world.members(inbox_id))


def flipped(update: IdentityUpdate, choose: random.Random) -> IdentityUpdate:
    encoded = bytearray(update.SerializeToString())
    encoded[choose.randrange(len(encoded))] ^= 1 << choose.randrange(8)
    changed = IdentityUpdate.FromString(bytes(encoded))
    changed.DiscardUnknownFields()
    return changed


def reordered(update: IdentityUpdate, choose: random.Random) -> IdentityUpdate:
    changed = IdentityUpdate.FromString(update.SerializeToString())
    actions = list(update.actions)
    choose.shuffle(actions)
    del changed.actions[:]
    changed.actions.extend(actions[: choose.randint(1, len(actions))] + actions[: choose.randint(0, 1)])
    return changed


def retimed(update: IdentityUpdate, choose: random.Random) -> IdentityUpdate:
    changed = IdentityUpdate.FromString(update.SerializeToString())
    changed.client_timestamp_ns += choose.choice([1, 10**9, 2**63])
    return changed


MUTATIONS: list[Mutation] = [flipped, reordered, retimed, lambda update, _: update]


def test_spoilt_updates_end_as_the_model_says(call: InProcess) -> None:
    ends: Counter[int | None] = Counter()

    @settings(deadline=None, max_examples=200)
    @given(histories(most=5), st.sampled_from(MUTATIONS), st.integers(0), st.booleans())
    def agree(moves: list[Move], mutation: Mutation, seed: int, again: bool) -> None:
        # not drawn as it is needed: keys are new each time, and so are the lengths to choose from
        choose = random.Random(seed)  # noqa: S311 - choices of a test
        world, log = World(draw()), list[IdentityUpdate]()
        *before, last = moves
        for move in before:
            log.append(world.play(move).update)
            take(call, log[-1])
        try:
            spoilt = mutation(choose.choice(log) if again and log else world.play(last).update, choose)
        except DecodeError:
            return
        if spoilt in log:
            return
        verdict = judge_update(replay([each for each in log if each.inbox_id == spoilt.inbox_id.lower()]), spoilt)
        reason = ending(call, spoilt)
        assert verdict.allows(reason), (reason, verdict)
        ends[reason] += 1

    agree()
    assert set(ends) >= {None, IDU, SIG}, "the agreement is about too little"


def ending(call: InProcess, update: IdentityUpdate) -> int | None:
    """Publish; the reason of the refusal, None when it is taken."""
    try:
        take(call, update)
    except PublishFailure as failure:
        return int(failure.reason)
    return None
