"""Odd key packages that admission must take (API-230.i, API-235), and those that the contract leaves open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from conformance.craft.catalogue import Accepted, by_name
from conformance.craft.draw import Draw
from conformance.craft.encodings import UNKNOWN_FIELD
from conformance.craft.key_package import (
    APP_DATA_DICTIONARY,
    APPLICATION_ID,
    DAY_S,
    GROUP_CONTEXT_EXTENSIONS,
    HOUR_S,
    LAST_RESORT,
    LAST_SECOND,
    WRAPPER_ENCRYPTION,
    XWING_KEY_BYTES,
    Capabilities,
    Parts,
    application_id,
    basic,
    credential,
    key_package_envelope,
    signer,
    usual_parts,
)
from conformance.craft.key_package_malformed import P256_SUITE
from conformance.craft.topics import Kind
from conformance.craft.wire_format import field_bytes, field_varint

OTHER_SUITE = 0x0001  # MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519
_INBOX_ID = 1
_YEAR_S = 365 * DAY_S
_FIRST_SECOND_PAST_SIGNED_NS = 9_223_372_037
_RATCHET_TREE = 0x0002
_UNLISTED, _GREASE = 0xFF77, 0x0A0A
_EVERYTHING = Capabilities().extensions
_WITHOUT_PROPOSALS = Capabilities(proposals=())
_BARE = Capabilities(versions=(), cipher_suites=(), extensions=(), proposals=(), credentials=())
_PLAIN = ((LAST_RESORT, b""),)

Change = Callable[[Draw, Parts], Parts]


def _shape(clause: str, name: str, change: Change, *, wrapper_key_bytes: int = 32) -> Accepted:
    """Describe a package with changed parts, signed as it is."""

    def make(draw: Draw) -> bytes:
        key = draw.installation_key()
        parts = change(draw, usual_parts(draw, key, wrapper_key_bytes=wrapper_key_bytes))
        return parts.encoded(signer(draw, key))

    return Accepted(
        name=f"key-package-{name}",
        kind=Kind.KEY_PACKAGE,
        clause=clause,
        make=lambda draw: key_package_envelope(make(draw)),
    )


def _with(clause: str, name: str, **parts: object) -> Accepted:
    """Describe a package that differs from a real client's in these parts."""
    return _shape(clause, name, lambda _, usual: replace(usual, **parts))  # type: ignore[arg-type] # one of many fields


def _inbox(name: str, inbox_id: str) -> Accepted:
    return _with("API-235.a", f"inbox-{name}", credential=credential(inbox_id))


def _capabilities(name: str, listed: Capabilities, **parts: object) -> Accepted:
    """Describe a package that lists this much, and carries nothing of its own that it does not list."""
    return _with("API-235.c", f"capabilities-{name}", capabilities=listed, **{"extensions": _PLAIN, **parts})


def _lifetime(name: str, bounds: Callable[[int], tuple[int, int]]) -> Accepted:
    def change(draw: Draw, parts: Parts) -> Parts:
        not_before, not_after = bounds(draw.now_s())
        return replace(parts, not_before=not_before, not_after=not_after)

    return _shape("API-235.d", f"lifetime-{name}", change)


ACCEPTED_KEY_PACKAGES: Mapping[str, Accepted] = by_name(
    _with("API-230.i", "like-a-real-one-but-short"),
    _shape("API-230.i", "like-a-real-one", lambda _, parts: parts, wrapper_key_bytes=XWING_KEY_BYTES),
    _with("API-230.i", "without-last-resort", extensions=()),
    _with("API-230.i", "without-application-id", leaf_extensions=()),
    _with("API-230.i", "application-id-of-another-inbox", leaf_extensions=(application_id("ab" * 32),)),
    _with("API-230.i", "wrapper-extension-of-noise", extensions=((WRAPPER_ENCRYPTION, b"\xff" * 40),)),
    _with("API-230.i", "of-a-well-known-inbox-id", credential=credential("00" * 32)),
    _inbox("of-no-characters", ""),
    _inbox("no-hexadecimal", "not-hex"),
    _inbox("of-63-characters", "a" * 63),
    _inbox("of-65-characters", "a" * 65),
    _inbox("of-64-other-characters", "g" * 64),
    _inbox("in-upper-case", "AB" * 32),
    _inbox("with-prefix", "0x" + "ab" * 32),
    _inbox("of-1000-characters", "ab" * 500),
    _inbox("beyond-ascii", "ü" * 64),
    _with("API-235.a", "inbox-empty-but-present", credential=basic(field_bytes(_INBOX_ID, b""))),
    _with("API-235.a", "inbox-absent-beside-another-field", credential=basic(field_varint(UNKNOWN_FIELD, 1))),
    _with(
        "API-235.b",
        "of-another-suite",
        cipher_suite=OTHER_SUITE,
        capabilities=Capabilities(cipher_suites=(OTHER_SUITE,)),
    ),
    _with(
        "API-235.b",
        "of-another-suite-among-several",
        cipher_suite=OTHER_SUITE,
        capabilities=Capabilities(cipher_suites=(3, OTHER_SUITE, 2)),
    ),
    _capabilities("without-extensions", Capabilities(extensions=()), extensions=()),
    _capabilities("without-xmtp-extensions", Capabilities(extensions=(LAST_RESORT,))),
    _capabilities(
        "without-the-dictionary",
        Capabilities(
            extensions=[kind for kind in _EVERYTHING if kind != APP_DATA_DICTIONARY],
            proposals=(GROUP_CONTEXT_EXTENSIONS,),
        ),
    ),
    _capabilities("without-proposals", _WITHOUT_PROPOSALS),
    _capabilities("without-either", Capabilities(extensions=(), proposals=()), extensions=()),
    _capabilities("of-empty-lists", _BARE, extensions=(), leaf_extensions=()),
    _lifetime("of-20-years", lambda now_s: (now_s - HOUR_S, now_s + 20 * _YEAR_S)),
    _lifetime("of-100-years", lambda now_s: (now_s - HOUR_S, now_s + 100 * _YEAR_S)),
    _lifetime("of-85-days", lambda now_s: (now_s - HOUR_S, now_s + 85 * DAY_S)),
    _lifetime("since-1970", lambda now_s: (0, now_s + DAY_S)),
    _lifetime("past-signed-nanoseconds", lambda now_s: (now_s - HOUR_S, _FIRST_SECOND_PAST_SIGNED_NS)),
    _lifetime("past-signed-seconds", lambda now_s: (now_s - HOUR_S, 1 << 63)),
    _lifetime("for-ever", lambda now_s: (now_s - HOUR_S, LAST_SECOND)),
    _lifetime("always", lambda _: (0, LAST_SECOND)),
)

# why each is open: a rule of RFC 9420 against API-235, a rule no validator is bound to apply without a group, or a
# body that one validator reads and another does not. Taking it and refusing it are both lawful: a note, no verdict
OPEN_KEY_PACKAGES: Mapping[str, Accepted] = by_name(
    _with(
        "API-230.h",
        "extension-not-listed",
        capabilities=Capabilities(extensions=[kind for kind in _EVERYTHING if kind != WRAPPER_ENCRYPTION]),
    ),
    _with(
        "API-230.h",
        "last-resort-not-listed",
        capabilities=Capabilities(extensions=[kind for kind in _EVERYTHING if kind != LAST_RESORT]),
    ),
    _with("API-230.h", "leaf-extension-not-listed", leaf_extensions=((_UNLISTED, b""),)),
    _with("API-230.h", "own-credential-type-not-listed", capabilities=Capabilities(credentials=())),
    _with("API-230.h", "own-suite-not-listed", capabilities=Capabilities(cipher_suites=(OTHER_SUITE,))),
    _with("API-230.h", "own-version-not-listed", capabilities=Capabilities(versions=())),
    _with("API-230.h", "init-key-empty", init_key=b""),
    _with("API-230.h", "init-key-short", init_key=b"\x07" * 31),
    _with("API-230.h", "encryption-key-empty", encryption_key=b""),
    _with("API-230.h", "encryption-key-short", encryption_key=b"\x07" * 31),
    _with("API-230.h", "extension-twice", extensions=(*_PLAIN, *_PLAIN)),
    _with("API-230.h", "application-id-without-length", leaf_extensions=((APPLICATION_ID, b"ab" * 32),)),
    _with("API-230.h", "last-resort-with-data", extensions=((LAST_RESORT, b"\x01"),)),
    _with("API-230.h", "with-a-ratchet-tree", extensions=((_RATCHET_TREE, b"\x00"),)),
    _with(
        "API-230.h",
        "with-grease",
        extensions=((_GREASE, b""),),
        capabilities=Capabilities(extensions=(*_EVERYTHING, _GREASE)),
    ),
    _with("API-230.h", "inbox-id-as-a-number", credential=basic(field_varint(_INBOX_ID, 7))),
    _with("API-230.h", "of-a-suite-with-longer-keys", cipher_suite=P256_SUITE),
)
