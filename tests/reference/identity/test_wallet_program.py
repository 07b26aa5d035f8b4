from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.craft.identity.contract_wallet import wrapped
from conformance.craft.identity.wallet import Wallet, with_other_s, with_v
from conformance.reference.backend.identity.wallet_program import MAGIC_SUFFIX, abi_bytes, wallet_program
from conformance.target.chain.call_data import asked_of
from tests.reference.identity.calls import draw
from tests.reference.identity.evm import Account, World, run

ACCOUNT, FACTORY, DIGEST = b"\xac" * 20, b"\xfa" * 20, b"\xd1" * 32
MAGIC = bytes.fromhex("1626ba7e")
YES = MAGIC + bytes(28)


def says(answer: bytes, *, success: bool = True) -> Account:
    return lambda _: (success, answer)


def judged(world: World, signature: bytes, account: bytes = ACCOUNT) -> bool:
    returned = run(wallet_program(account, DIGEST, signature), world)
    assert returned in (b"\0", b"\1")
    return returned == b"\1"


ANSWERS = [
    (says(YES), True),
    (says(YES + bytes(32)), True),
    (says(MAGIC + b"\xff" * 28), True),
    (says(bytes(32)), False),
    (says(MAGIC), False),
    (says(b""), False),
    (says(YES[:31]), False),
    (says(YES, success=False), False),
    (says(bytes(28) + MAGIC), False),
]


@pytest.mark.parametrize("size", [0, 1, 65, 300, 70_000])
def test_an_account_with_code_decides_by_the_magic_value(size: int) -> None:
    verdicts = [judged(World({ACCOUNT: account}), b"s" * size) for account, _ in ANSWERS]
    assert verdicts == [valid for _, valid in ANSWERS]


@given(st.binary(max_size=200))
def test_an_account_is_asked_about_the_hash_and_the_signature(signature: bytes) -> None:
    asked: list[bytes] = []

    def account(data: bytes) -> tuple[bool, bytes]:
        asked.append(data)
        return True, YES

    assert judged(World({ACCOUNT: account}), signature)
    assert asked == [MAGIC + DIGEST + abi_bytes(64, signature)]


def test_an_account_without_code_is_compared_with_the_key_that_is_recovered() -> None:
    wallet = Wallet.drawn(draw())
    account = bytes.fromhex(wallet.address[2:])
    signature = wallet.sign_hash(DIGEST)
    assert judged(World(), signature, account)
    assert judged(World(), with_other_s(signature), account)
    assert not judged(World(), wrapped(signature), account), "its factory has deployed nothing"
    assert not judged(World(), signature, ACCOUNT)
    for wrong in (with_v(signature, signature[-1] - 27), with_v(signature, 29), signature[:-1], signature + b"\0", b""):
        assert not judged(World(), wrong, account)
    zero_r = bytes(32) + signature[32:]
    assert not judged(World(), zero_r, account)
    assert not judged(World(), zero_r, bytes(20)), "what cannot be recovered is not the key of address 0"


def test_a_factory_is_called_only_for_an_account_without_code() -> None:
    world = World()

    def deploy(data: bytes) -> tuple[bool, bytes]:
        assert data == b"make it so"
        world.accounts[int.from_bytes(ACCOUNT)] = says(YES)
        return True, b""

    world.accounts[int.from_bytes(FACTORY)] = deploy
    signature = wrapped(b"inner", factory=FACTORY, call=b"make it so")
    assert judged(world, signature)

    def never(_: bytes) -> tuple[bool, bytes]:
        raise AssertionError("the account has code")

    assert judged(World({FACTORY: never, ACCOUNT: says(YES)}), signature)
    assert not judged(World({FACTORY: says(b"", success=False)}), signature)


def test_a_wrapped_signature_is_taken_out_of_its_wrapper_for_the_account() -> None:
    asked: list[bytes] = []

    def account(data: bytes) -> tuple[bool, bytes]:
        asked.append(data)
        return True, YES

    assert judged(World({ACCOUNT: account}), wrapped(b"inner", factory=FACTORY))
    assert asked == [MAGIC + DIGEST + abi_bytes(64, b"inner")]


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_what_only_ends_like_a_wrapper_is_refused_or_read_and_never_breaks_the_program(body: bytes) -> None:
    try:
        program = wallet_program(ACCOUNT, DIGEST, body + MAGIC_SUFFIX)
    except ValueError:
        return
    assert run(program, World()) == b"\0"


@given(st.binary(min_size=20, max_size=20), st.binary(min_size=32, max_size=32), st.binary(max_size=300))
def test_a_call_ends_with_its_question(account: bytes, digest: bytes, signature: bytes) -> None:
    asked = asked_of({"data": "0x" + wallet_program(account, digest, signature).hex()})
    assert asked is not None
    assert (asked.account, asked.hash, asked.signature) == (account, digest, signature)
