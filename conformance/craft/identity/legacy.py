"""The retired fourth kind of signature, made by a key that a wallet delegated to: a validator sees no signature."""

from __future__ import annotations

from coincurve import PrivateKey

from conformance.craft.identity.signer import Signature
from conformance.craft.identity.wallet import Wallet, eip191_hash
from conformance.craft.wire_format import field_bytes, field_varint

_RETIRED = 4
_DELEGATE = b"\x2a" * 32
_R_AND_S = 64


def delegated(wallet: Wallet, text: str) -> Signature:
    """Sign a text with a key that `wallet` has delegated to, in the retired form; it stands in a field without a name.

    A backend that still knew the form would read it as a signature of the wallet.
    """
    delegate = PrivateKey(_DELEGATE)
    point = delegate.public_key.format(compressed=False)
    key = field_varint(1, 1) + field_bytes(3, field_bytes(1, point))
    grant = wallet.sign_hash(
        eip191_hash(f"XMTP : Create Identity\n{key.hex()}\n\nFor more info: https://xmtp.org/signatures/")
    )
    compact = field_bytes(1, grant[:_R_AND_S]) + field_varint(2, grant[_R_AND_S] - 27)
    signed_key = field_bytes(1, key) + field_bytes(2, field_bytes(2, compact))
    signature = Wallet(_DELEGATE).sign_hash(eip191_hash(text))
    return Signature.FromString(
        field_bytes(_RETIRED, field_bytes(1, signed_key) + field_bytes(2, field_bytes(1, signature)))
    )
