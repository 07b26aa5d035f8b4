"""The kinds of payload this backend serves, and how each is parsed (admission table of API section 3.1).

A new kind is one class and one entry of `KINDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol, Self

from google.protobuf.message import DecodeError

from conformance.pb import backend_pb2, commit_log_pb2
from conformance.pb.association_pb2 import IdentityUpdate
from conformance.reference.backend import topics
from conformance.reference.backend.identity.handles_wire import HANDLES_WIRE, HandlesWire
from conformance.reference.backend.identity.identifiers import hex_bytes
from conformance.reference.backend.identity.update import every_signature
from conformance.reference.backend.key_package_reader import whole_key_package
from conformance.reference.backend.key_package_rules import KeyPackageRules
from conformance.reference.backend.mls_framing import COMMIT, PROPOSAL, read_framing
from conformance.reference.backend.tls_reader import TlsError
from conformance.reference.backend.topics import MalformedPayloadError

RetentionField = Literal["group_message_seconds", "welcome_seconds", "key_package_seconds"]


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """What parsing an envelope establishes; `retention` is None for an envelope that is kept for ever.

    `check` is what is left to check unless the envelope is a duplicate: given the time in whole seconds since the
    epoch, it raises CheckFailure. None where parsing is all. `update` is an identity update, which is checked against
    the store, and `contract_signatures` how many signatures of contract wallets it has.
    """

    kind: int
    identifier: bytes
    retention: RetentionField | None
    is_commit_or_proposal: bool = False
    check: Callable[[int], None] | None = None
    update: IdentityUpdate | None = None
    contract_signatures: int = 0


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


class KeyPackageKind:
    """Validated by the MLS rules and nothing more: neither the inbox nor the association of its key is looked at."""

    def __init__(self, rules: KeyPackageRules) -> None:
        self.rules = rules

    def parse(self, envelope: backend_pb2.ClientEnvelope) -> Parsed:
        """Read the key package, every byte of it; its topic is that of the key of its leaf."""
        try:
            package = whole_key_package(envelope.key_package.key_package_tls_serialized)
        except TlsError as error:
            raise MalformedPayloadError(f"the key package does not parse: {error}") from error
        return Parsed(
            kind=topics.KEY_PACKAGE,
            identifier=package.leaf.signature_key,
            retention="key_package_seconds",
            check=partial(self.rules.check, package),
        )


class IdentityUpdateKind:
    """Parsed as far as its topic; its signatures and its history are the matter of `identity.admission`."""

    def __init__(self, wire: HandlesWire) -> None:
        self.wire = wire

    def on(self, wire: HandlesWire) -> Self:
        """Return the same kind, reading claims by other numbers."""
        other = copy(self)
        other.wire = wire
        return other

    def parse(self, envelope: backend_pb2.ClientEnvelope) -> Parsed:
        """Read the inbox id, which is the topic in hexadecimal."""
        update = envelope.identity_update
        identifier = hex_bytes(update.inbox_id)
        if identifier is None:
            raise MalformedPayloadError("the inbox id is not in hexadecimal")
        arms = [signature.WhichOneof("signature") for signature in every_signature(update, self.wire)]
        return Parsed(
            kind=topics.IDENTITY_UPDATE,
            identifier=identifier,
            retention=None,
            update=update,
            contract_signatures=arms.count("erc_6492"),
        )


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
    "key_package": KeyPackageKind(KeyPackageRules()),
    "identity_update": IdentityUpdateKind(HANDLES_WIRE),
    "commit_log_entry": CommitLogKind(),
}


def on_wire(kinds: Mapping[str, Kind], wire: HandlesWire) -> dict[str, Kind]:
    """Return the kinds with identity updates read by the numbers of `wire`."""
    return {name: kind.on(wire) if isinstance(kind, IdentityUpdateKind) else kind for name, kind in kinds.items()}
