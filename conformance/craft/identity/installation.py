"""Installations: Ed25519 keys that sign text by Ed25519ph under the context of identity updates (RFC 8032)."""

from __future__ import annotations

from Crypto.Hash import SHA512
from Crypto.PublicKey import ECC
from Crypto.Signature import eddsa

from conformance.craft.draw import Draw
from conformance.craft.identity.identifier import MemberId, installation_id
from conformance.craft.identity.signer import Signature
from conformance.pb import signature_pb2

CONTEXT = b"IDENTITY UPDATE SIGNATURE"
# clients sign other things under this one
OTHER_CONTEXT = b"PUBLIC SIGNATURE CONTEXT"


class Installation:
    """An installation by its Ed25519 seed of 32 bytes; `key` is its public key, 32 bytes."""

    def __init__(self, seed: bytes) -> None:
        self._key = ECC.construct(curve="Ed25519", seed=seed)
        self.key = self._key.public_key().export_key(format="raw")

    @classmethod
    def drawn(cls, draw: Draw) -> Installation:
        """Make an installation that no other case has; `draw` can sign its key packages too."""
        return cls(draw.private_key(draw.installation_key()).private_bytes_raw())

    @property
    def identifier(self) -> MemberId:
        """The public key itself."""
        return installation_id(self.key)

    def sign(self, text: str) -> Signature:
        """Sign a text as an identity update needs it (IDENT section 4)."""
        return installation_signature(self.prehashed(text.encode()), self.key)

    def prehashed(self, message: bytes, *, context: bytes = CONTEXT) -> bytes:
        """Sign by Ed25519ph under a context: 64 bytes."""
        return eddsa.new(self._key, "rfc8032", context=context).sign(SHA512.new(message))

    def pure(self, message: bytes) -> bytes:
        """Sign by plain Ed25519, as no identity update is signed: 64 bytes."""
        return eddsa.new(self._key, "rfc8032").sign(message)


def installation_signature(signature: bytes, key: bytes) -> Signature:
    """Put the bytes of a signature and the key it claims into a message."""
    return Signature(
        installation_key=signature_pb2.RecoverableEd25519Signature(bytes=signature, public_key=key),
    )
