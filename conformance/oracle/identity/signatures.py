"""Whether a signature verifies, whose it is, and by what it is known when it comes again (IDENT section 4)."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256

from coincurve import PublicKey
from Crypto.Hash import SHA512, keccak
from Crypto.Signature import eddsa
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from conformance.oracle.identity.chain import Chain, ChainQuestion, ChainVerdict, account_of
from conformance.oracle.identity.client_data import NotClientData, read_client_data
from conformance.oracle.identity.identifiers import Identifier, Kind
from conformance.oracle.identity.verdict import (
    INVALID_IDENTITY_UPDATE,
    INVALID_SIGNATURE,
    MALFORMED_PAYLOAD,
    Fault,
)
from conformance.pb import signature_pb2

_SECP256K1_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
_P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
OUTSIDE_RULE = "IDENT-062"
_CONTEXT = b"IDENTITY UPDATE SIGNATURE"
_PARITY_OF_V = {0: 0, 1: 1, 27: 0, 28: 1}
_ERC_191_BYTES = 65
_INSTALLATION_KEY_BYTES = 32
_SCALAR_BYTES = 32
_ADDRESS_BYTES = 20


@dataclass(frozen=True, kw_only=True)
class Proof:
    """A signature that verifies: whose it is, on which eip155 chain if on one, and its replay key (IDENT-050).

    Without a signer it stands for one that does not verify, against which nothing else is held.
    """

    signer: Identifier | None = None
    replay_key: bytes | None = None
    chain_id: int | None = None


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What came of checking a signature. Without a proof it does not verify, for the faults given.

    With `unreachable` the proof holds only if the chain, which could not be asked, would have said yes.
    """

    proof: Proof | None = None
    faults: tuple[Fault, ...] = ()
    unreachable: bool = False


def check(signature: signature_pb2.Signature, text: str, chain: Chain) -> Checked:
    """Check a signature of a known kind over the text of its update."""
    match signature.WhichOneof("signature"):
        case "erc_191":
            return _wallet(signature.erc_191.bytes, text)
        case "erc_6492":
            return _contract(signature.erc_6492, text, chain)
        case "installation_key":
            return _installation(signature.installation_key, text)
        case "passkey":
            return _passkey(signature.passkey, text)
        case kind:
            raise ValueError(f"a signature of the kind {kind} cannot be checked")


def eip191_hash(text: str) -> bytes:
    """Hash a text as wallets do: 32 bytes."""
    message = text.encode()
    prefix = f"\x19Ethereum Signed Message:\n{len(message)}".encode()
    return _keccak(prefix + message)


def _keccak(data: bytes) -> bytes:
    return keccak.new(digest_bits=256).update(data).digest()


def _unverified(says: str, *more: int, rule: str = "IDENT-030") -> Checked:
    return Checked(faults=(Fault(rule=rule, says=says, reasons=frozenset({INVALID_SIGNATURE, *more})),))


def _wallet(data: bytes, text: str) -> Checked:
    """Recover the signer of an EIP-191 signature: over another text it is another signer's, and verifies."""
    if len(data) != _ERC_191_BYTES or data[-1] not in _PARITY_OF_V:
        return _unverified("a wallet's signature is not r, s and a v of 0, 1, 27 or 28")
    r, s, parity = data[:_SCALAR_BYTES], int.from_bytes(data[_SCALAR_BYTES:-1], "big"), _PARITY_OF_V[data[-1]]
    if not (0 < int.from_bytes(r, "big") < _SECP256K1_ORDER and 0 < s < _SECP256K1_ORDER):
        return _unverified("r or s of a wallet's signature is out of range")
    if s > _SECP256K1_ORDER // 2:
        s, parity = _SECP256K1_ORDER - s, 1 - parity
    low = r + s.to_bytes(_SCALAR_BYTES, "big") + bytes([parity])
    try:
        key = PublicKey.from_signature_and_message(low, eip191_hash(text), hasher=None)
    except ValueError:
        return _unverified("no key can have made a wallet's signature")
    address = _keccak(key.format(compressed=False)[1:])[-_ADDRESS_BYTES:]
    return Checked(proof=Proof(signer=_ethereum("0x" + address.hex()), replay_key=low))


def _ethereum(address: str) -> Identifier:
    return Identifier(kind=Kind.ETHEREUM, text=address)


def _contract(signature: signature_pb2.SmartContractWalletSignature, text: str, chain: Chain) -> Checked:
    account = account_of(signature.account_id)
    if account is None:
        return _unverified(
            "a contract wallet's account is no eip155 account",
            INVALID_IDENTITY_UPDATE,
            MALFORMED_PAYLOAD,
            rule="IDENT-060",
        )
    chain_id, address = account
    verdict = chain(
        ChainQuestion(
            chain_id=chain_id,
            address=address,
            hash=eip191_hash(text),
            signature=signature.signature,
            block_number=signature.block_number,
        )
    )
    if verdict is ChainVerdict.INVALID:
        return _unverified("the chain rejects a contract wallet's signature", rule="IDENT-060")
    proof = Proof(signer=_ethereum(address), replay_key=signature.signature, chain_id=chain_id)
    if verdict is ChainVerdict.OUTSIDE:
        fault = Fault(
            rule=OUTSIDE_RULE,
            says="the block of a contract wallet's signature is ahead of the chain or too old",
            reasons=frozenset({INVALID_IDENTITY_UPDATE, INVALID_SIGNATURE}),
            may_be_taken=True,
        )
        return Checked(proof=proof, faults=(fault,))
    return Checked(proof=proof, unreachable=verdict is ChainVerdict.UNREACHABLE)


def _installation(signature: signature_pb2.RecoverableEd25519Signature, text: str) -> Checked:
    public_key, data = bytes(signature.public_key), bytes(signature.bytes)
    try:
        key = eddsa.import_public_key(public_key)
    except ValueError:
        key = None
    if key is None or len(public_key) != _INSTALLATION_KEY_BYTES:
        # whose it is not can be seen before whether it is a key at all
        says = "the key of an installation's signature is no Ed25519 key"
        return _unverified(says, INVALID_IDENTITY_UPDATE, MALFORMED_PAYLOAD)
    try:
        eddsa.new(key, "rfc8032", context=_CONTEXT).verify(SHA512.new(text.encode()), data)
    except ValueError:
        return _unverified("an installation's signature does not verify")
    signer = Identifier(kind=Kind.INSTALLATION, text=public_key.hex())
    return Checked(proof=Proof(signer=signer, replay_key=data))


def _passkey(signature: signature_pb2.RecoverablePasskeySignature, text: str) -> Checked:
    try:
        client_data = read_client_data(signature.client_data_json)
    except NotClientData as problem:
        return _unverified(f"the client data of a passkey's signature is {problem}")
    if client_data.challenge != urlsafe_b64encode(text.encode()).rstrip(b"=").decode() and not client_data.odd:
        return _unverified("the challenge of a passkey's signature is not the text")
    signed = signature.authenticator_data + sha256(signature.client_data_json).digest()
    try:
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), signature.public_key)
    except ValueError:
        # as above
        return _unverified("the key of a passkey's signature is no point of P-256", INVALID_IDENTITY_UPDATE)
    try:
        key.verify(signature.signature, signed, ec.ECDSA(hashes.SHA256()))
        r, s = decode_dss_signature(signature.signature)
    except (InvalidSignature, ValueError):
        return _unverified("a passkey's signature does not verify")
    low = r.to_bytes(_SCALAR_BYTES, "big") + min(s, _P256_ORDER - s).to_bytes(_SCALAR_BYTES, "big")
    proof = Proof(signer=Identifier(kind=Kind.PASSKEY, text=signature.public_key.hex()), replay_key=low)
    faults = tuple(
        Fault(
            rule="IDENT-030",
            says=f"the client data of a passkey's signature has {what}",
            reasons=frozenset({INVALID_SIGNATURE}),
            may_be_taken=True,
        )
        for what in sorted(client_data.odd)
    )
    return Checked(proof=proof, faults=faults)
