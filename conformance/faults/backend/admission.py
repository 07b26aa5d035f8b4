"""Faults of admission: what must be refused is taken, and what must be taken is refused (API-230)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from conformance.faults.backend.publish_parts import backend, clauses
from conformance.faults.registry import Variant
from conformance.pb import commit_log_pb2, wrapper_encryption_pb2
from conformance.pb.backend_pb2 import ClientEnvelope
from conformance.reference.backend import topics
from conformance.reference.backend.admission import Admission, Encoder
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.kinds import KINDS, CommitLogKind, GroupMessageKind, Kind, Parsed, WelcomeKind
from conformance.reference.backend.mls_framing import COMMIT, EXTERNAL, MEMBER, PUBLIC_MESSAGE, read_framing
from conformance.reference.backend.tls_reader import TlsError, TlsReader
from conformance.reference.backend.topics import MalformedPayloadError, Topics

GROUP_ID_BYTES = 16
KEY_BYTES = 32
HMAC_BYTES = 32
OTHER_MLS_OBJECTS = (3, 4, 5)  # Welcome, GroupInfo, KeyPackage


class AnyIdentifier(Topics):
    """Does not look at the length of an identifier."""

    def of(self, kind: int, identifier: bytes) -> bytes:
        """Put the kind byte before whatever there is."""
        return bytes([kind]) + identifier


class UnsetIsAMessage(Admission):
    """Files an envelope without a payload with the messages of a group of zeros."""

    def parse(self, envelope: ClientEnvelope) -> Parsed:
        """Parse nothing where there is nothing."""
        if envelope.WhichOneof("payload") is None:
            return Parsed(kind=topics.GROUP_MESSAGE, identifier=bytes(GROUP_ID_BYTES), retention=None)
        return super().parse(envelope)


class AnyMlsObject(GroupMessageKind):
    """Takes every MLSMessage for a group message."""

    def parse(self, envelope: ClientEnvelope) -> Parsed:
        """Take the first bytes of the other objects for a group id."""
        data = envelope.group_message.data
        if int.from_bytes(data[2:4], "big") in OTHER_MLS_OBJECTS:
            group_id = data[4 : 4 + GROUP_ID_BYTES].ljust(GROUP_ID_BYTES)
            return Parsed(kind=topics.GROUP_MESSAGE, identifier=group_id, retention="group_message_seconds")
        return super().parse(envelope)


class HeaderOnly(GroupMessageKind):
    """Reads a group message up to its content type, and no further."""

    def parse(self, envelope: ClientEnvelope) -> Parsed:
        """Take a message that is cut short behind it."""
        try:
            return super().parse(envelope)
        except MalformedPayloadError:
            try:
                return self.header(TlsReader(envelope.group_message.data))
            except TlsError as error:
                raise MalformedPayloadError(str(error)) from error

    def header(self, reader: TlsReader) -> Parsed:
        """Read the group id and step over what precedes the content type."""
        reader.u16()
        group_id, _ = read_header(reader, is_public=reader.u16() == PUBLIC_MESSAGE)
        return Parsed(kind=topics.GROUP_MESSAGE, identifier=group_id, retention="group_message_seconds")


def read_header(reader: TlsReader, *, is_public: bool) -> tuple[bytes, int]:
    """Read a group message, behind its wire format, up to its content type: the group id and that type."""
    group_id = reader.opaque()
    reader.u64()
    if is_public:
        if reader.u8() in (MEMBER, EXTERNAL):
            reader.u32()
        reader.opaque()
    return group_id, reader.u8()


def message_of(data: bytes) -> bytes:
    """Return the MLS message that data begins with."""
    while True:
        try:
            read_framing(data[:-1])
        except TlsError:
            return data
        data = data[:-1]


class NothingBehind(GroupMessageKind):
    """Wants the data of a group message to end with the message."""

    def parse(self, envelope: ClientEnvelope) -> Parsed:
        """Refuse bytes behind the message."""
        parsed = super().parse(envelope)
        if message_of(envelope.group_message.data) != envelope.group_message.data:
            raise MalformedPayloadError("bytes follow the message")
        return parsed


class HashesTheMessage(Encoder):
    """Leaves the bytes behind a message out of the hash."""

    def hash(self, payload: bytes) -> bytes:
        """Hash the envelope without them."""
        envelope = ClientEnvelope.FromString(payload)
        if envelope.WhichOneof("payload") == "group_message":
            envelope.group_message.data = message_of(envelope.group_message.data)
        return super().hash(self.encode(envelope))


class WantsHmac(GroupMessageKind):
    """Wants an HMAC of 32 bytes beside every group message."""

    def parse(self, envelope: ClientEnvelope) -> Parsed:
        """Refuse any other."""
        if len(envelope.group_message.sender_hmac) != HMAC_BYTES:
            raise MalformedPayloadError("the HMAC of the sender is no HMAC")
        return super().parse(envelope)


class WantsLaterCommits(GroupMessageKind):
    """Wants the commits of a group to be of rising epochs."""

    epochs: ClassVar[dict[bytes, int]] = {}

    def parse(self, envelope: ClientEnvelope) -> Parsed:
        """Refuse a commit of an epoch that has gone by."""
        parsed = super().parse(envelope)
        data = envelope.group_message.data
        epoch = int.from_bytes(data[5 + GROUP_ID_BYTES : 13 + GROUP_ID_BYTES], "big")
        if data[13 + GROUP_ID_BYTES] == COMMIT:
            if epoch < self.epochs.get(parsed.identifier, 0):
                raise MalformedPayloadError("the epoch of the commit has gone by")
            self.epochs[parsed.identifier] = epoch
        return parsed


class KnownAlgorithms(WelcomeKind):
    """Wants a wrapper algorithm that it knows."""

    def parse(self, envelope: ClientEnvelope) -> Parsed:
        """Refuse any other number."""
        welcome = envelope.welcome_message
        if welcome.v1.wrapper_algorithm not in wrapper_encryption_pb2.WelcomeWrapperAlgorithm.values():
            raise MalformedPayloadError("the wrapper algorithm is unknown")
        pointed = welcome.welcome_pointer.wrapper_algorithm
        if pointed not in wrapper_encryption_pb2.WelcomePointerWrapperAlgorithm.values():
            raise MalformedPayloadError("the wrapper algorithm is unknown")
        return super().parse(envelope)


class WantsContent(WelcomeKind):
    """Wants a Welcome to have data."""

    def parse(self, envelope: ClientEnvelope) -> Parsed:
        """Refuse an empty one."""
        welcome = envelope.welcome_message
        if not (welcome.v1.data or welcome.welcome_pointer.welcome_pointer):
            raise MalformedPayloadError("the Welcome is empty")
        return super().parse(envelope)


class AnyVersion(WelcomeKind):
    """Files a Welcome without a version with those for an installation of zeros."""

    def parse(self, envelope: ClientEnvelope) -> Parsed:
        """Take what has no version."""
        if envelope.welcome_message.WhichOneof("version") is None:
            return Parsed(kind=topics.WELCOME, identifier=bytes(KEY_BYTES), retention="welcome_seconds")
        return super().parse(envelope)


class GroupIdOnly(CommitLogKind):
    """Reads the first field of a commit-log entry and no further."""

    def parse(self, envelope: ClientEnvelope) -> Parsed:
        """Take an entry that is broken behind it."""
        try:
            return super().parse(envelope)
        except MalformedPayloadError:
            serialized = envelope.commit_log_entry.serialized_commit_log_entry
            if serialized[:2] != bytes([10, GROUP_ID_BYTES]):
                raise
            return Parsed(kind=topics.COMMIT_LOG, identifier=serialized[2 : 2 + GROUP_ID_BYTES], retention=None)


class VerifiesEntries(CommitLogKind):
    """Verifies the signature of a commit-log entry."""

    def parse(self, envelope: ClientEnvelope) -> Parsed:
        """Refuse what does not verify."""
        parsed, signed = super().parse(envelope), envelope.commit_log_entry
        try:
            key = Ed25519PublicKey.from_public_bytes(signed.signature.public_key)
            key.verify(signed.signature.bytes, signed.serialized_commit_log_entry)
        except (ValueError, InvalidSignature) as error:
            raise MalformedPayloadError("the signature does not verify") from error
        return parsed


class WantsRisingEpochs(CommitLogKind):
    """Wants each entry of a commit log to continue the one before."""

    epochs: ClassVar[dict[bytes, int]] = {}

    def parse(self, envelope: ClientEnvelope) -> Parsed:
        """Refuse an epoch that does not rise."""
        parsed = super().parse(envelope)
        serialized = envelope.commit_log_entry.serialized_commit_log_entry
        epoch = commit_log_pb2.PlaintextCommitLogEntry.FromString(serialized).applied_epoch_number
        if epoch <= self.epochs.get(parsed.identifier, -1):
            raise MalformedPayloadError("the entry does not continue the log")
        self.epochs[parsed.identifier] = epoch
        return parsed


def parsing(payload: str, kind: Kind) -> type[Backend]:
    """Make a backend that parses one payload as `kind` does."""

    class Parsing(Backend):
        kinds = KINDS | {payload: kind}

    return Parsing


def _faults() -> Iterator[Variant]:
    for name, says, numbers, build in (
        ("B342", "an envelope without a payload is stored", "230.a", backend(admission=UnsetIsAMessage)),
        ("B076", "the lengths of identifiers are not checked", "230.b", backend(topics=AnyIdentifier)),
        ("B077", "any MLS message is taken for a group message", "230.c", parsing("group_message", AnyMlsObject())),
        ("B336", "a group message may be cut short", "230.c", parsing("group_message", HeaderOnly())),
        ("B078", "bytes behind a group message are refused", "230.d 230.l", parsing("group_message", NothingBehind())),
        ("B337", "bytes behind a group message do not count", "230.d", backend(encoder=HashesTheMessage)),
        ("B080", "a group message needs an HMAC of 32 bytes", "230.e 230.l", parsing("group_message", WantsHmac())),
        ("B338", "a commit needs a current epoch", "230.e", parsing("group_message", WantsLaterCommits())),
        ("B081", "an unknown algorithm is refused", "230.f 230.l", parsing("welcome_message", KnownAlgorithms())),
        ("B339", "an empty Welcome is refused", "230.f 230.l", parsing("welcome_message", WantsContent())),
        ("B086", "a commit-log entry is verified", "230.k 230.l", parsing("commit_log_entry", VerifiesEntries())),
        ("B340", "a commit-log entry may be broken", "230.k", parsing("commit_log_entry", GroupIdOnly())),
        ("B341", "the epochs of a commit log must rise", "230.k", parsing("commit_log_entry", WantsRisingEpochs())),
        ("B343", "a Welcome without a version is stored", "230.n", parsing("welcome_message", AnyVersion())),
    ):
        yield Variant(id=name, says=says, clauses=clauses(numbers), build=build)


VARIANTS: tuple[Variant, ...] = tuple(_faults())
