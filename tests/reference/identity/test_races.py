from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

import pytest

from conformance.craft.identity.contract_wallet import ContractWallet
from conformance.craft.identity.installation import Installation
from conformance.craft.identity.update import Inbox
from conformance.craft.identity.wallet import Wallet
from conformance.pb.association_pb2 import IdentityUpdate
from conformance.target.chain.stub import ChainStub
from tests.reference.harness import AdapterProcess, OverWire, read_all
from tests.reference.identity.calls import ETHEREUM, HANDLE, PROFILE, draw, found, outcome, take, topic, verified

CLIENTS, ROUNDS = 8, 12
LOST = {"ABORTED", "REASON_INVALID_IDENTITY_UPDATE"}


@pytest.fixture(scope="module")
def wires(adapter: AdapterProcess) -> Iterator[Sequence[OverWire]]:
    """Clients over two endpoint processes of one deployment, in turn."""
    started = adapter.ok("start", endpoints=2)
    with ExitStack() as stack:
        yield [stack.enter_context(closing(OverWire(started["endpoints"][each % 2]))) for each in range(CLIENTS)]
    adapter.ok("stop", deployment=started["deployment"])


def raced(wires: Sequence[OverWire], updates: Sequence[IdentityUpdate]) -> list[str]:
    """Publish one update with each client, at once; how each ended."""
    barrier = threading.Barrier(len(updates))

    def go(wire: OverWire, update: IdentityUpdate) -> str:
        barrier.wait()
        return outcome(wire, update)

    with ThreadPoolExecutor(len(updates)) as pool:
        return list(pool.map(go, wires, updates))


def test_of_first_updates_of_one_inbox_one_is_stored(wires: Sequence[OverWire]) -> None:
    ends: Counter[str] = Counter()
    for _ in range(ROUNDS):
        inbox = Inbox(Wallet.drawn(draw()))
        outcomes = raced(wires, [inbox.create(Installation.drawn(draw())) for _ in wires])
        assert outcomes.count("OK") == 1
        assert set(outcomes) - {"OK"} <= LOST
        assert len(read_all(wires[0], topic(inbox.id))) == 1
        ends.update(outcomes)
    assert ends["ABORTED"], "no round was a race"


def test_of_conflicting_updates_one_is_stored_and_the_log_goes_on(wires: Sequence[OverWire]) -> None:
    for _ in range(ROUNDS):
        inbox = Inbox(Wallet.drawn(draw()))
        take(wires[0], inbox.create())
        heirs = [Wallet.drawn(draw()) for _ in wires]
        outcomes = raced(wires, [inbox.change_recovery(heir) for heir in heirs])
        assert outcomes.count("OK") == 1
        assert set(outcomes) - {"OK"} <= LOST
        winner = heirs[outcomes.index("OK")]
        take(wires[1], inbox.add(Installation.drawn(draw()), by=winner))
        assert len(read_all(wires[0], topic(inbox.id))) == 3


def test_equal_updates_all_succeed(wires: Sequence[OverWire]) -> None:
    for _ in range(ROUNDS):
        inbox = Inbox(Wallet.drawn(draw()))
        update = inbox.create()
        assert raced(wires, [update] * len(wires)) == ["OK"] * len(wires)
        assert len(read_all(wires[0], topic(inbox.id))) == 1


def test_an_update_sees_what_was_confirmed_at_the_other_endpoint(wires: Sequence[OverWire]) -> None:
    inbox = Inbox(Wallet.drawn(draw()))
    take(wires[0], inbox.create())
    adder = inbox.owner
    for step in range(40):
        member = Wallet.drawn(draw())
        take(wires[(step + 1) % 2], inbox.add(member, by=adder))
        adder = member


def test_of_claims_of_one_handle_one_is_stored(wires: Sequence[OverWire]) -> None:
    ends: Counter[str] = Counter()
    for _ in range(ROUNDS):
        inboxes = [Inbox(Wallet.drawn(draw())) for _ in wires]
        for wire, inbox in zip(wires, inboxes, strict=True):
            take(wire, inbox.create())
        handle = PROFILE.drawn(draw())
        outcomes = raced(wires, [inbox.claim(handle, PROFILE) for inbox in inboxes])
        assert outcomes.count("OK") == 1
        assert set(outcomes) == {"OK", "REASON_HANDLE_TAKEN"}
        assert found(wires[0], HANDLE, handle) == inboxes[outcomes.index("OK")].id
        assert sum(len(read_all(wires[1], topic(inbox.id))) for inbox in inboxes) == len(wires) + 1
        ends.update(outcomes)
    assert ends["OK"] == ROUNDS


def test_what_was_confirmed_survives_a_crash_and_other_settings(adapter: AdapterProcess) -> None:
    with ChainStub() as chain:
        started = adapter.ok("start", chains={chain.name: chain.url}, handles={"min_name_length": 2, "reserved": []})
        deployment = started["deployment"]
        wallet = ContractWallet.drawn(draw())
        inbox, handle = Inbox(wallet), PROFILE.drawn(draw(), length=12)
        with closing(OverWire(started["endpoints"][0])) as wire:
            take(wire, inbox.create())
            take(wire, inbox.claim(handle, PROFILE))
            (answer,) = verified(wire, (wallet.account_id, None, b"\1" * 32, wallet.wallet.sign_hash(b"\1" * 32)))
            assert (answer.is_valid, answer.block_number) == (True, chain.head)
        adapter.ok("kill", deployment=deployment, endpoint=0)
        adapter.ok("restart", deployment=deployment, endpoint=0, handles={"min_name_length": 13})
        adapter.ok("clock", deployment=deployment, offset_ms=7 * 86_400_000)
        with closing(OverWire(started["endpoints"][0])) as wire:
            assert found(wire, ETHEREUM, wallet.wallet.address) == inbox.id
            assert found(wire, HANDLE, handle) == inbox.id
            assert outcome(wire, inbox.claim(handle, PROFILE)) == "REASON_HANDLE_NOT_ALLOWED"
            take(wire, inbox.add(Installation.drawn(draw())))
        adapter.ok("restart", deployment=deployment, endpoint=0, chains={})
        with closing(OverWire(started["endpoints"][0])) as wire:
            assert outcome(wire, inbox.add(Installation.drawn(draw()))) == "UNAVAILABLE"
        adapter.ok("stop", deployment=deployment)
