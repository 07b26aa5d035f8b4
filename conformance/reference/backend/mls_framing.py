"""Reads the framing of one MLS message (RFC 9420 section 6): its group and the kind of its content."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.reference.backend.mls_content import read_commit, read_proposal
from conformance.reference.backend.tls_reader import TlsError, TlsReader

MLS_10 = 1
PUBLIC_MESSAGE = 1
PRIVATE_MESSAGE = 2

APPLICATION = 1
PROPOSAL = 2
COMMIT = 3

MEMBER = 1
EXTERNAL = 2
NEW_MEMBER_PROPOSAL = 3
NEW_MEMBER_COMMIT = 4


@dataclass(frozen=True, kw_only=True)
class Framing:
    """What the framing shows in clear."""

    group_id: bytes
    content_type: int


def read_framing(data: bytes) -> Framing:
    """Read the PublicMessage or PrivateMessage that `data` starts with; bytes after it are no concern (API-230).

    Raises TlsError when there is no complete message of those two kinds.
    """
    reader = TlsReader(data)
    version = reader.u16()
    if version != MLS_10:
        raise TlsError(f"protocol version {version}")
    wire_format = reader.u16()
    if wire_format == PUBLIC_MESSAGE:
        return _read_public_message(reader)
    if wire_format == PRIVATE_MESSAGE:
        return _read_private_message(reader)
    raise TlsError(f"wire format {wire_format}, where only a public or a private message is stored")


def _read_private_message(reader: TlsReader) -> Framing:
    group_id = reader.opaque()
    reader.u64()  # epoch
    content_type = _read_content_type(reader)
    reader.opaque()  # authenticated_data
    reader.opaque()  # encrypted_sender_data
    reader.opaque()  # ciphertext
    return Framing(group_id=group_id, content_type=content_type)


def _read_public_message(reader: TlsReader) -> Framing:
    group_id = reader.opaque()
    reader.u64()  # epoch
    sender = reader.u8()
    if sender in (MEMBER, EXTERNAL):
        reader.u32()  # the index of the leaf or of the external sender
    elif sender not in (NEW_MEMBER_PROPOSAL, NEW_MEMBER_COMMIT):
        raise TlsError(f"sender type {sender}")
    reader.opaque()  # authenticated_data
    content_type = _read_content_type(reader)
    if content_type == APPLICATION:
        reader.opaque()
    elif content_type == PROPOSAL:
        read_proposal(reader)
    else:
        read_commit(reader)
    reader.opaque()  # signature
    if content_type == COMMIT:
        reader.opaque()  # confirmation_tag
    if sender == MEMBER:
        reader.opaque()  # membership_tag
    return Framing(group_id=group_id, content_type=content_type)


def _read_content_type(reader: TlsReader) -> int:
    content_type = reader.u8()
    if content_type not in (APPLICATION, PROPOSAL, COMMIT):
        raise TlsError(f"content type {content_type}")
    return content_type
