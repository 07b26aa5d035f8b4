"""Reads over the structures inside a public MLS message: proposals, commits, and what they carry (RFC 9420).

Structure only: lengths, tags and presence bytes must fit; no value is judged.
"""

from __future__ import annotations

from collections.abc import Callable

from conformance.reference.backend.tls_reader import TlsError, TlsReader

BASIC_CREDENTIAL = 1
X509_CREDENTIAL = 2

LEAF_OF_KEY_PACKAGE = 1
LEAF_OF_UPDATE = 2
LEAF_OF_COMMIT = 3

EXTERNAL_PSK = 1
RESUMPTION_PSK = 2

BY_VALUE = 1
BY_REFERENCE = 2

APP_DATA_CHANGE = 1
APP_DATA_REMOVE = 2


def read_proposal(reader: TlsReader) -> None:
    """Read one Proposal (section 12.1); a type no specification gives a body is read as one opaque vector."""
    read_body = _PROPOSALS.get(reader.u16())
    if read_body is None:
        reader.opaque()
    else:
        read_body(reader)


def read_commit(reader: TlsReader) -> None:
    """Read one Commit (section 12.4)."""
    _read_each(reader.vector(), _read_proposal_or_reference)
    if reader.optional():
        read_leaf_node(reader)
        _read_each(reader.vector(), _read_path_node)


def read_key_package(reader: TlsReader) -> None:
    """Read one KeyPackage (section 10)."""
    reader.u16()  # version
    reader.u16()  # cipher_suite
    reader.opaque()  # init_key
    read_leaf_node(reader)
    _read_extensions(reader)
    reader.opaque()  # signature


def read_leaf_node(reader: TlsReader) -> None:
    """Read one LeafNode (section 7.2)."""
    reader.opaque()  # encryption_key
    reader.opaque()  # signature_key
    _read_credential(reader)
    for _ in range(5):  # versions, cipher suites, extensions, proposals, credentials
        _read_each(reader.vector(), TlsReader.u16)
    source = reader.u8()
    if source == LEAF_OF_KEY_PACKAGE:
        reader.u64()  # not_before
        reader.u64()  # not_after
    elif source == LEAF_OF_COMMIT:
        reader.opaque()  # parent_hash
    elif source != LEAF_OF_UPDATE:
        raise TlsError(f"leaf node source {source}")
    _read_extensions(reader)
    reader.opaque()  # signature


def _read_credential(reader: TlsReader) -> None:
    kind = reader.u16()
    if kind == BASIC_CREDENTIAL:
        reader.opaque()  # identity
    elif kind == X509_CREDENTIAL:
        _read_each(reader.vector(), TlsReader.opaque)
    else:
        raise TlsError(f"credential type {kind}")


def _read_extensions(reader: TlsReader) -> None:
    _read_each(reader.vector(), _read_extension)


def _read_extension(reader: TlsReader) -> None:
    reader.u16()
    reader.opaque()


def _read_proposal_or_reference(reader: TlsReader) -> None:
    kind = reader.u8()
    if kind == BY_VALUE:
        read_proposal(reader)
    elif kind == BY_REFERENCE:
        reader.opaque()
    else:
        raise TlsError(f"proposal-or-reference type {kind}")


def _read_path_node(reader: TlsReader) -> None:
    reader.opaque()  # encryption_key
    _read_each(reader.vector(), _read_hpke_ciphertext)


def _read_hpke_ciphertext(reader: TlsReader) -> None:
    reader.opaque()  # kem_output
    reader.opaque()  # ciphertext


def _read_pre_shared_key(reader: TlsReader) -> None:
    kind = reader.u8()
    if kind == EXTERNAL_PSK:
        reader.opaque()  # psk_id
    elif kind == RESUMPTION_PSK:
        reader.u8()  # usage
        reader.opaque()  # psk_group_id
        reader.u64()  # psk_epoch
    else:
        raise TlsError(f"pre-shared key type {kind}")
    reader.opaque()  # psk_nonce


def _read_reinit(reader: TlsReader) -> None:
    reader.opaque()  # group_id
    reader.u16()  # version
    reader.u16()  # cipher_suite
    _read_extensions(reader)


def _read_app_data_update(reader: TlsReader) -> None:
    reader.u16()  # component id
    operation = reader.u8()
    if operation == APP_DATA_CHANGE:
        reader.opaque()
    elif operation != APP_DATA_REMOVE:
        raise TlsError(f"app data operation {operation}")


def _read_nothing(_reader: TlsReader) -> None:
    """Read the empty body of self_remove."""


def _read_each(items: TlsReader, read_item: Callable[[TlsReader], object]) -> None:
    while not items.at_end:
        read_item(items)


_PROPOSALS: dict[int, Callable[[TlsReader], object]] = {
    1: read_key_package,  # add
    2: read_leaf_node,  # update
    3: TlsReader.u32,  # remove
    4: _read_pre_shared_key,
    5: _read_reinit,
    6: TlsReader.opaque,  # external_init
    7: _read_extensions,  # group_context_extensions
    8: _read_app_data_update,
    10: _read_nothing,  # self_remove
}
