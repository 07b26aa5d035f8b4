"""Updates with a signature that does not verify (IDENT-030), in each kind that needs no chain."""

from __future__ import annotations

import json
from collections.abc import Callable

from conformance.craft.draw import Draw
from conformance.craft.identity.entry import (
    BACKEND,
    IDENT,
    INVALID_IDENTITY_UPDATE,
    INVALID_SIGNATURE,
    MALFORMED_PAYLOAD,
    Situation,
    WrongUpdate,
)
from conformance.craft.identity.installation import OTHER_CONTEXT, Installation, installation_signature
from conformance.craft.identity.passkey import Passkey, challenge, client_data
from conformance.craft.identity.signer import Posing, Signature, altered, over_text
from conformance.craft.identity.slots import ADDED, CREATED, OWNER_SLOTS, Slot, Wrap, as_it_is
from conformance.craft.identity.stage import Owner, Stage, acted
from conformance.craft.identity.wallet import ORDER, erc_191, with_r, with_s, with_v

SIGNATURE = frozenset({INVALID_SIGNATURE})
# a key that is none is not the expected one either, and a backend may look at that first
SIGNATURE_OR_UPDATE = frozenset({INVALID_SIGNATURE, INVALID_IDENTITY_UPDATE})
ANY_OF_THREE = SIGNATURE_OR_UPDATE | {MALFORMED_PAYLOAD}

_NOT_A_POINT = b"\x02" + bytes(31)
_AUTHENTICATOR_FLAGS = 32


def _wrong(
    name: str,
    slot: Slot,
    wrap: Callable[[Stage], Wrap],
    *,
    clause: str = IDENT,
    reasons: frozenset[int] = SIGNATURE,
    owner: Owner = Owner.WALLET,
) -> WrongUpdate:
    """Describe a signature gone wrong in a slot."""

    def make(draw: Draw) -> Situation:
        return acted(
            Stage(draw, owner),
            lambda stage: slot.actions(stage, wrap(stage)),
            lambda stage: slot.actions(stage, as_it_is),
            slot.before,
        )

    return WrongUpdate(name=name, clause=clause, rule="IDENT-030", reasons=reasons, make=make)


def _wallet(name: str, change: Callable[[bytes], bytes], *, slot: Slot = CREATED, clause: str = IDENT) -> WrongUpdate:
    """Describe the bytes of a wallet's signature changed."""
    return _wrong(
        f"{slot.name}-wallet-signature-{name}",
        slot,
        lambda _: lambda signer: altered(signer, lambda signature: erc_191(change(signature.erc_191.bytes))),
        clause=clause,
    )


def _device(
    name: str,
    signs: Callable[[Installation, str], Signature],
    *,
    clause: str = IDENT,
    reasons: frozenset[int] = SIGNATURE,
) -> WrongUpdate:
    """Describe another signature than a new installation should make."""

    def wrap(stage: Stage) -> Wrap:
        device = stage.other_device
        return lambda signer: Posing(identifier=signer.identifier, signs=lambda text: signs(device, text))

    return _wrong(f"installation-signature-{name}", ADDED, wrap, clause=clause, reasons=reasons)


def _wallet_v(v: int) -> WrongUpdate:
    return _wallet(f"with-v-{v}", lambda signature: with_v(signature, v))


def _device_signature_of(size: int) -> WrongUpdate:
    return _device(
        f"of-{size}-bytes",
        lambda device, text: installation_signature(
            device.sign(text).installation_key.bytes.ljust(size, b"\x00")[:size], device.key
        ),
    )


def _device_key_of(size: int) -> WrongUpdate:
    return _device(
        f"by-a-key-of-{size}-bytes",
        lambda device, text: installation_signature(
            device.sign(text).installation_key.bytes, device.key.ljust(size, b"\x00")[:size]
        ),
        reasons=ANY_OF_THREE,
    )


def _passkey(
    name: str,
    change: Callable[[Passkey, str, Signature], Signature],
    *,
    clause: str = IDENT,
    reasons: frozenset[int] = SIGNATURE,
) -> WrongUpdate:
    """Describe another assertion than the passkey that opens an inbox should make."""

    def wrap(stage: Stage) -> Wrap:
        passkey = stage.own_passkey
        return lambda signer: Posing(
            identifier=signer.identifier, signs=lambda text: change(passkey, text, passkey.sign(text))
        )

    return _wrong(f"passkey-signature-{name}", CREATED, wrap, clause=clause, reasons=reasons, owner=Owner.PASSKEY)


def _resigned(client_data_of: Callable[[str], bytes]) -> Callable[[Passkey, str, Signature], Signature]:
    """Sign other client data, rightly."""
    return lambda passkey, text, _: passkey.assertion(client_data_of(text))


def _set(field: str, change: Callable[[bytes], bytes]) -> Callable[[Passkey, str, Signature], Signature]:
    """Change a field of an assertion after it was signed."""

    def changed(_: Passkey, __: str, signature: Signature) -> Signature:
        setattr(signature.passkey, field, change(getattr(signature.passkey, field)))
        return signature

    return changed


def _flipped(at: int) -> Callable[[bytes], bytes]:
    return lambda data: data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def _renamed_challenge(text: str) -> bytes:
    return client_data(text).replace(b'"challenge"', b'"challange"')


WRONG_SIGNATURE: tuple[WrongUpdate, ...] = (
    *(_wallet("of-64-bytes", lambda signature: signature[:-1], slot=slot, clause=BACKEND) for slot in OWNER_SLOTS),
    _wallet("of-66-bytes", lambda signature: signature + b"\x00"),
    _wallet("of-no-bytes", lambda _: b""),
    *map(_wallet_v, (2, 3, 26, 29, 35, 37, 255)),
    _wallet("of-zeros", lambda _: bytes(64) + b"\x1b", clause=BACKEND),
    _wallet("with-r-0", lambda signature: with_r(signature, 0)),
    _wallet("with-s-0", lambda signature: with_s(signature, 0)),
    _wallet("with-r-of-the-order", lambda signature: with_r(signature, ORDER)),
    _wallet("with-s-of-the-order", lambda signature: with_s(signature, ORDER)),
    _device("over-another-text", lambda device, text: over_text(device, str.upper).sign(text), clause=BACKEND),
    _device(
        "with-a-flipped-bit",
        lambda device, text: installation_signature(_flipped(5)(device.sign(text).installation_key.bytes), device.key),
        clause=BACKEND,
    ),
    _device(
        "under-another-context",
        lambda device, text: installation_signature(device.prehashed(text.encode(), context=OTHER_CONTEXT), device.key),
    ),
    _device(
        "under-no-context",
        lambda device, text: installation_signature(device.prehashed(text.encode(), context=b""), device.key),
    ),
    _device("not-prehashed", lambda device, text: installation_signature(device.pure(text.encode()), device.key)),
    *map(_device_signature_of, (0, 63, 65)),
    *map(_device_key_of, (0, 31, 33)),
    _device(
        "by-a-key-off-the-curve",
        lambda device, text: installation_signature(device.sign(text).installation_key.bytes, _NOT_A_POINT),
        reasons=ANY_OF_THREE,
    ),
    _passkey("over-another-text", lambda passkey, text, _: passkey.sign(text + " "), clause=BACKEND),
    _passkey("with-a-flipped-bit", _set("authenticator_data", _flipped(_AUTHENTICATOR_FLAGS)), clause=BACKEND),
    _passkey("with-another-counter", _set("authenticator_data", lambda data: data[:-1] + b"\x09")),
    _passkey("with-another-origin", _set("client_data_json", lambda data: data.replace(b"xmtp.chat", b"xmtp.test"))),
    _passkey(
        "with-the-text-as-challenge",
        _resigned(lambda text: client_data(text).replace(challenge(text).encode(), json.dumps(text)[1:-1].encode())),
    ),
    _passkey("without-challenge", _resigned(_renamed_challenge)),
    _passkey(
        "with-a-number-as-challenge",
        _resigned(lambda _: b'{"type":"webauthn.get","challenge":7,"origin":"https://xmtp.chat"}'),
    ),
    _passkey("with-cut-client-data", _resigned(lambda text: client_data(text)[:-1])),
    _passkey("with-client-data-of-noise", _resigned(lambda _: b"\xff\xfe{}")),
    _passkey("with-no-client-data", _resigned(lambda _: b"")),
    _passkey("cut", _set("signature", lambda signature: signature[:-1])),
    _passkey("not-in-der", _set("signature", lambda _: b"\x01" * 64)),
    _passkey("of-no-bytes", _set("signature", lambda _: b"")),
    _passkey("by-a-cut-key", _set("public_key", lambda key: key[:-1]), reasons=SIGNATURE_OR_UPDATE),
    _passkey("by-a-key-off-the-curve", _set("public_key", _flipped(64)), reasons=SIGNATURE_OR_UPDATE),
    _passkey("by-no-key", _set("public_key", lambda _: b""), reasons=SIGNATURE_OR_UPDATE),
)
