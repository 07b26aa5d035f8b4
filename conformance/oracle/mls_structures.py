"""What the suite takes for a group message and for a key package: the grammar of RFC 9420 sections 6, 7, 10 and 12."""

from __future__ import annotations

from conformance.oracle.mls_grammar import (
    Record,
    Rule,
    Unreadable,
    follows,
    has,
    left_open,
    listed,
    nothing,
    opaque,
    optional,
    record,
    u8,
    u16,
    u32,
    u64,
)

PUBLIC, PRIVATE = 1, 2
APPLICATION, PROPOSAL, COMMIT = 1, 2, 3
MEMBER, EXTERNAL, NEW_MEMBER_PROPOSAL, NEW_MEMBER_COMMIT = 1, 2, 3, 4
BASIC, X509 = 1, 2
OF_KEY_PACKAGE, OF_UPDATE, OF_COMMIT = 1, 2, 3

EXTENSIONS = listed(record(has("type", u16), has("data", opaque)))

LEAF_NODE = record(
    has("encryption_key", opaque),
    has("signature_key", opaque),
    has("credential_type", u16),
    follows(
        "credential",
        "credential_type",
        {BASIC: opaque, X509: listed(opaque)},
        otherwise=left_open("a credential of an unknown type"),
    ),
    has("versions", listed(u16)),
    has("cipher_suites", listed(u16)),
    has("extension_types", listed(u16)),
    has("proposal_types", listed(u16)),
    has("credential_types", listed(u16)),
    has("source", u8),
    follows(
        "by_source",
        "source",
        {
            OF_KEY_PACKAGE: record(has("not_before", u64), has("not_after", u64)),
            OF_UPDATE: nothing,
            OF_COMMIT: opaque,
        },
    ),
    has("extensions", EXTENSIONS),
    has("signature", opaque),
)

_START_OF_KEY_PACKAGE = record(
    has("version", u16),
    has("cipher_suite", u16),
    has("init_key", opaque),
    has("encryption_key", opaque),
    has("signature_key", opaque),
)
KEY_PACKAGE = record(
    has("version", u16),
    has("cipher_suite", u16),
    has("init_key", opaque),
    has("leaf", LEAF_NODE),
    has("extensions", EXTENSIONS),
    has("signature", opaque),
)

_PSK = record(
    has("kind", u8),
    follows(
        "id",
        "kind",
        {1: opaque, 2: record(has("usage", u8), has("group_id", opaque), has("epoch", u64))},
    ),
    has("nonce", opaque),
)
_REINIT = record(has("group_id", opaque), has("version", u16), has("cipher_suite", u16), has("extensions", EXTENSIONS))

_PROPOSAL = record(
    has("type", u16),
    follows(
        "body",
        "type",
        {1: KEY_PACKAGE, 2: LEAF_NODE, 3: u32, 4: _PSK, 5: _REINIT, 6: opaque, 7: EXTENSIONS},
        otherwise=left_open("a proposal of a type that RFC 9420 does not define"),
    ),
)
_PROPOSAL_OR_REFERENCE = record(has("kind", u8), follows("proposal", "kind", {1: _PROPOSAL, 2: opaque}))
_PATH_NODE = record(
    has("encryption_key", opaque), has("secrets", listed(record(has("kem_output", opaque), has("ciphertext", opaque))))
)
_COMMIT = record(
    has("proposals", listed(_PROPOSAL_OR_REFERENCE)),
    has("path", optional(record(has("leaf", LEAF_NODE), has("nodes", listed(_PATH_NODE))))),
)

_PRIVATE = record(
    has("group_id", opaque),
    has("epoch", u64),
    has("content_type", u8),
    follows("content", "content_type", dict.fromkeys((APPLICATION, PROPOSAL, COMMIT), nothing)),
    has("authenticated_data", opaque),
    has("encrypted_sender_data", opaque),
    has("ciphertext", opaque),
)
_PUBLIC = record(
    has("group_id", opaque),
    has("epoch", u64),
    has("sender", u8),
    follows(
        "sender_index",
        "sender",
        {MEMBER: u32, EXTERNAL: u32, NEW_MEMBER_PROPOSAL: nothing, NEW_MEMBER_COMMIT: nothing},
    ),
    has("authenticated_data", opaque),
    has("content_type", u8),
    follows(
        "content",
        "content_type",
        {
            APPLICATION: left_open("an application message in public framing"),
            PROPOSAL: _PROPOSAL,
            COMMIT: _COMMIT,
        },
    ),
    has("signature", opaque),
    follows("confirmation_tag", "content_type", {COMMIT: opaque}, otherwise=nothing),
    follows("membership_tag", "sender", {MEMBER: opaque}, otherwise=nothing),
)
_MESSAGE = record(
    has("version", u16),
    follows("mls10", "version", {1: nothing}),
    has("wire_format", u16),
    follows("body", "wire_format", {PUBLIC: _PUBLIC, PRIVATE: _PRIVATE}),
)


def _read(rule: Rule, data: bytes) -> tuple[Record, int]:
    found, place = rule(data, 0, len(data))
    if not isinstance(found, Record):
        raise TypeError("only a record can be read from the start")
    return found, place


def group_message(data: bytes) -> Record:
    """Read the public or private message that `data` starts with, whatever stands behind it (API-230).

    Gives its body. Raises Unreadable when there is no such message, and LeftOpen where that is open.
    """
    body = _read(_MESSAGE, data)[0]["body"]
    if not isinstance(body, Record):
        raise TypeError("the body of a message is a record")
    return body


def signature_key(data: bytes) -> bytes:
    """Read a key package as far as the key of its leaf. Raises Unreadable when it ends before that."""
    key = _read(_START_OF_KEY_PACKAGE, data)[0]["signature_key"]
    if not isinstance(key, bytes):
        raise TypeError("a key is bytes")
    return key


def key_package(data: bytes) -> Record:
    """Read a key package that fills `data` exactly (API-230). Raises Unreadable and LeftOpen like `group_message`."""
    package, place = _read(KEY_PACKAGE, data)
    if place != len(data):
        raise Unreadable(f"{len(data) - place} bytes follow the key package")
    return package
