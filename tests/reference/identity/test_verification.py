from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.craft.identity.contract_wallet import ContractWallet
from conformance.reference.backend.failure import Code, Failure
from conformance.target.chain.answers import HttpStatus, RpcError
from conformance.target.chain.stub import ChainStub
from tests.reference.harness import InProcess, running
from tests.reference.identity.calls import IDENTITY, draw, verified

DIGEST = b"\xd1" * 32
Question = tuple[str, int | None, bytes, bytes]


@pytest.fixture(scope="module")
def chain() -> Iterator[ChainStub]:
    with ChainStub() as stub:
        yield stub


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory, chain: ChainStub) -> Iterator[InProcess]:
    limits = {"max_scw_signatures": 5}
    timers = {"publish_ms": 1000}
    folder = tmp_path_factory.mktemp("verification")
    with running(folder, chains={chain.name: chain.url}, limits=limits, timers=timers) as backend:
        yield InProcess(backend)


def question(*, block: int | None = None, digest: bytes = DIGEST) -> Question:
    wallet = ContractWallet.drawn(draw())
    return wallet.account_id, block, digest, wallet.wallet.sign_hash(DIGEST)


def refused(call: InProcess, *asked: Question) -> int:
    with pytest.raises(Failure) as caught:
        verified(call, *asked)
    return caught.value.code


def test_each_signature_has_its_verdict_and_its_block(call: InProcess, chain: ChainStub) -> None:
    right, wrong = question(), question(digest=b"\xd2" * 32)
    answers = verified(call, right, wrong, (right[0], 7, DIGEST, right[3]), (right[0], 0, DIGEST, b""), right)
    assert [answer.is_valid for answer in answers] == [True, False, True, False, True]
    assert all(answer.HasField("block_number") for answer in answers)
    assert [answer.block_number for answer in answers] == [chain.head, chain.head, 7, 0, chain.head]
    assert verified(call) == []


def test_the_verdict_is_that_of_the_block(call: InProcess, chain: ChainStub) -> None:
    account, _, digest, signature = question()
    chain.says(False, account=account.rpartition(":")[2], block=5)
    answers = verified(call, (account, 4, digest, signature), (account, 5, digest, signature))
    assert [answer.is_valid for answer in answers] == [True, False]


@pytest.mark.parametrize(
    "account",
    ["", "eip155:31337", "0x" + "ab" * 20, "eip155:31337:0xab", "eip155:31337:" + "ab" * 20, "e:1:x", "a:b:c:d"],
)
def test_a_malformed_account_fails_the_request(call: InProcess, account: str) -> None:
    assert refused(call, question(), (account, None, DIGEST, b"s")) == Code.INVALID_ARGUMENT


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_hash_of_another_length_fails_the_request(call: InProcess, size: int) -> None:
    assert refused(call, question(), question(digest=bytes(size))) == Code.INVALID_ARGUMENT


def test_too_many_signatures_or_no_request_fail(call: InProcess) -> None:
    asked = question()
    assert len(verified(call, *[asked] * 5)) == 5
    assert refused(call, *[asked] * 6) == Code.INVALID_ARGUMENT
    with pytest.raises(Failure) as caught:
        call(IDENTITY + "VerifySmartContractWalletSignatures", b"\xff")
    assert caught.value.code == Code.INVALID_ARGUMENT


def test_one_verdict_that_cannot_be_had_fails_the_request(call: InProcess, chain: ChainStub) -> None:
    right, lost = question(), question()
    for how in (HttpStatus(status=500), RpcError(code=-32603)):
        rule = chain.fails(how, account=lost[0].rpartition(":")[2])
        assert refused(call, right, lost) == Code.UNAVAILABLE
        chain.drop(rule)
    with chain.holding(account=lost[0].rpartition(":")[2]):
        assert refused(call, right, lost) == Code.UNAVAILABLE
    for account in (
        "cosmos:cosmoshub-3:cosmos1t2uflqwqe0fsj0shcfkrvpukewcw40yjj6hdc0",
        "eip155:999:" + "0x" + "1" * 40,
    ):
        assert refused(call, right, (account, None, DIGEST, b"s")) == Code.UNAVAILABLE
