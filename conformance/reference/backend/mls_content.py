"""Reads over the structures inside a public MLS message: proposals, commits, and what they carry (RFC 9420).

Structure only: lengths, tags and presence bytes must fit; no value is judged.
"""

from __future__ import annotations

from collections.abc import Callable

from conformance.reference.backend.key_package_reader import read_extensions, read_key_package, read_leaf_node
from conformance.reference.backend.tls_reader import TlsError, TlsReader

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
    read_extensions(reader)


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
    7: read_extensions,  # group_context_extensions
    8: _read_app_data_update,
    10: _read_nothing,  # self_remove
}
