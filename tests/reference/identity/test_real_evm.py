"""What the embedded backend and the chain stub call valid is so on a real chain, and what they call invalid is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from conformance.craft.identity.contract_wallet import abi_arguments, wrapped
from conformance.craft.identity.wallet import Wallet, with_other_s, with_small_v
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.identity.chain import Chains
from conformance.reference.backend.identity.contract_wallets import ContractWallets
from conformance.reference.backend.identity.wallet_program import MAGIC_VALUE, abi_bytes
from conformance.target.chain.call_data import Asked, Asks, asked_of
from conformance.target.chain.honest import honest
from conformance.target.chain.stub import LOCAL_CHAIN, ChainStub
from tests.reference.identity.real_evm import (
    FACTORY,
    REFUSING,
    REVERTING,
    SILENT,
    RealChain,
    creating,
    deployed_by,
    owned,
    real_chain,
)

pytestmark = pytest.mark.timeout(600)

DIGEST = b"\xd1" * 32
OWNER, STRANGER = Wallet(b"\x51" * 32), Wallet(b"\x52" * 32)
RIGHT, WRONG = OWNER.sign_hash(DIGEST), STRANGER.sign_hash(DIGEST)
PLAIN = bytes.fromhex(OWNER.address[2:])
WALLET = owned(PLAIN)


@dataclass(frozen=True, kw_only=True)
class Chain:
    """The real chain, and the contracts on it."""

    real: RealChain
    wallet: bytes
    factory: bytes
    others: dict[bytes, bytes]

    def wrapping(self, signature: bytes, *, code: bytes = WALLET) -> bytes:
        """Wrap a signature for the account that the factory would deploy with this code."""
        return wrapped(signature, factory=self.factory, call=creating(code))

    def future(self, *, code: bytes = WALLET) -> bytes:
        """Name that account."""
        return deployed_by(self.factory, creating(code))


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    with real_chain(tmp_path_factory.mktemp("real-evm")) as real:
        others = {code: real.deploy(code) for code in (REFUSING, SILENT, REVERTING)}
        yield Chain(real=real, wallet=real.deploy(WALLET), factory=real.deploy(FACTORY), others=others)


Case = tuple[bytes, bytes, bool]  # the account, the signature, and whether it is valid
CASES: dict[str, Callable[[Chain], Case]] = {
    "plain": lambda _: (PLAIN, RIGHT, True),
    "plain-other-s": lambda _: (PLAIN, with_other_s(RIGHT), True),
    "plain-wrapped": lambda _: (PLAIN, wrapped(RIGHT), False),
    "plain-of-a-stranger": lambda _: (PLAIN, WRONG, False),
    "plain-v-of-0-or-1": lambda _: (PLAIN, with_small_v(RIGHT), False),
    "plain-cut": lambda _: (PLAIN, RIGHT[:-1], False),
    "wallet": lambda chain: (chain.wallet, RIGHT, True),
    "wallet-other-s": lambda chain: (chain.wallet, with_other_s(RIGHT), True),
    "wallet-of-a-stranger": lambda chain: (chain.wallet, WRONG, False),
    "wallet-without-v": lambda chain: (chain.wallet, RIGHT[:-1] + b"\0", False),
    "wallet-wrapped": lambda chain: (chain.wallet, chain.wrapping(RIGHT), True),
    "wallet-wrapped-of-a-stranger": lambda chain: (chain.wallet, chain.wrapping(WRONG), False),
    "wallet-that-refuses": lambda chain: (chain.others[REFUSING], RIGHT, False),
    "wallet-that-is-silent": lambda chain: (chain.others[SILENT], RIGHT, False),
    "wallet-that-reverts": lambda chain: (chain.others[REVERTING], RIGHT, False),
    "future": lambda chain: (chain.future(), chain.wrapping(RIGHT), True),
    "future-of-a-stranger": lambda chain: (chain.future(), chain.wrapping(WRONG), False),
    "future-that-refuses": lambda chain: (chain.future(code=REFUSING), chain.wrapping(RIGHT, code=REFUSING), False),
    "future-not-wrapped": lambda chain: (chain.future(), RIGHT, False),
    "future-of-another-code": lambda chain: (chain.future(), chain.wrapping(RIGHT, code=owned(b"\x01" * 20)), False),
}
each_case = pytest.mark.parametrize("build", CASES.values(), ids=CASES)


def question(account: bytes, signature: bytes) -> bytes:
    """Encode the arguments of the validator."""
    return account.rjust(32, b"\0") + DIGEST + abi_bytes(96, signature)


@each_case
def test_the_validator_of_clients_finds_valid_what_is_called_valid_here(
    chain: Chain, build: Callable[[Chain], Case]
) -> None:
    account, signature, valid = build(chain)
    data = chain.real.validator + question(account, signature)
    found = chain.real.ask("eth_call", {"input": "0x" + data.hex()}, "latest")
    assert (found == "0x01") is valid, found
    assert isinstance(found, dict) or found in ("0x00", "0x01")


@each_case
def test_the_embedded_backend_comes_to_the_same_verdict(chain: Chain, build: Callable[[Chain], Case]) -> None:
    account, signature, valid = build(chain)
    wallets = ContractWallets(Chains({LOCAL_CHAIN: chain.real.url}))
    verdict = wallets.verdict(
        f"eip155:{LOCAL_CHAIN}:0x{account.hex()}", None, DIGEST, signature, deadline=Deadline(10, "the verdict")
    )
    assert verdict.is_valid is valid
    assert verdict.block_number == int(chain.real.ask("eth_blockNumber"), 16)
    assert not chain.real.has_code(chain.future()), "to judge deploys nothing"


@each_case
def test_the_stub_reads_the_question_and_judges_accounts_without_code(
    chain: Chain, build: Callable[[Chain], Case]
) -> None:
    account, signature, valid = build(chain)
    data = chain.real.validator + question(account, signature)
    asked = asked_of({"input": "0x" + data.hex()})
    assert asked == Asked(account=account, hash=DIGEST, signature=signature, how=Asks.BYTECODE)
    if account == PLAIN and asked.inner == signature:
        assert honest(asked) is valid


@pytest.mark.parametrize("name", ["wallet", "wallet-of-a-stranger", "wallet-that-refuses", "plain-of-a-stranger"])
def test_the_stub_answers_in_the_words_of_a_real_node(chain: Chain, name: str) -> None:
    account, signature, valid = CASES[name](chain)
    data = chain.real.validator + question(account, signature)
    calls: list[dict[str, str]] = [{"input": "0x" + data.hex()}]
    if chain.real.has_code(account):
        selected = MAGIC_VALUE + DIGEST + abi_bytes(64, signature)
        calls.append({"to": "0x" + account.hex(), "input": "0x" + selected.hex()})
    with ChainStub() as stub:
        stub.says(valid, account="0x" + account.hex())
        told = RealChain(url=stub.url, validator=b"")
        for call in calls:
            assert told.ask("eth_call", call, "latest") == chain.real.ask("eth_call", call, "latest")
        assert told.ask("eth_chainId") == chain.real.ask("eth_chainId")
        assert set(told.ask("eth_getBlockByNumber", "latest", False)) >= {"number", "timestamp", "hash"}


def test_a_factory_of_the_crafted_wrapper_deploys_what_the_signature_is_for(chain: Chain) -> None:
    code = owned(b"\x02" * 20)
    account = chain.future(code=code)
    assert not chain.real.has_code(account)
    chain.real.send(to=chain.factory, data=creating(code))
    assert chain.real.has_code(account)
    assert abi_arguments(chain.factory.rjust(32, b"\0"), creating(code), b"s")[12:32] == chain.factory
