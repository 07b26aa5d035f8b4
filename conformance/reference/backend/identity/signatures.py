"""Signatures of identity updates: who made one, whether it verifies, and by what it is known again (IDENT section 4).

Reading a signature is apart from verifying it: a stored update was verified when it was admitted, and only what its
signatures say is needed again. For a wallet the two are one, since the signer is recovered from the signature.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass

from coincurve import PublicKey
from Crypto.Hash import SHA512, keccak
from Crypto.Signature import eddsa
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from conformance.pb.backend_pb2 import PublishError
from conformance.pb.signature_pb2 import RecoverablePasskeySignature, Signature
from conformance.reference.backend.failure import CheckFailure
from conformance.reference.backend.identity.account import address_of, chain_of
from conformance.reference.backend.identity.identifiers import Identifier, MemberKind, installation, passkey

SECP256K1_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
ED25519_CONTEXT = b"IDENTITY UPDATE SIGNATURE"
PARITIES = {0: 0, 1: 1, 27: 0, 28: 1}
_WORD = 32
_ECDSA_BYTES = 65
_ED25519_BYTES = 64
_ADDRESS_BYTES = 20


@dataclass(frozen=True, kw_only=True)
class Signed:
    """What a signature says: who made it, on which chain (None unless a contract wallet), and its replay key."""

    signer: Identifier
    chain_id: int | None = None
    replay_key: bytes


class Signatures:
    """Reads and verifies; CheckFailure with INVALID_SIGNATURE for a signature that cannot be genuine."""

    def read(self, signature: Signature, text: bytes) -> Signed:
        """Read a signature over a text."""
        arm = signature.WhichOneof("signature")
        if arm == "erc_191":
            return self.wallet(signature.erc_191.bytes, text)
        if arm == "installation_key":
            return self.installation(signature.installation_key.bytes, signature.installation_key.public_key)
        if arm == "passkey":
            return self.passkey(signature.passkey)
        return self.contract_wallet(signature.erc_6492.account_id, signature.erc_6492.signature)

    def verify(self, signature: Signature, text: bytes) -> None:
        """Verify what reading leaves to verify; the verdict on a contract wallet comes from its chain."""
        arm = signature.WhichOneof("signature")
        if arm == "installation_key":
            self.verify_installation(signature.installation_key.bytes, signature.installation_key.public_key, text)
        elif arm == "passkey":
            self.verify_passkey(signature.passkey, text)

    def wallet(self, signature: bytes, text: bytes) -> Signed:
        """Recover a wallet from its EIP-191 signature; either half of s will do and counts as the lower one."""
        if len(signature) != _ECDSA_BYTES or signature[-1] not in PARITIES:
            raise forged("a wallet signature is not 65 bytes with v 0, 1, 27 or 28")
        r, s = halves(signature[:-1])
        if not (0 < r < SECP256K1_ORDER and 0 < s < SECP256K1_ORDER):
            raise forged("r or s of a wallet signature is out of range")
        parity = PARITIES[signature[-1]]
        if s > SECP256K1_ORDER // 2:
            s, parity = SECP256K1_ORDER - s, 1 - parity
        lowest = joined(r, s) + bytes([parity])
        try:
            key = PublicKey.from_signature_and_message(lowest, eip191_hash(text), hasher=None)
        except Exception as error:  # coincurve raises bare Exceptions
            raise forged("no key can have made a wallet signature") from error
        address = keccak256(key.format(compressed=False)[1:])[-_ADDRESS_BYTES:]
        return Signed(signer=Identifier(kind=MemberKind.ETHEREUM, text=f"0x{address.hex()}"), replay_key=lowest)

    def installation(self, signature: bytes, key: bytes) -> Signed:
        """Read the signature of an installation; it names its key itself."""
        if len(signature) != _ED25519_BYTES or len(key) != _WORD:
            raise forged("an installation signature is not 64 bytes beside a key of 32")
        return Signed(signer=installation(key), replay_key=signature)

    def verify_installation(self, signature: bytes, key: bytes, text: bytes) -> None:
        """Verify Ed25519ph with the context of identity updates."""
        try:
            verifier = eddsa.new(eddsa.import_public_key(key), "rfc8032", context=ED25519_CONTEXT)
            verifier.verify(SHA512.new(text), signature)
        except ValueError as error:
            raise forged("an installation signature does not verify") from error

    def passkey(self, assertion: RecoverablePasskeySignature) -> Signed:
        """Read the assertion of a passkey; either half of s will do and counts as the lower one."""
        try:
            r, s = decode_dss_signature(assertion.signature)
        except ValueError as error:
            raise forged("a passkey signature is not in DER") from error
        if not (0 < r < P256_ORDER and 0 < s < P256_ORDER):
            raise forged("r or s of a passkey signature is out of range")
        return Signed(signer=passkey(assertion.public_key), replay_key=joined(r, min(s, P256_ORDER - s)))

    def verify_passkey(self, assertion: RecoverablePasskeySignature, text: bytes) -> None:
        """Verify that a passkey has signed client data whose challenge is the text."""
        self.verify_challenge(assertion.client_data_json, text)
        signed = assertion.authenticator_data + hashlib.sha256(assertion.client_data_json).digest()
        try:
            key = EllipticCurvePublicKey.from_encoded_point(SECP256R1(), assertion.public_key)
            r, s = decode_dss_signature(assertion.signature)
            key.verify(encode_dss_signature(r, s), signed, ECDSA(SHA256()))
        except (InvalidSignature, ValueError) as error:
            raise forged("a passkey signature does not verify") from error

    def verify_challenge(self, client_data_json: bytes, text: bytes) -> None:
        """Check the client data: an origin of any value, and the text as challenge."""
        try:
            client_data = json.loads(client_data_json.decode())
        except (ValueError, RecursionError) as error:
            raise forged("the client data of a passkey signature is not JSON") from error
        if not isinstance(client_data, dict) or not isinstance(client_data.get("origin"), str):
            raise forged("the client data of a passkey signature names no origin")
        if client_data.get("challenge") != base64.urlsafe_b64encode(text).rstrip(b"=").decode():
            raise forged("the challenge of a passkey signature is not the text of the update")

    def contract_wallet(self, account_id: str, signature: bytes) -> Signed:
        """Read the signature of a contract wallet: its account names the signer and the chain (IDENT-060)."""
        address, chain_id = address_of(account_id), chain_of(account_id)
        if address is None or chain_id is None:
            raise forged("a contract wallet is not an account of an eip155 chain")
        return Signed(
            signer=Identifier(kind=MemberKind.ETHEREUM, text=address), chain_id=chain_id, replay_key=signature
        )


def eip191_hash(text: bytes) -> bytes:
    """Hash a text the way wallets sign it (EIP-191, version 0x45)."""
    return keccak256(b"\x19Ethereum Signed Message:\n" + str(len(text)).encode() + text)


def keccak256(data: bytes) -> bytes:
    """Keccak-256, which is not SHA3-256."""
    return keccak.new(digest_bits=256, data=data).digest()


def halves(signature: bytes) -> tuple[int, int]:
    """Split 64 bytes into r and s."""
    return int.from_bytes(signature[:_WORD], "big"), int.from_bytes(signature[_WORD:], "big")


def joined(r: int, s: int) -> bytes:
    """Join r and s into 64 bytes."""
    return r.to_bytes(_WORD, "big") + s.to_bytes(_WORD, "big")


def forged(why: str) -> CheckFailure:
    """Return the failure of an update with a signature that does not verify."""
    return CheckFailure(PublishError.REASON_INVALID_SIGNATURE, f"the identity update is not signed: {why}")
