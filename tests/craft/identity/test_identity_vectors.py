"""What the suite signs is what the golden vectors say, byte for byte."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from conformance.craft.fixtures import fixture
from conformance.craft.identity.actions import AddMember, CreateInbox
from conformance.craft.identity.contract_wallet import MAGIC_SUFFIX, abi_arguments, wrapped
from conformance.craft.identity.identifier import MemberId, MemberKind, inbox_id
from conformance.craft.identity.installation import Installation
from conformance.craft.identity.passkey import Passkey
from conformance.craft.identity.signed_text import shown_time
from conformance.craft.identity.update import IdentityUpdate, identity_envelope, signed_update
from conformance.craft.identity.wallet import Wallet, checksummed, eip191_hash, keccak256
from tests.craft.identity.told import text_of_vector

VECTORS: dict[str, Any] = json.loads(fixture("identity_vectors.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("vector", VECTORS["inbox_ids"], ids=lambda vector: vector["inbox_id"][:8])
def test_an_inbox_id_follows_from_identifier_and_nonce(vector: dict[str, Any]) -> None:
    owner = MemberId(kind=MemberKind(vector["kind"]), text=vector["identifier"])
    assert inbox_id(owner, vector["nonce"]) == vector["inbox_id"]


@pytest.mark.parametrize("vector", VECTORS["times"], ids=lambda vector: str(vector["client_timestamp_ns"]))
def test_a_time_is_shown_to_the_second_below(vector: dict[str, Any]) -> None:
    assert shown_time(vector["client_timestamp_ns"]) == vector["text"]


def test_the_signed_text_is_the_public_one() -> None:
    text = text_of_vector(VECTORS["signed_text"]).encode()
    assert (len(text), hashlib.sha256(text).hexdigest()) == (602, VECTORS["signed_text"]["sha256"])


def test_a_wallet_signs_the_public_text_as_expected() -> None:
    vector, text = VECTORS["wallet"], text_of_vector(VECTORS["signed_text"])
    wallet = Wallet(bytes.fromhex(vector["key"]))
    assert wallet.address == vector["address"]
    assert eip191_hash(text).hex() == vector["hash"]
    assert wallet.sign(text).erc_191.bytes.hex() == vector["signature"]


@pytest.mark.parametrize("vector", VECTORS["ed25519ph"], ids=lambda vector: vector["source"])
def test_an_installation_signs_prehashed_under_a_context(vector: dict[str, Any]) -> None:
    installation = Installation(bytes.fromhex(vector["seed"]))
    assert installation.key.hex() == vector["public"]
    signature = installation.prehashed(vector["message"].encode(), context=vector["context"].encode())
    assert signature.hex() == vector["signature"]


def test_a_passkey_has_the_expected_point() -> None:
    vector = VECTORS["passkey"]
    passkey = Passkey(int(vector["secret"], 16))
    assert passkey.key.hex() == vector["public"]
    assert passkey.compressed().key == bytes([2 + passkey.key[-1] % 2]) + passkey.key[1:33]


def test_a_whole_update_is_the_expected_one() -> None:
    vector = VECTORS["update"]
    wallet, device = Wallet(bytes.fromhex(vector["wallet"])), Installation(bytes.fromhex(vector["installation"]))
    made: IdentityUpdate = signed_update(
        inbox_id(wallet.identifier),
        vector["client_timestamp_ns"],
        CreateInbox(owner=wallet.identifier, by=wallet),
        AddMember(member=device.identifier, by=wallet, new=device),
    )
    assert made.inbox_id == vector["inbox_id"]
    create, add = made.actions[0].create_inbox, made.actions[1].add
    assert create.initial_identifier_signature.erc_191.bytes.hex() == vector["erc_191"]
    assert add.existing_member_signature == create.initial_identifier_signature
    assert add.new_member_signature.installation_key.bytes.hex() == vector["installation_signature"]
    encoded = made.SerializeToString(deterministic=True)
    assert (len(encoded), hashlib.sha256(encoded).hexdigest()) == (vector["bytes"], vector["sha256"])
    envelope = identity_envelope(made).SerializeToString(deterministic=True)
    assert hashlib.sha256(envelope).hexdigest() == vector["envelope_sha256"]


def test_a_wrapped_signature_ends_in_the_magic_suffix_and_holds_its_parts_by_the_abi() -> None:
    arguments = abi_arguments(b"\x01" * 32, b"call", b"s" * 33)
    assert arguments == b"".join(
        (
            b"\x01" * 32,
            (96).to_bytes(32, "big"),
            (160).to_bytes(32, "big"),
            (4).to_bytes(32, "big") + b"call" + bytes(28),
            (33).to_bytes(32, "big") + b"s" * 33 + bytes(31),
        )
    )
    assert wrapped(b"s" * 65).endswith(bytes(31) + MAGIC_SUFFIX)


def test_keccak_is_not_sha3() -> None:
    assert keccak256(b"").hex() == "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"


@pytest.mark.parametrize(
    "address",
    [
        "0x52908400098527886E0F7030069857D2E4169EE7",
        "0xde709f2102306220921060314715629080e2fb77",
        "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    ],
)
def test_the_checksums_of_addresses_are_those_that_eip_55_shows(address: str) -> None:
    assert checksummed(address.lower()) == checksummed(address) == address
