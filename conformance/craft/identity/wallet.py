"""Wallets: secp256k1 keys that sign text by EIP-191, and the other forms of one such signature."""

from __future__ import annotations

from coincurve import PrivateKey
from Crypto.Hash import keccak

from conformance.craft.draw import Draw
from conformance.craft.identity.identifier import MemberId, wallet_id
from conformance.craft.identity.signer import Signature
from conformance.pb import signature_pb2

# the order of secp256k1: s and ORDER - s are two forms of one signature
ORDER = 0xFFFFFFFF_FFFFFFFF_FFFFFFFF_FFFFFFFE_BAAEDCE6_AF48A03B_BFD25E8C_D0364141
KEY_BYTES = 32
ADDRESS_BYTES = 20
_FIRST_V = 27
_V = 64


def keccak256(data: bytes) -> bytes:
    """Hash with Keccak-256 as Ethereum does, which is not SHA3-256."""
    return keccak.new(data=data, digest_bits=256).digest()


def eip191_hash(text: str) -> bytes:
    """Hash a text the way a wallet signs it (EIP-191, version 0x45): 32 bytes. The length counts bytes."""
    message = text.encode()
    return keccak256(b"\x19Ethereum Signed Message:\n" + str(len(message)).encode() + message)


class Wallet:
    """A wallet with a key of its own; its signatures are deterministic (RFC 6979), low in s, with v 27 or 28."""

    def __init__(self, secret: bytes) -> None:
        self._key = PrivateKey(secret)
        point = self._key.public_key.format(compressed=False)[1:]
        self.address = "0x" + keccak256(point)[-ADDRESS_BYTES:].hex()

    @classmethod
    def drawn(cls, draw: Draw) -> Wallet:
        """Make a wallet that no other case has."""
        return cls(draw.identifier(KEY_BYTES))

    @property
    def identifier(self) -> MemberId:
        """The address, in lowercase as an update must carry it (IDENT-013)."""
        return wallet_id(self.address)

    def sign_hash(self, digest: bytes) -> bytes:
        """Sign 32 bytes: r, s and v, 65 bytes in all."""
        signature = self._key.sign_recoverable(digest, hasher=None)
        return with_v(signature, _FIRST_V + signature[_V])

    def sign(self, text: str) -> Signature:
        """Sign a text by EIP-191."""
        return erc_191(self.sign_hash(eip191_hash(text)))


def checksummed(address: str) -> str:
    """Write an address in mixed case as wallets show it (EIP-55): the case of the letters is a checksum."""
    digits = address.removeprefix("0x").lower()
    nibbles = keccak256(digits.encode()).hex()
    return "0x" + "".join(
        digit.upper() if nibble >= "8" else digit for digit, nibble in zip(digits, nibbles, strict=False)
    )


def erc_191(signature: bytes) -> Signature:
    """Put the bytes of a wallet's signature into a message."""
    return Signature(erc_191=signature_pb2.RecoverableEcdsaSignature(bytes=signature))


def with_v(signature: bytes, v: int) -> bytes:
    """Give a signature of 65 bytes another last byte."""
    return signature[:_V] + bytes([v])


def with_small_v(signature: bytes) -> bytes:
    """Write v as 0 or 1 instead of 27 or 28: another form of the same signature."""
    return with_v(signature, signature[_V] - _FIRST_V)


def with_r(signature: bytes, r: int) -> bytes:
    """Give a signature another r."""
    return r.to_bytes(32, "big") + signature[32:]


def with_s(signature: bytes, s: int) -> bytes:
    """Give a signature another s."""
    return signature[:32] + s.to_bytes(32, "big") + signature[_V:]


def with_other_s(signature: bytes) -> bytes:
    """Replace s by its negative, and flip v: another form of the same signature, high in s if this one is low."""
    s = int.from_bytes(signature[32:_V], "big")
    return with_v(with_s(signature, ORDER - s), 2 * _FIRST_V + 1 - signature[_V])
