"""The verdict of a chain on which no account has code: only the key an address is made of can sign for it."""

from __future__ import annotations

from coincurve import PublicKey
from Crypto.Hash import keccak

from conformance.target.chain.call_data import Asked

_SIGNATURE_BYTES = 65
_FIRST_V = 27
_ADDRESS_BYTES = 20


def honest(asked: Asked) -> bool:
    """Recover the signer of 65 bytes with v 27 or 28, in an ERC-6492 wrapper or not; any other form is not valid."""
    signature = asked.inner
    if len(signature) != _SIGNATURE_BYTES or signature[-1] not in (_FIRST_V, _FIRST_V + 1):
        return False
    recoverable = signature[:-1] + bytes([signature[-1] - _FIRST_V])
    try:
        key = PublicKey.from_signature_and_message(recoverable, asked.hash, hasher=None)
    except ValueError:
        return False
    digest = keccak.new(data=key.format(compressed=False)[1:], digest_bits=256).digest()
    return digest[-_ADDRESS_BYTES:] == asked.account


def always(asked: Asked) -> bool:
    """Find every signature valid."""
    return asked is not None


def never(asked: Asked) -> bool:
    """Find no signature valid."""
    return asked is None
