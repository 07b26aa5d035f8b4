"""Passkeys: P-256 keys that sign a text as the challenge of a WebAuthn assertion."""

from __future__ import annotations

import base64
import hashlib
import json

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from conformance.craft.draw import Draw
from conformance.craft.identity.identifier import MemberId, passkey_id
from conformance.craft.identity.signer import Signature
from conformance.pb import signature_pb2

# the order of P-256: s and ORDER - s are two forms of one signature
ORDER = 0xFFFFFFFF_00000000_FFFFFFFF_FFFFFFFF_BCE6FAAD_A7179E84_F3B9CAC2_FC632551
ORIGIN = "https://xmtp.chat"
RELYING_PARTY = "xmtp.chat"
_KEY_BYTES = 32
_USER_PRESENT_AND_VERIFIED = 0x05


class Passkey:
    """A passkey by its secret scalar, written compressed or not; its signatures are deterministic and low in s."""

    def __init__(self, secret: int, *, compressed: bool = False) -> None:
        self._secret = secret
        self._key = ec.derive_private_key(secret, ec.SECP256R1())
        point = PublicFormat.CompressedPoint if compressed else PublicFormat.UncompressedPoint
        self.key = self._key.public_key().public_bytes(Encoding.X962, point)

    @classmethod
    def drawn(cls, draw: Draw, *, compressed: bool = False) -> Passkey:
        """Make a passkey that no other case has."""
        secret = int.from_bytes(draw.identifier(_KEY_BYTES), "big") % (ORDER - 1) + 1
        return cls(secret, compressed=compressed)

    def compressed(self) -> Passkey:
        """Give the same key written compressed: another identifier."""
        return Passkey(self._secret, compressed=True)

    @property
    def identifier(self) -> MemberId:
        """The point as it is written."""
        return passkey_id(self.key)

    def sign(self, text: str) -> Signature:
        """Sign a text as a browser on the usual site would."""
        return self.assertion(client_data(text))

    def assertion(self, client_data_json: bytes, *, authenticator_data: bytes | None = None) -> Signature:
        """Sign a WebAuthn assertion over any client data, whatever it says."""
        beside = usual_authenticator_data() if authenticator_data is None else authenticator_data
        signed = beside + hashlib.sha256(client_data_json).digest()
        r, s = decode_dss_signature(self._key.sign(signed, ec.ECDSA(hashes.SHA256(), deterministic_signing=True)))
        passkey = signature_pb2.RecoverablePasskeySignature(
            public_key=self.key,
            signature=encode_dss_signature(r, min(s, ORDER - s)),
            authenticator_data=beside,
            client_data_json=client_data_json,
        )
        return Signature(passkey=passkey)


def challenge(text: str) -> str:
    """Write a text as the challenge of client data: base64url without padding."""
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def client_data(text: str, *, origin: str | None = ORIGIN) -> bytes:
    """Write the client data that a browser signs for a challenge; `origin` None leaves it out."""
    values: dict[str, object] = {"type": "webauthn.get", "challenge": challenge(text)}
    if origin is not None:
        values["origin"] = origin
    return json.dumps({**values, "crossOrigin": False}, separators=(",", ":")).encode()


def usual_authenticator_data(*, flags: int = _USER_PRESENT_AND_VERIFIED, counter: int = 0) -> bytes:
    """Write what an authenticator signs beside the client data: 37 bytes."""
    return hashlib.sha256(RELYING_PARTY.encode()).digest() + bytes([flags]) + counter.to_bytes(4, "big")


def with_other_s(signature: Signature) -> Signature:
    """Replace s by its negative: another form of the same signature, high in s if this one is low."""
    r, s = decode_dss_signature(signature.passkey.signature)
    signature.passkey.signature = encode_dss_signature(r, ORDER - s)
    return signature
