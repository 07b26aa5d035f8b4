"""The kinds of payload this backend serves, and how each is parsed (admission table of API section 3.1).

A new kind is one class and one entry of `KINDS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from google.protobuf.message import DecodeError

from conformance.pb import backend_pb2, commit_log_pb2
from conformance.reference.backend import topics
from conformance.reference.backend.mls_framing import COMMIT, PROPOSAL, read_framing
from conformance.reference.backend.tls_reader import TlsError
from conformance.reference.backend.topics import MalformedPayloadError

RetentionField = Literal["group_message_seconds", "welcome_seconds", "key_package_seconds"]


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """What parsing an envelope establishes; `retention` is None for an envelope that is kept for ever."""

    kind: int
    identifier: bytes
    retention: RetentionField | None
    is_commit_or_proposal: bool = False


class Kind(Protocol):
    """Parses the envelopes of one kind."""

    def parse(self, envelope: backend_pb2.ClientEnvelope) -> Parsed:
        """Return what the envelope shows; MalformedPayloadError when it does not parse."""


class GroupMessageKind:
    """Stored on the strength of its framing alone."""

    def parse(self, envelope: backend_pb2.ClientEnvelope) -> Parsed:
        """Read the MLS framing of `GroupMessage.data`."""
        try:
            framing = read_framing(envelope.group_message.data)
        except TlsError as error:
            raise MalformedPayloadError(f"the group message is not an MLS message: {error}") from error
        handshake = framing.content_type in (COMMIT, PROPOSAL)
        return Parsed(
            kind=topics.GROUP_MESSAGE,
            identifier=framing.group_id,
            retention=None if handshake else "group_message_seconds",
            is_commit_or_proposal=handshake,
        )


class WelcomeKind:
    """Stored on the strength of the installation key alone."""

    def parse(self, envelope: backend_pb2.ClientEnvelope) -> Parsed:
        """Read the installation key of whichever version is set."""
        welcome = envelope.welcome_message
        version = welcome.WhichOneof("version")
        if version is None:
            raise MalformedPayloadError("the Welcome has no version")
        key = welcome.v1.installation_key if version == "v1" else welcome.welcome_pointer.installation_key
        return Parsed(kind=topics.WELCOME, identifier=key, retention="welcome_seconds")


class CommitLogKind:
    """Stored on the strength of the group id alone; its signature is never looked at."""

    def parse(self, envelope: backend_pb2.ClientEnvelope) -> Parsed:
        """Read the group id of the entry inside."""
        try:
            entry = commit_log_pb2.PlaintextCommitLogEntry.FromString(
                envelope.commit_log_entry.serialized_commit_log_entry
            )
        except DecodeError as error:
            raise MalformedPayloadError("the commit-log entry is not a PlaintextCommitLogEntry") from error
        return Parsed(kind=topics.COMMIT_LOG, identifier=entry.group_id, retention=None)


KINDS: dict[str, Kind] = {
    "group_message": GroupMessageKind(),
    "welcome_message": WelcomeKind(),
    "commit_log_entry": CommitLogKind(),
}

NOT_SERVED = {
    "key_package": "key packages are not served yet",
    "identity_update": "identity updates are not served yet",
}
