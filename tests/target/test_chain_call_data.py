"""The question in an eth_call is found behind any code, in whatever form it is asked."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.craft.identity.contract_wallet import ContractWallet, wrapped
from conformance.craft.identity.wallet import eip191_hash, with_small_v
from conformance.target.chain.call_data import IS_VALID_SIGNATURE, Asked, Asks, NotACall, asked_of, unwrapped
from conformance.target.chain.honest import honest

ACCOUNT, HASH = bytes(range(20)), hashlib.sha256(b"hash").digest()
PADDED = bytes(12) + ACCOUNT
signatures = st.binary(max_size=300)
codes = st.binary(max_size=200) | st.sampled_from([b"", bytes(32) * 4, b"\x60" * 97, (96).to_bytes(32, "big") * 5])


def arguments(signature: bytes) -> bytes:
    """Encode (address, bytes32, bytes): what a validator is made or called with."""
    size = len(signature).to_bytes(32, "big")
    return PADDED + HASH + (96).to_bytes(32, "big") + size + signature + bytes(-len(signature) % 32)


def call(data: bytes, *, key: str = "input", **more: str) -> dict[str, str]:
    return {key: "0x" + data.hex(), **more}


@given(codes, signatures, st.sampled_from(["input", "data"]))
def test_it_is_found_behind_any_code(code: bytes, signature: bytes, key: str) -> None:
    expected = Asked(account=ACCOUNT, hash=HASH, signature=signature, how=Asks.BYTECODE)
    assert asked_of(call(code + arguments(signature), key=key)) == expected


@given(signatures)
def test_a_wallet_can_be_asked_itself_or_a_validator_in_its_place(signature: bytes) -> None:
    wallet = "0x" + ACCOUNT.hex()
    direct = IS_VALID_SIGNATURE + HASH + (64).to_bytes(32, "big") + arguments(signature)[96:]
    asked = asked_of(call(direct, to=wallet))
    assert asked == Asked(account=ACCOUNT, hash=HASH, signature=signature, how=Asks.CONTRACT)
    validator = asked_of(call(b"\x12\x34\x56\x78" + arguments(signature), to="0x" + "99" * 20))
    assert validator == Asked(account=ACCOUNT, hash=HASH, signature=signature, how=Asks.VALIDATOR)


@given(signatures, st.binary(max_size=90))
def test_a_wrapper_is_taken_off_and_nothing_else_is(inner: bytes, deployment: bytes) -> None:
    assert unwrapped(wrapped(inner, call=deployment)) == inner
    assert unwrapped(inner) == inner
    nested = wrapped(wrapped(inner))
    assert unwrapped(nested) == wrapped(inner)


def test_arguments_within_a_signature_are_part_of_it() -> None:
    inner = arguments(b"inner")
    outer = asked_of(call(b"\xfe" * 50 + arguments(inner)))
    assert outer is not None
    assert outer.signature == inner


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x60" * 1792,
        arguments(b"s" * 65)[:-1],
        arguments(b"s" * 65) + b"\x00",
        arguments(b"s" * 65)[:-1] + b"\x01",
        b"\x01" + arguments(b"s" * 65)[1:],
    ],
    ids=["nothing", "code-only", "cut", "longer", "dirty-padding", "no-address"],
)
def test_other_data_ask_nothing(data: bytes) -> None:
    assert asked_of(call(data)) is None


@pytest.mark.parametrize("params", [None, [], "0x", {"data": "zz"}, {"data": "0xz"}, {"data": 7}, {"to": "me"}])
def test_what_is_no_call_is_refused(params: object) -> None:
    with pytest.raises(NotACall):
        asked_of(params)


def test_an_honest_chain_recovers_the_signer() -> None:
    draw = Draw(1, b"honest")
    contract, other = ContractWallet.drawn(draw), ContractWallet.drawn(draw)
    signature = contract.signature_bytes("text")

    def asked(signature: bytes, *, text: str = "text", by: ContractWallet = contract) -> bool:
        account = bytes.fromhex(by.wallet.address[2:])
        return honest(Asked(account=account, hash=eip191_hash(text), signature=signature, how=Asks.BYTECODE))

    assert asked(signature)
    assert asked(wrapped(signature))
    assert not asked(signature, text="other")
    assert not asked(signature, by=other)
    assert not asked(with_small_v(signature))
    assert not asked(signature[:-1])
    assert not asked(bytes(64) + b"\x1b")
