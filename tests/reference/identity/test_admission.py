from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.craft.identity.contract_wallet import ContractWallet
from conformance.craft.identity.installation import Installation
from conformance.craft.identity.update import Inbox, identity_envelope
from conformance.craft.identity.wallet import Wallet
from conformance.pb import backend_pb2 as pb
from conformance.pb.association_pb2 import IdentityUpdate
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.failure import Code, Failure
from conformance.target.chain.answers import ClosedSocket, Garbage, HttpStatus, Result, RpcError
from conformance.target.chain.stub import ChainStub
from tests.reference.harness import InProcess, fresh_group, group_message, ids, publish, read_all, running, welcome
from tests.reference.identity.calls import IDU, SIG, TOO_LARGE, code, draw, refusal, take, topic


@pytest.fixture(scope="module")
def chain() -> Iterator[ChainStub]:
    with ChainStub() as stub:
        yield stub


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory, chain: ChainStub) -> Iterator[Backend]:
    limits = {"max_identity_entries": 4, "max_scw_signatures": 2}
    timers = {"publish_ms": 1500}
    folder = tmp_path_factory.mktemp("identity")
    with running(folder, chains={chain.name: chain.url}, limits=limits, timers=timers) as made:
        yield made


@pytest.fixture(scope="module")
def call(backend: Backend) -> InProcess:
    return InProcess(backend)


def new_inbox() -> Inbox:
    return Inbox(Wallet.drawn(draw()))


def device() -> Installation:
    return Installation.drawn(draw())


def stored(call: InProcess, inbox: Inbox) -> list[int]:
    return read_all(call, topic(inbox.id))


@pytest.mark.parametrize("inbox_id", ["", "ab" * 31, "ab" * 33, "xy" * 32, "ab " * 21 + "a", "\uff41\uff42" * 32])
def test_an_inbox_id_that_makes_no_topic_is_malformed(call: InProcess, inbox_id: str) -> None:
    inbox = new_inbox()
    update = inbox.create()
    update.inbox_id = inbox_id
    group_id, _ = fresh_group()
    assert refusal(call, group_message(group_id), update) == (1, 1)


def test_of_all_kinds_the_lowest_failing_index_is_reported(call: InProcess) -> None:
    forged = new_inbox().create(device())
    forged.actions[1].add.new_member_signature.installation_key.bytes = bytes(64)
    unruly = new_inbox().add(device())
    broken = pb.ClientEnvelope(group_message=pb.GroupMessage(data=b"?"))
    good = new_inbox().create()
    assert refusal(call, good, forged, broken, unruly) == (SIG, 1)
    assert refusal(call, good, unruly, broken, forged) == (IDU, 1)
    assert refusal(call, good, broken, unruly, forged) == (1, 1)
    assert read_all(call, topic(good.inbox_id)) == []


def test_a_log_that_is_full_takes_only_what_it_has(call: InProcess) -> None:
    inbox = new_inbox()
    updates = [inbox.create(), *[inbox.add(device()) for _ in range(3)]]
    metas = [take(call, update)[0] for update in updates]
    assert refusal(call, inbox.add(device())) == (IDU, 0)
    assert [take(call, update)[0] for update in updates] == metas
    assert stored(call, inbox) == ids(metas)


def test_two_updates_of_one_inbox_are_refused_at_the_second_unless_one_is_a_duplicate(call: InProcess) -> None:
    inbox, other = new_inbox(), new_inbox()
    first, second = inbox.create(), inbox.add(device())
    assert refusal(call, other.create(), first, second) == (IDU, 2)
    metas = take(call, first, first)
    assert metas[0] == metas[1]
    assert take(call, first, second, second, first)[0] == metas[0]
    assert take(call, second, inbox.add(device()))[1].cursor.sequence_id == stored(call, inbox)[-1]
    assert len(stored(call, inbox)) == 3


def test_too_many_contract_signatures_are_too_large_before_any_chain_is_asked(
    call: InProcess, chain: ChainStub
) -> None:
    wallet = ContractWallet.drawn(draw())
    inbox = Inbox(wallet)
    calls = chain.total_calls
    assert refusal(call, new_inbox().create(), inbox.create(device(), device())) == (TOO_LARGE, 1)
    assert chain.total_calls == calls
    take(call, inbox.create(device()))


OUTAGES = {
    "HTTP 500": HttpStatus(status=500),
    "HTTP 404": HttpStatus(status=404),
    "a closed socket": ClosedSocket(),
    "no JSON": Garbage(),
    "a list": Garbage(body=b"[]"),
    "nesting": Garbage(body=b"[" * 100_000),
    "internal error": RpcError(code=-32603),
    "rate limit": RpcError(code=-32005),
    "a node without its state": RpcError(code=-32000, message="missing trie node"),
    "a number": Result(value=1),
    "null": Result(value=None),
}


@pytest.mark.parametrize("outage", OUTAGES)
@pytest.mark.parametrize("methods", [["eth_call"], ["eth_getBlockByNumber"]], ids=["at the call", "at the block"])
def test_a_chain_out_of_order_is_no_verdict_and_the_update_can_be_sent_again(
    call: InProcess, chain: ChainStub, outage: str, methods: list[str]
) -> None:
    inbox = Inbox(ContractWallet.drawn(draw()))
    update = inbox.create()
    rule = chain.fails(OUTAGES[outage], methods=methods)
    try:
        assert code(call, update) == Code.UNAVAILABLE
        assert stored(call, inbox) == []
    finally:
        chain.drop(rule)
    take(call, update)


def test_a_chain_that_says_no_or_reverts_gives_a_verdict(call: InProcess, chain: ChainStub) -> None:
    for answer in (RpcError(code=3, message="execution reverted"), Result(value="0x"), Result(value="0x00")):
        rule = chain.fails(answer, methods=["eth_call"])
        try:
            assert refusal(call, Inbox(ContractWallet.drawn(draw())).create()) == (SIG, 0)
        finally:
            chain.drop(rule)


def test_a_chain_that_hangs_or_is_unknown_is_unavailable(call: InProcess, chain: ChainStub) -> None:
    hanging = ContractWallet.drawn(draw())
    with chain.holding(account=hanging.wallet.address):
        assert code(call, Inbox(hanging).create()) == Code.UNAVAILABLE
    unknown = ContractWallet(wallet=Wallet.drawn(draw()), chain_id=999)
    assert code(call, Inbox(unknown).create()) == Code.UNAVAILABLE


def test_a_node_that_sends_a_byte_now_and_then_is_cut_off(tmp_path: Path) -> None:
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def dribble() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                try:
                    while not ended.wait(0.02):
                        connection.sendall(b"H")
                except OSError:
                    ended.set()

        thread = threading.Thread(target=dribble)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with running(tmp_path, chains={"eip155:31337": url}, timers={"publish_ms": 300}) as backend:
            assert code(InProcess(backend), Inbox(ContractWallet.drawn(draw())).create()) == Code.UNAVAILABLE
        assert ended.wait(10), "the connection stayed open"
        thread.join()


@pytest.mark.parametrize(("block", "taken"), [(1000, True), (1, True), (1001, False), (2**64 - 1, False)])
def test_a_block_must_exist(call: InProcess, block: int, taken: bool) -> None:
    inbox = Inbox(ContractWallet.drawn(draw(), block_number=block))
    if taken:
        take(call, inbox.create())
    else:
        assert refusal(call, inbox.create()) == (SIG, 0)


def test_a_block_must_not_be_older_than_half_an_hour_when_admitted_but_may_become_so(tmp_path: Path) -> None:
    with ChainStub(head=2000) as chain, running(tmp_path, chains={chain.name: chain.url}) as backend:
        call = InProcess(backend)
        assert refusal(call, Inbox(ContractWallet.drawn(draw(), block_number=199)).create()) == (SIG, 0)
        inbox = Inbox(ContractWallet.drawn(draw(), block_number=200))
        take(call, inbox.create())
        chain.move_head(9000)
        inbox.owner = ContractWallet(wallet=inbox.owner.wallet, block_number=9000)  # type: ignore[attr-defined]
        take(call, inbox.add(device()))


def test_a_history_that_grows_while_a_chain_is_asked_aborts_the_request(
    call: InProcess, backend: Backend, chain: ChainStub
) -> None:
    wallet = ContractWallet.drawn(draw())
    inbox, rest = Inbox(wallet), Wallet.drawn(draw())
    take(call, inbox.update(inbox.creation(), inbox.addition(rest)))
    slow, quick = inbox.add(device()), inbox.add(device(), by=rest)
    before = stored(call, inbox)
    key = os.urandom(32)
    with ThreadPoolExecutor(2) as pool, chain.holding(account=wallet.wallet.address) as hold:
        late = pool.submit(publish, call, welcome(key), identity_envelope(slow))
        twin = pool.submit(publish, call, identity_envelope(slow))
        assert hold.wait_until_reached(5)
        (meta,) = take(call, quick)
        hold.release()
        for waiting in (late, twin):
            with pytest.raises(Failure) as caught:
                waiting.result()
            assert caught.value.code == Code.ABORTED
    assert stored(call, inbox) == [*before, meta.cursor.sequence_id]
    assert read_all(call, b"\1" + key) == []
    with backend.database.read() as connection:
        assert connection.execute("SELECT COUNT(*) FROM open_range").fetchone() == (0,)


def test_equal_updates_at_once_are_one_update_for_all(call: InProcess) -> None:
    for _ in range(10):
        inbox = new_inbox()
        update = inbox.create(device())
        with ThreadPoolExecutor(8) as pool:
            metas = list(pool.map(lambda _, update=update: take(call, update)[0], range(8)))  # type: ignore[misc]  # the default binds the loop's value
        assert all(meta == metas[0] for meta in metas)
        assert stored(call, inbox) == [metas[0].cursor.sequence_id]


@settings(deadline=None, max_examples=50)
@given(st.permutations(["stray", "action", "member", "signature"]), st.integers(6, 900))
def test_unknown_fields_are_dropped_wherever_they_stand(call: InProcess, order: list[str], number: int) -> None:
    inbox = new_inbox()
    update = inbox.create(device())
    spoilt = IdentityUpdate.FromString(update.SerializeToString())
    stray = bytes([number << 3 & 0x7F | 0x80, number >> 4]) + b"\7"
    places = {
        "stray": spoilt,
        "action": spoilt.actions[1],
        "member": spoilt.actions[1].add.new_member_identifier,
        "signature": spoilt.actions[1].add.new_member_signature,
    }
    for place in order[: 1 + number % 4]:
        places[place].MergeFromString(stray)
    assert spoilt.SerializeToString() != update.SerializeToString()
    (meta,) = take(call, spoilt)
    assert take(call, update) == [meta]
