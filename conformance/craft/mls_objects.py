"""MLS objects that stand inside or instead of a group message: key packages, leaf nodes, proposals, commits, Welcomes.

They have the right structure (RFC 9420 sections 7, 10, 12) and meaningless keys and signatures: a backend frames a
group message and verifies nothing in it (API-230), so nothing here is ever signed.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from conformance.craft.tls import optional, u8, u16, u32, u64, vector

MLS10 = 1
SUITE = 0x0003  # MLS_128_DHKEMX25519_CHACHA20POLY1305_SHA256_Ed25519
_BASIC = 1
_KEY = 32
_SIGNATURE = 64


class ProposalType(IntEnum):
    """The proposal types of RFC 9420 section 17.4, and the two later ones that XMTP groups use."""

    ADD = 1
    UPDATE = 2
    REMOVE = 3
    PSK = 4
    REINIT = 5
    EXTERNAL_INIT = 6
    GROUP_CONTEXT_EXTENSIONS = 7
    APP_DATA_UPDATE = 8
    SELF_REMOVE = 10


class LeafSource(IntEnum):
    """Where a leaf node came from; decides what stands between its capabilities and its extensions."""

    KEY_PACKAGE = 1
    UPDATE = 2
    COMMIT = 3


def capabilities() -> bytes:
    """Encode the capabilities of a client: versions, suites, extensions, proposals and credentials, 2 bytes each."""
    return vector(u16(MLS10)) + vector(u16(SUITE)) + vector(u16(0x000A)) + vector(u16(7) + u16(8)) + vector(u16(_BASIC))


def leaf_node(
    *, source: LeafSource = LeafSource.KEY_PACKAGE, signature_key: bytes = b"\x02" * _KEY, identity: bytes = b"member"
) -> bytes:
    """Encode a LeafNode (RFC 9420 section 7.2) with a basic credential."""
    by_source = {
        LeafSource.KEY_PACKAGE: u64(0) + u64((1 << 64) - 1),
        LeafSource.UPDATE: b"",
        LeafSource.COMMIT: vector(b"\x03" * _KEY),
    }
    return b"".join(
        (
            vector(b"\x01" * _KEY),
            vector(signature_key),
            u16(_BASIC) + vector(identity),
            capabilities(),
            u8(source) + by_source[source],
            vector(b""),
            vector(b"\x04" * _SIGNATURE),
        )
    )


def key_package(*, signature_key: bytes = b"\x02" * _KEY) -> bytes:
    """Encode a KeyPackage (RFC 9420 section 10) whose signatures verify for nobody."""
    return b"".join(
        (
            u16(MLS10),
            u16(SUITE),
            vector(b"\x05" * _KEY),
            leaf_node(signature_key=signature_key),
            vector(b""),
            vector(b"\x06" * _SIGNATURE),
        )
    )


def add(package: bytes | None = None) -> bytes:
    """Encode an Add proposal."""
    return u16(ProposalType.ADD) + (key_package() if package is None else package)


def update(leaf: bytes | None = None) -> bytes:
    """Encode an Update proposal."""
    return u16(ProposalType.UPDATE) + (leaf_node(source=LeafSource.UPDATE) if leaf is None else leaf)


def remove(leaf_index: int = 1) -> bytes:
    """Encode a Remove proposal."""
    return u16(ProposalType.REMOVE) + u32(leaf_index)


def external_psk(psk_id: bytes = b"psk", nonce: bytes = b"\x07" * _KEY) -> bytes:
    """Encode a PreSharedKey proposal for an external key."""
    return u16(ProposalType.PSK) + u8(1) + vector(psk_id) + vector(nonce)


def resumption_psk(group_id: bytes = b"\x08" * 16, epoch: int = 1, nonce: bytes = b"\x07" * _KEY) -> bytes:
    """Encode a PreSharedKey proposal for the key of an earlier epoch."""
    return u16(ProposalType.PSK) + u8(2) + u8(1) + vector(group_id) + u64(epoch) + vector(nonce)


def reinit(group_id: bytes = b"\x09" * 16) -> bytes:
    """Encode a ReInit proposal."""
    return u16(ProposalType.REINIT) + vector(group_id) + u16(MLS10) + u16(SUITE) + vector(b"")


def external_init(kem_output: bytes = b"\x0a" * _KEY) -> bytes:
    """Encode an ExternalInit proposal."""
    return u16(ProposalType.EXTERNAL_INIT) + vector(kem_output)


def group_context_extensions(*extensions: tuple[int, bytes]) -> bytes:
    """Encode a GroupContextExtensions proposal from extension types and their data."""
    return u16(ProposalType.GROUP_CONTEXT_EXTENSIONS) + vector(
        b"".join(u16(kind) + vector(data) for kind, data in extensions)
    )


def app_data_update(component: int = 0x8000, data: bytes = b"value") -> bytes:
    """Encode an AppDataUpdate proposal; not in RFC 9420, so no rule frames it for every backend."""
    return u16(ProposalType.APP_DATA_UPDATE) + u16(component) + u8(1) + vector(data)


def self_remove() -> bytes:
    """Encode a SelfRemove proposal; not in RFC 9420, so no rule frames it for every backend."""
    return u16(ProposalType.SELF_REMOVE)


def by_value(proposal: bytes) -> bytes:
    """Encode an entry of a commit that carries the proposal."""
    return u8(1) + proposal


def by_reference(reference: bytes = b"\x0b" * _KEY) -> bytes:
    """Encode an entry of a commit that names an earlier proposal by its hash."""
    return u8(2) + vector(reference)


def update_path(nodes: int = 1) -> bytes:
    """Encode an UpdatePath with `nodes` path nodes, each with one encrypted secret."""
    secret = vector(b"\x0c" * _KEY) + vector(b"\x0d" * 48)
    node = vector(b"\x0e" * _KEY) + vector(secret)
    return leaf_node(source=LeafSource.COMMIT) + vector(node * nodes)


def commit(proposals: Sequence[bytes] = (), path: bytes | None = None) -> bytes:
    """Encode a Commit (RFC 9420 section 12.4) from entries made by `by_value` and `by_reference`."""
    return vector(b"".join(proposals)) + optional(path)


def welcome() -> bytes:
    """Encode an MLS Welcome (RFC 9420 section 12.4.3.1) for one new member."""
    secrets = vector(b"\x0f" * _KEY) + vector(b"\x10" * _KEY) + vector(b"\x11" * 48)
    return u16(SUITE) + vector(secrets) + vector(b"\x12" * 64)


def group_info(group_id: bytes) -> bytes:
    """Encode a GroupInfo (RFC 9420 section 12.4.3) of the group."""
    context = u16(MLS10) + u16(SUITE) + vector(group_id) + u64(1) + vector(b"\x13" * 32) + vector(b"\x14" * 32)
    return context + vector(b"") + vector(b"") + vector(b"\x15" * 32) + u32(0) + vector(b"\x16" * _SIGNATURE)
