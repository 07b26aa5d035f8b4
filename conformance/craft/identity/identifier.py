"""Who can be a member of an inbox: a wallet, an installation or a passkey, by the text that signatures name it with."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import Enum

from conformance.pb import association_pb2

KindNumber = association_pb2.IdentifierKind


class MemberKind(Enum):
    """The three kinds of member; the value is the word for it."""

    ETHEREUM = "wallet"
    INSTALLATION = "installation"
    PASSKEY = "passkey"


_NUMBERS = {
    MemberKind.ETHEREUM: association_pb2.IDENTIFIER_KIND_ETHEREUM,
    MemberKind.PASSKEY: association_pb2.IDENTIFIER_KIND_PASSKEY,
}


@dataclass(frozen=True, kw_only=True)
class MemberId:
    """One identifier. `text` is what the signed text calls it (IDENT-010, IDENT-013).

    That is the address with its `0x` for a wallet and the key in lowercase hex for the others. The text of a wrong
    update may be anything.
    """

    kind: MemberKind
    text: str

    @property
    def kind_number(self) -> KindNumber:
        """The IdentifierKind; ValueError for an installation, which has none."""
        if self.kind not in _NUMBERS:
            raise ValueError("an installation has no IdentifierKind: it can neither open an inbox nor recover it")
        return _NUMBERS[self.kind]

    @property
    def key(self) -> bytes:
        """The key bytes of an installation or a passkey; ValueError for a text that is no hex."""
        return bytes.fromhex(self.text)

    def message(self, *, relying_party: str | None = None) -> association_pb2.MemberIdentifier:
        """Write it as the member of an action; `relying_party` is a display name that only a passkey carries."""
        match self.kind:
            case MemberKind.ETHEREUM:
                return association_pb2.MemberIdentifier(ethereum_address=self.text)
            case MemberKind.INSTALLATION:
                return association_pb2.MemberIdentifier(installation_public_key=self.key)
            case MemberKind.PASSKEY:
                passkey = association_pb2.Passkey(key=self.key, relying_party=relying_party)
                return association_pb2.MemberIdentifier(passkey=passkey)


def wallet_id(address: str) -> MemberId:
    """Name a wallet by its address of 42 characters; lowercase is up to the caller."""
    return MemberId(kind=MemberKind.ETHEREUM, text=address)


def installation_id(public_key: bytes) -> MemberId:
    """Name an installation by its Ed25519 public key, 32 bytes."""
    return MemberId(kind=MemberKind.INSTALLATION, text=public_key.hex())


def passkey_id(public_key: bytes) -> MemberId:
    """Name a passkey by its P-256 point, compressed (33 bytes) or not (65): two different identifiers."""
    return MemberId(kind=MemberKind.PASSKEY, text=public_key.hex())


def inbox_id(owner: MemberId, nonce: int = 0) -> str:
    """Derive the id of the inbox that an identifier opens with a nonce of 0 to 2^64-1: 64 characters (IDENT-010)."""
    return hashlib.sha256(f"{owner.text}{nonce}".encode()).hexdigest()
