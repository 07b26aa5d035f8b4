"""Identifiers of members: wallets, passkeys and installations; and the id of an inbox (IDENT section 2)."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from enum import IntEnum

from conformance.pb.association_pb2 import IdentifierKind, MemberIdentifier
from conformance.pb.backend_pb2 import PublishError
from conformance.reference.backend.failure import CheckFailure

_ETHEREUM = re.compile(r"0x[0-9a-f]{40}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2})*")
# 0 stands for a wallet, as in updates older than the field
_WALLET_KINDS = (IdentifierKind.IDENTIFIER_KIND_UNSPECIFIED, IdentifierKind.IDENTIFIER_KIND_ETHEREUM)


class MemberKind(IntEnum):
    """What an identifier names; the first two are the IdentifierKinds that a lookup can ask for."""

    ETHEREUM = 1
    PASSKEY = 2
    INSTALLATION = 0x100


@dataclass(frozen=True, kw_only=True)
class Identifier:
    """A member as compared and as written in signed text: a lowercase address, or the hex of a public key.

    The relying party of a passkey and the chain of a contract wallet have no part in it.
    """

    kind: MemberKind
    text: str


class Identifiers:
    """Reads the identifiers of an update; CheckFailure with INVALID_IDENTITY_UPDATE for one in no lawful form."""

    def member(self, message: MemberIdentifier) -> Identifier:
        """Read the member an action is about (IDENT-001)."""
        kind = message.WhichOneof("kind")
        if kind == "ethereum_address":
            return self.wallet(message.ethereum_address)
        if kind == "installation_public_key":
            return installation(message.installation_public_key)
        if kind == "passkey":
            return passkey(message.passkey.key)
        raise refused("a member identifier has no kind")

    def named(self, kind: int, text: str) -> Identifier:
        """Read an identifier given as a kind and a text; a kind without a meaning is refused."""
        if kind in _WALLET_KINDS:
            return self.wallet(text)
        if kind == IdentifierKind.IDENTIFIER_KIND_PASSKEY:
            key = hex_bytes(text)
            if key is None:
                raise refused("a passkey is not in hexadecimal")
            return passkey(key)
        raise refused(f"identifier kind {kind} is not known")

    def wallet(self, text: str) -> Identifier:
        """Read an address; it is part of the signed text, so it must already be in lower case (IDENT-013)."""
        if _ETHEREUM.fullmatch(text) is None:
            raise refused("an Ethereum address is not 0x and 40 lowercase hexadecimal digits")
        return Identifier(kind=MemberKind.ETHEREUM, text=text)


def passkey(key: bytes) -> Identifier:
    """Name a passkey by the bytes of its public key."""
    return Identifier(kind=MemberKind.PASSKEY, text=key.hex())


def installation(key: bytes) -> Identifier:
    """Name an installation by its public key."""
    return Identifier(kind=MemberKind.INSTALLATION, text=key.hex())


def hex_bytes(text: str) -> bytes | None:
    """Decode hexadecimal of either case; None for anything else."""
    return bytes.fromhex(text) if _HEX.fullmatch(text) else None


def inbox_id(owner: Identifier, nonce: int) -> str:
    """Derive the id of the inbox that an identifier opens with a nonce (IDENT-010)."""
    return hashlib.sha256(f"{owner.text}{nonce}".encode()).hexdigest()


def refused(why: str) -> CheckFailure:
    """Return the failure of an update that breaks a rule other than those of signatures and handles."""
    return CheckFailure(PublishError.REASON_INVALID_IDENTITY_UPDATE, f"the identity update is not valid: {why}")
