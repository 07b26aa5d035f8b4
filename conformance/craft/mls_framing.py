"""The framing of MLS messages (RFC 9420 section 6), written field by field so that every field can be broken."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from conformance.craft.mls_objects import MLS10, commit, remove
from conformance.craft.tls import read_vector, u8, u16, u32, u64, vector

_HEADER_BYTES = 4
_EPOCH_BYTES = 8
_INDEX_BYTES = 4
REAL_SENDER_DATA = b"\x17" * 28  # 12 bytes of sender data and an AEAD tag of 16


class WireFormat(IntEnum):
    """What an MLSMessage holds."""

    PUBLIC_MESSAGE = 1
    PRIVATE_MESSAGE = 2
    WELCOME = 3
    GROUP_INFO = 4
    KEY_PACKAGE = 5


class ContentType(IntEnum):
    """What a framed content is; decides the flag and the retention of a stored envelope (API-212)."""

    APPLICATION = 1
    PROPOSAL = 2
    COMMIT = 3


class SenderType(IntEnum):
    """Who sends a PublicMessage."""

    MEMBER = 1
    EXTERNAL = 2
    NEW_MEMBER_PROPOSAL = 3
    NEW_MEMBER_COMMIT = 4


@dataclass(frozen=True, kw_only=True)
class Sender:
    """The sender of a PublicMessage; `index` is the leaf of a member or the place of an external sender."""

    type: int = SenderType.MEMBER
    index: int = 0

    def encoded(self) -> bytes:
        """Encode the sender: one byte of type, and four of index where the type has one."""
        return u8(self.type) + (u32(self.index) if self.type in (SenderType.MEMBER, SenderType.EXTERNAL) else b"")


MEMBER = Sender()
EXTERNAL = Sender(type=SenderType.EXTERNAL)
NEW_MEMBER_PROPOSAL = Sender(type=SenderType.NEW_MEMBER_PROPOSAL)
NEW_MEMBER_COMMIT = Sender(type=SenderType.NEW_MEMBER_COMMIT)


def mls_message(wire_format: int, body: bytes, *, version: int = MLS10) -> bytes:
    """Put the four header bytes before a body: protocol version and wire format, two bytes each."""
    return u16(version) + u16(wire_format) + body


def private_message(
    group_id: bytes,
    *,
    epoch: int = 0,
    content_type: int = ContentType.APPLICATION,
    authenticated_data: bytes = b"",
    encrypted_sender_data: bytes = REAL_SENDER_DATA,
    ciphertext: bytes = b"\x18" * 32,
    version: int = MLS10,
    wire_format: int = WireFormat.PRIVATE_MESSAGE,
    group_id_length_width: int | None = None,
) -> bytes:
    """Encode an MLSMessage with a PrivateMessage; nothing in it is ever decrypted, so any bytes do as ciphertext.

    `content_type` stands in the clear in one byte. `group_id_length_width` 2 or 4 writes the length of the group id
    wider than needed, which RFC 9420 section 2.1.2 calls malformed.
    """
    body = b"".join(
        (
            vector(group_id, width=group_id_length_width),
            u64(epoch),
            u8(content_type),
            vector(authenticated_data),
            vector(encrypted_sender_data),
            vector(ciphertext),
        )
    )
    return mls_message(wire_format, body, version=version)


_CONTENT = {
    ContentType.APPLICATION: vector(b"text"),
    ContentType.PROPOSAL: remove(),
    ContentType.COMMIT: commit(),
}


def public_message(
    group_id: bytes,
    *,
    epoch: int = 0,
    sender: Sender = MEMBER,
    authenticated_data: bytes = b"",
    content_type: int = ContentType.PROPOSAL,
    content: bytes | None = None,
    signature: bytes = b"\x19" * 64,
    confirmation_tag: bytes = b"\x1a" * 32,
    membership_tag: bytes = b"\x1b" * 32,
    version: int = MLS10,
    wire_format: int = WireFormat.PUBLIC_MESSAGE,
    group_id_length_width: int | None = None,
) -> bytes:
    """Encode an MLSMessage with a PublicMessage.

    `content` None takes the smallest useful content of its type: a text, a Remove proposal, an empty commit. The
    confirmation tag is written for a commit only, the membership tag for a member only (RFC 9420 section 6).
    Raises ValueError for an unknown content type without content.
    """
    body = b"".join(
        (
            vector(group_id, width=group_id_length_width),
            u64(epoch),
            sender.encoded(),
            vector(authenticated_data),
            u8(content_type),
            _CONTENT[ContentType(content_type)] if content is None else content,
            vector(signature),
            vector(confirmation_tag) if content_type == ContentType.COMMIT else b"",
            vector(membership_tag) if sender.type == SenderType.MEMBER else b"",
        )
    )
    return mls_message(wire_format, body, version=version)


@dataclass(frozen=True, kw_only=True)
class Framed:
    """What the clear part of a group message says."""

    wire_format: WireFormat
    group_id: bytes
    content_type: ContentType


def read_frame(data: bytes) -> Framed:
    """Read the clear part of a message this module wrote; ValueError when it is none.

    For the suite's own envelopes: it stops at the content type and judges nothing behind it.
    """
    try:
        wire_format = WireFormat(int.from_bytes(data[2:_HEADER_BYTES], "big"))
        group_id, position = read_vector(data, _HEADER_BYTES)
        position += _EPOCH_BYTES
        if wire_format is WireFormat.PUBLIC_MESSAGE:
            indexed = data[position] in (SenderType.MEMBER, SenderType.EXTERNAL)
            _, position = read_vector(data, position + 1 + (_INDEX_BYTES if indexed else 0))
        elif wire_format is not WireFormat.PRIVATE_MESSAGE:
            raise ValueError(f"an MLSMessage with a {wire_format.name} body names no group")
        return Framed(wire_format=wire_format, group_id=group_id, content_type=ContentType(data[position]))
    except IndexError as cut:
        raise ValueError("the message is cut short before its content type") from cut
