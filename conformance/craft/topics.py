"""Topics (TOPIC-001): their layout, the topic an envelope belongs on, and topics that are none (TOPIC-003)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from conformance.craft.draw import Draw
from conformance.craft.mls_framing import read_frame
from conformance.craft.tls import read_vector
from conformance.pb import backend_pb2, commit_log_pb2


class Kind(IntEnum):
    """The five kinds of envelope; the value is the first byte of their topics."""

    GROUP_MESSAGE = 0
    WELCOME = 1
    IDENTITY_UPDATE = 2
    KEY_PACKAGE = 3
    COMMIT_LOG = 4


IDENTIFIER_BYTES: Mapping[Kind, int] = {
    Kind.GROUP_MESSAGE: 16,
    Kind.WELCOME: 32,
    Kind.IDENTITY_UPDATE: 32,
    Kind.KEY_PACKAGE: 32,
    Kind.COMMIT_LOG: 16,
}
_INBOX_CHARACTERS = 64
_SUITE_END = 4  # a KeyPackage starts with two bytes of version and two of suite


def topic(kind: Kind, identifier: bytes) -> bytes:
    """Join a kind byte and an identifier; ValueError when the identifier has a length the kind does not allow."""
    if len(identifier) != IDENTIFIER_BYTES[kind]:
        raise ValueError(
            f"the identifier of a {kind.name} topic has {IDENTIFIER_BYTES[kind]} bytes, not {len(identifier)}"
        )
    return bytes([kind]) + identifier


def group_topic(group_id: bytes) -> bytes:
    """Name the topic of a group's messages by its group id of 16 bytes."""
    return topic(Kind.GROUP_MESSAGE, group_id)


def welcome_topic(installation_key: bytes) -> bytes:
    """Name the topic of the Welcomes for an installation by its key of 32 bytes."""
    return topic(Kind.WELCOME, installation_key)


def identity_topic(inbox_id: str) -> bytes:
    """Name the topic of an inbox's identity updates by its id of 64 hexadecimal characters."""
    if len(inbox_id) != _INBOX_CHARACTERS:  # fromhex alone would let spaces pass
        raise ValueError(f"an inbox id has {_INBOX_CHARACTERS} characters, not {len(inbox_id)}")
    return topic(Kind.IDENTITY_UPDATE, bytes.fromhex(inbox_id))


def key_package_topic(signature_key: bytes) -> bytes:
    """Name the topic of an installation's key packages by its signature key of 32 bytes."""
    return topic(Kind.KEY_PACKAGE, signature_key)


def commit_log_topic(group_id: bytes) -> bytes:
    """Name the topic of a group's commit log by its group id of 16 bytes."""
    return topic(Kind.COMMIT_LOG, group_id)


def kind_of(name: bytes) -> Kind:
    """Tell the kind of a topic; ValueError when its layout is not that of TOPIC-001."""
    kind = Kind(name[0]) if name and name[0] in list(Kind) else None
    if kind is None or len(name) != 1 + IDENTIFIER_BYTES[kind]:
        raise ValueError(f"{name.hex() or 'nothing'} is no topic")
    return kind


def topic_of(envelope: backend_pb2.ClientEnvelope | bytes) -> bytes:
    """Derive the topic the backend must store an envelope on (TOPIC-001), from the suite's own reading of it.

    Raises ValueError when the envelope belongs on none.
    """
    message = backend_pb2.ClientEnvelope.FromString(envelope) if isinstance(envelope, bytes) else envelope
    match message.WhichOneof("payload"):
        case "group_message":
            return group_topic(read_frame(message.group_message.data).group_id)
        case "welcome_message":
            version = message.welcome_message.WhichOneof("version")
            if version is None:
                raise ValueError("a Welcome without a version belongs on no topic")
            return welcome_topic(getattr(message.welcome_message, version).installation_key)
        case "identity_update":
            return identity_topic(message.identity_update.inbox_id)
        case "key_package":
            return key_package_topic(_signature_key(message.key_package.key_package_tls_serialized))
        case "commit_log_entry":
            entry = commit_log_pb2.PlaintextCommitLogEntry.FromString(
                message.commit_log_entry.serialized_commit_log_entry
            )
            return commit_log_topic(entry.group_id)
        case _:
            raise ValueError("an envelope without a payload belongs on no topic")


def _signature_key(key_package: bytes) -> bytes:
    """Read the leaf node's signature key, which follows the init key and the leaf's encryption key."""
    _, position = read_vector(key_package, _SUITE_END)
    _, position = read_vector(key_package, position)
    signature_key, _ = read_vector(key_package, position)
    return signature_key


# why each is no topic -> kind byte (None: not even that) and identifier length
_MALFORMED: Mapping[str, tuple[int | None, int]] = {
    "no-bytes": (None, 0),
    "kind-byte-only": (Kind.GROUP_MESSAGE, 0),
    "unassigned-kind-0x05-short": (0x05, 16),
    "unassigned-kind-0x05-long": (0x05, 32),
    "unassigned-kind-0x7f": (0x7F, 32),
    "unassigned-kind-0xff": (0xFF, 32),
    "group-with-32-bytes": (Kind.GROUP_MESSAGE, 32),
    "group-one-byte-short": (Kind.GROUP_MESSAGE, 15),
    "group-one-byte-long": (Kind.GROUP_MESSAGE, 17),
    "welcome-with-16-bytes": (Kind.WELCOME, 16),
    "welcome-one-byte-short": (Kind.WELCOME, 31),
    "welcome-one-byte-long": (Kind.WELCOME, 33),
    "identity-one-byte-short": (Kind.IDENTITY_UPDATE, 31),
    "identity-as-64-characters": (Kind.IDENTITY_UPDATE, 64),
    "key-package-one-byte-short": (Kind.KEY_PACKAGE, 31),
    "key-package-one-byte-long": (Kind.KEY_PACKAGE, 33),
    "commit-log-with-32-bytes": (Kind.COMMIT_LOG, 32),
    "commit-log-one-byte-short": (Kind.COMMIT_LOG, 15),
    "commit-log-one-byte-long": (Kind.COMMIT_LOG, 17),
    "commit-log-1024-bytes": (Kind.COMMIT_LOG, 1024),
}
MALFORMED_TOPIC_NAMES: tuple[str, ...] = tuple(_MALFORMED)


def malformed_topics(draw: Draw) -> Mapping[str, bytes]:
    """Make one topic for each way of `MALFORMED_TOPIC_NAMES` to break TOPIC-003: a request that names it must fail."""

    def made(kind: int | None, size: int) -> bytes:
        if kind is None:
            return b""
        # an identifier drawn longer and cut: too short a one could not be unique, and here need not be
        return bytes([kind]) + draw.identifier(max(size, 16))[:size]

    return {name: made(kind, size) for name, (kind, size) in _MALFORMED.items()}
