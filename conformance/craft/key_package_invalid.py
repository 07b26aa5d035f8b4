"""Key packages that parse and break a rule of MLS (API-230, JOIN-004, 007, 008), each beside a twin that must be taken.

Each is signed with its fault in place, unless the signature is the fault. Lifetimes keep at least two seconds from the
time of `Draw.now_s`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from conformance.craft.catalogue import Malformed, by_name
from conformance.craft.draw import Draw
from conformance.craft.key_package import (
    BASIC,
    DAY_S,
    HOUR_S,
    LEAF_LABEL,
    PACKAGE_LABEL,
    X509,
    Capabilities,
    Parts,
    Sign,
    basic,
    signer,
)
from conformance.craft.key_package_fault import Change, Make, changed, faulty
from conformance.craft.key_package_malformed import MALFORMED_PAYLOAD
from conformance.craft.mls_objects import MLS10, SUITE, LeafSource
from conformance.craft.tls import u16, vector
from conformance.craft.wire_format import field_bytes
from conformance.pb import backend_pb2

INVALID_KEY_PACKAGE = int(backend_pb2.PublishError.REASON_INVALID_KEY_PACKAGE)
UNKNOWN_SUITE = 0xEEEE
_INBOX_ID = 1
_MARGIN_S = 2


def _missigned(name: str, make: Make) -> Malformed:
    """Describe a package with a signature that does not verify."""
    return faulty(name, make, clause="API-230.h", reason=INVALID_KEY_PACKAGE)


def _invalid(name: str, change: Change, *, also: tuple[int, ...] = ()) -> Malformed:
    """Describe a package with changed parts, signed as it is."""
    return faulty(name, changed(change), clause="API-230.h", reason=INVALID_KEY_PACKAGE, also=also)


def _lifetime(name: str, bounds: Callable[[int], tuple[int, int]]) -> Malformed:
    """Describe a package by its lifetime, made from the time in seconds."""

    def change(draw: Draw, parts: Parts) -> Parts:
        not_before, not_after = bounds(draw.now_s())
        return replace(parts, not_before=not_before, not_after=not_after)

    return _invalid(name, change)


def _relabelled(sign: Sign, label: bytes) -> Sign:
    return lambda _, content: sign(label, content)


def _constant(signature: bytes) -> Sign:
    return lambda _label, _content: signature


def _flipped(sign: Sign) -> Sign:
    def flip(label: bytes, content: bytes) -> bytes:
        signature = sign(label, content)
        return signature[:-1] + bytes([signature[-1] ^ 1])

    return flip


def _shortened(sign: Sign) -> Sign:
    return lambda label, content: sign(label, content)[:-1]


def _of_somebody_else(draw: Draw) -> Sign:
    return signer(draw, draw.installation_key())


def _unlike_its_leaf(change: Callable[[Parts], Parts]) -> Make:
    """Change the leaf after it was signed, and sign the package over the changed one."""

    def make(_draw: Draw, parts: Parts, sign: Sign) -> bytes:
        return change(parts).encoded(sign, sign_leaf=lambda label, _: sign(label, parts.leaf_to_sign()))

    return make


def _swapped_after_signing(_draw: Draw, parts: Parts, sign: Sign) -> bytes:
    """Put another init key into a package that was signed."""
    signed, other = parts.encoded(sign), replace(parts, init_key=bytes(reversed(parts.init_key)))
    return signed.replace(vector(parts.init_key), vector(other.init_key), 1)


def _in_a_group(source: LeafSource) -> Change:
    return lambda draw, parts: replace(
        parts, source=source, parent_hash=draw.bytes(32), bound_to=(draw.group_id(), draw.random.randrange(8))
    )


def _identity(name: str, identity: bytes) -> Malformed:
    return _invalid(name, lambda _, parts: replace(parts, credential=basic(identity)))


def _of_version(version: int) -> Malformed:
    return _invalid(
        f"version-{version}",
        lambda _, parts: replace(parts, version=version, capabilities=Capabilities(versions=(MLS10, version))),
        also=(MALFORMED_PAYLOAD,),
    )


_WRONG_SIGNATURES: Mapping[str, Callable[[Draw, Sign], Sign]] = {
    "of-another-key": lambda draw, _: _of_somebody_else(draw),
    "of-zeros": lambda _draw, _sign: _constant(bytes(64)),
    "empty": lambda _draw, _sign: _constant(b""),
    "one-byte-short": lambda _, sign: _shortened(sign),
    "one-bit-off": lambda _, sign: _flipped(sign),
    "under-no-label": lambda _, sign: _relabelled(sign, b""),
}


def _wrong_signature(name: str, wrong: Callable[[Draw, Sign], Sign]) -> Malformed:
    return _missigned(f"signature-{name}", lambda draw, parts, sign: parts.encoded(wrong(draw, sign), sign_leaf=sign))


def _wrong_leaf_signature(name: str, wrong: Callable[[Draw, Sign], Sign]) -> Malformed:
    return _missigned(
        f"leaf-signature-{name}", lambda draw, parts, sign: parts.encoded(sign, sign_leaf=wrong(draw, sign))
    )


INVALID_KEY_PACKAGES: Mapping[str, Malformed] = by_name(
    _lifetime("expired-just-now", lambda now_s: (now_s - DAY_S, now_s - _MARGIN_S)),
    _lifetime("expired-an-hour-ago", lambda now_s: (now_s - DAY_S, now_s - HOUR_S)),
    _lifetime("expired-in-1970", lambda _: (0, 1)),
    _lifetime("not-yet-valid", lambda now_s: (now_s + HOUR_S, now_s + DAY_S)),
    _lifetime("not-yet-valid-for-ages", lambda now_s: (now_s + 30 * 365 * DAY_S, (1 << 64) - 1)),
    _lifetime("lifetime-reversed", lambda now_s: (now_s + HOUR_S, now_s - HOUR_S)),
    _lifetime("lifetime-empty", lambda now_s: (now_s - HOUR_S, now_s - HOUR_S)),
    _lifetime("lifetime-of-zeros", lambda _: (0, 0)),
    *(_wrong_signature(name, wrong) for name, wrong in _WRONG_SIGNATURES.items()),
    *(_wrong_leaf_signature(name, wrong) for name, wrong in _WRONG_SIGNATURES.items()),
    _missigned(
        "signature-labelled-as-of-a-leaf",
        lambda _, parts, sign: parts.encoded(_relabelled(sign, LEAF_LABEL), sign_leaf=sign),
    ),
    _missigned(
        "leaf-signature-labelled-as-of-a-package",
        lambda _, parts, sign: parts.encoded(sign, sign_leaf=_relabelled(sign, PACKAGE_LABEL)),
    ),
    _missigned("both-signatures-of-another-key", lambda draw, parts, _: parts.encoded(_of_somebody_else(draw))),
    _missigned("init-key-exchanged-after-signing", _swapped_after_signing),
    _missigned(
        "leaf-lifetime-changed-after-signing",
        _unlike_its_leaf(lambda parts: replace(parts, not_after=parts.not_after + DAY_S)),
    ),
    _missigned(
        "leaf-credential-changed-after-signing",
        _unlike_its_leaf(lambda parts: replace(parts, credential=basic(b"\x0a\x03abc"))),
    ),
    _invalid("one-key-for-two-purposes", lambda _, parts: replace(parts, encryption_key=parts.init_key)),
    _invalid("leaf-of-an-update", _in_a_group(LeafSource.UPDATE)),
    _invalid("leaf-of-a-commit", _in_a_group(LeafSource.COMMIT)),
    _invalid(
        "credential-of-certificates",
        lambda draw, parts: replace(
            parts,
            credential=u16(X509) + vector(vector(draw.bytes(200))),
            capabilities=Capabilities(credentials=(BASIC, X509)),
        ),
    ),
    _identity("identity-cut-short", field_bytes(_INBOX_ID, b"a" * 64)[:-1]),
    _identity("identity-no-message", b"\xff" * 16),
    _identity("identity-not-utf8", field_bytes(_INBOX_ID, b"\xc3\x28\xff" * 3)),
    *map(_of_version, (0, 2)),
    _invalid(
        "suite-nobody-knows",
        lambda _, parts: replace(
            parts, cipher_suite=UNKNOWN_SUITE, capabilities=Capabilities(cipher_suites=(SUITE, UNKNOWN_SUITE))
        ),
        also=(MALFORMED_PAYLOAD,),
    ),
)
