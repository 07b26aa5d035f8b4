"""Faults and variations of the admission of key packages (API-230, API-235) and of what follows from it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from conformance.faults.backend import key_package_rules as rules
from conformance.faults.backend.key_package_rules import forgetting, inbox_id
from conformance.faults.backend.publish_parts import backend, clauses
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import ClientEnvelope, KeyPackage, PublishError
from conformance.reference.backend import key_package_reader as reader
from conformance.reference.backend import topics
from conformance.reference.backend.admission import Admission, Candidate
from conformance.reference.backend.admission import Stored as StoredKeys
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.clock import Clock
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import CheckFailure, PublishFailure
from conformance.reference.backend.key_package_rules import KeyPackageRules, invalid
from conformance.reference.backend.kinds import KINDS, KeyPackageKind, Kind, Parsed
from conformance.reference.backend.publisher import Publisher
from conformance.reference.backend.store import Stored, View
from conformance.reference.backend.tls_reader import TlsError, TlsReader
from conformance.reference.backend.topics import MalformedPayloadError, Topics

DAY_S = 86_400
MLS_HEADER = b"\x00\x01\x00\x05"


def ruled(rules: type[KeyPackageRules]) -> type[Backend]:
    """Make a backend that validates key packages by other rules."""
    return parsed(KeyPackageKind(rules()))


def parsed(kind: Kind) -> type[Backend]:
    """Make a backend that parses key packages as `kind` does."""

    class Parsing(Backend):
        kinds = KINDS | {"key_package": kind}

    return Parsing


class CheckedBeforeDuplicates(Admission):
    """Validates every key package, also one that is stored already."""

    def failed_checks(self, candidates: Sequence[Candidate], stored: StoredKeys) -> Iterator[PublishFailure]:
        """Take nothing for stored."""
        return super().failed_checks(candidates, lambda _: ())


class ParsedBeforeChecked(Admission):
    """Validates key packages only once every envelope of the request has parsed."""

    def admit(self, request: bytes, stored: StoredKeys) -> list[Candidate]:
        """Report what does not parse first, wherever it stands."""
        super().admit(request, lambda candidates: {candidate.key for candidate in candidates})
        return super().admit(request, stored)


class StoresThenChecks(Publisher):
    """Stores a request before it validates the key packages in it."""

    def answer(self, request: bytes) -> bytes:
        """Store what parses, then fail."""
        candidates = self.admission.admit(request, lambda each: {candidate.key for candidate in each})
        before = self.duplicates(candidates)
        self.publish(candidates, Deadline(self.publish_ms / 1000, "the publish"))
        self.admission.admit(request, lambda _: before)
        return super().answer(request)


class AnyKeyLength(Topics):
    """Does not look at the length of a signature key."""

    def of(self, kind: int, identifier: bytes) -> bytes:
        """Put the kind byte before whatever key there is."""
        return bytes([kind]) + identifier if kind == topics.KEY_PACKAGE else super().of(kind, identifier)


class Edited(KeyPackageKind):
    """Reads other bytes than were sent."""

    def __init__(self, edit: Callable[[bytes], bytes]) -> None:
        super().__init__(KeyPackageRules())
        self.edit = edit

    def parse(self, envelope: ClientEnvelope) -> Parsed:
        """Edit the bytes before reading them."""
        edited = self.edit(envelope.key_package.key_package_tls_serialized)
        return super().parse(ClientEnvelope(key_package=KeyPackage(key_package_tls_serialized=edited)))


def first_package(data: bytes) -> bytes:
    """Cut off what follows the first key package."""
    cursor = TlsReader(data)
    with suppress(TlsError):
        reader.read_key_package(cursor)
        return cursor.since(0)
    return data


def unwrapped(data: bytes) -> bytes:
    """Take a key package out of an MLSMessage."""
    return data.removeprefix(MLS_HEADER)


class FiledUnderInitKey(KeyPackageKind):
    """Takes the init key for the installation."""

    def parse(self, envelope: ClientEnvelope) -> Parsed:
        """Change the identifier."""
        found = super().parse(envelope)
        package = reader.whole_key_package(envelope.key_package.key_package_tls_serialized)
        return replace(found, identifier=package.init_key)


class ReportsMalformed(KeyPackageKind):
    """Reports a key package that breaks a rule like one that does not parse."""

    def parse(self, envelope: ClientEnvelope) -> Parsed:
        """Check while parsing."""
        found = super().parse(envelope)
        try:
            if found.check is not None:
                found.check(int(time.time()))
        except CheckFailure as failure:
            raise MalformedPayloadError(failure.message) from failure
        return found


class ReportsInvalid(Admission):
    """Reports a key package that does not parse like one that breaks a rule."""

    def examine(self, index: int, envelope: ClientEnvelope) -> Candidate:
        """Change the reason."""
        try:
            return super().examine(index, envelope)
        except PublishFailure as failure:
            if envelope.WhichOneof("payload") == "key_package":
                failure.reason = PublishError.REASON_INVALID_KEY_PACKAGE
            raise


class WantsInbox(Publisher):
    """Takes key packages of inboxes it knows only."""

    def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
        """Look for the identity topic of the inbox that each new key package names."""
        known = self.duplicates(candidates)
        with self.store.current() as view:
            for candidate in candidates:
                if candidate.parsed.kind == topics.KEY_PACKAGE and candidate.key not in known:
                    self.check_inbox(view, candidate)
        return super().publish(candidates, deadline)

    def check_inbox(self, view: View, candidate: Candidate) -> None:
        """Refuse a package whose inbox has no identity update."""
        serialized = ClientEnvelope.FromString(candidate.payload).key_package.key_package_tls_serialized
        inbox = b""
        with suppress(ValueError):
            inbox = bytes.fromhex(inbox_id(reader.whole_key_package(serialized)))
        if view.newest(bytes([topics.IDENTITY_UPDATE]) + inbox, payload=False) is None:
            failure = invalid("its inbox is not known")
            raise PublishFailure(failure.reason, failure.message, index=candidate.index)


class OneInboxPerInstallation(Publisher):
    """Takes no key package that names another inbox than the one before it."""

    def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
        """Compare with what stands on the topic."""
        known = self.duplicates(candidates)
        with self.store.current() as view:
            for candidate in candidates:
                before = view.newest(candidate.topic, payload=True)
                if candidate.parsed.kind == topics.KEY_PACKAGE and candidate.key not in known and before is not None:
                    self.compare(candidate, before)
        return super().publish(candidates, deadline)

    def compare(self, candidate: Candidate, before: Stored) -> None:
        """Refuse another inbox."""
        first, second = (
            inbox_id(reader.whole_key_package(envelope.key_package.key_package_tls_serialized))
            for envelope in map(ClientEnvelope.FromString, (before.payload or b"", candidate.payload))
        )
        if first != second:
            failure = invalid("its installation belongs to another inbox")
            raise PublishFailure(failure.reason, failure.message, index=candidate.index)


def shifted(days: float) -> type[Backend]:
    """Make a backend whose clock is ahead by so many days, behind when negative."""

    class _Clock(Clock):
        def now_ns(self) -> int:
            return super().now_ns() + int(days * DAY_S * 1_000_000_000)

    class Shifted(Backend):
        clock_class = _Clock

    return Shifted


def _faults() -> Iterator[Variant]:
    for name, says, numbers, build in (
        ("B057", "a stored key package is validated again", "222.d", backend(admission=CheckedBeforeDuplicates)),
        ("B076b", "a key package may have a signature key of any length", "230.b", backend(topics=AnyKeyLength)),
        ("B389c", "a key package is filed under its init key", "212.b", parsed(FiledUnderInitKey(KeyPackageRules()))),
        ("B082", "bytes behind a key package are ignored", "230.g", parsed(Edited(first_package))),
        ("B382", "a key package may come inside an MLSMessage", "230.g", parsed(Edited(unwrapped))),
        (
            "B383",
            "an invalid key package is called malformed",
            "230.h",
            parsed(ReportsMalformed(KeyPackageRules())),
        ),
        ("B384", "a malformed key package is reported as invalid", "230.b 230.g", backend(admission=ReportsInvalid)),
        (
            "B385",
            "what does not parse is named before what is invalid",
            "223.c",
            backend(admission=ParsedBeforeChecked),
        ),
        (
            "B386",
            "a request is stored before it is validated",
            "220.a",
            backend(publisher=StoresThenChecks),
        ),
        ("B083", "lifetimes are not looked at", "230.h", ruled(forgetting("check_lifetime"))),
        ("B083b", "only the leaf's signature is verified", "230.h", ruled(forgetting("check_signature"))),
        ("B370", "only the package's signature is verified", "230.h", ruled(forgetting("check_leaf_signature"))),
        ("B083c", "an empty signature is none that could be wrong", "230.h", ruled(rules.UnsignedIsFine)),
        ("B373", "a key package is valid through its last second", "230.h", ruled(rules.UsableInItsLastSecond)),
        ("B374", "a key package is not valid in its first second", "230.h", ruled(rules.UsableAfterItsFirstSecond)),
        ("B375", "a key package may be from the future", "230.h", ruled(rules.NeverTooEarly)),
        ("B376", "a key package never expires", "230.h", ruled(rules.NeverTooLate)),
        ("B377", "one key may serve two purposes", "230.h", ruled(forgetting("check_keys"))),
        ("B378", "a leaf from a group is taken for that of a key package", "230.h", ruled(rules.AnySource)),
        ("B379", "any bytes are taken for an identity", "230.h", ruled(rules.AnyIdentity)),
        ("B380", "a credential of certificates is taken", "230.h", ruled(rules.Certificates)),
        ("B381", "either signature is taken for the other", "230.h", ruled(rules.NoLabels)),
        ("B089b", "a suite that nobody knows is taken", "230.h", ruled(rules.AnySuiteNumber)),
        ("B084", "a key package needs an inbox that is known", "230.i 230.l", backend(publisher=WantsInbox)),
        (
            "B084b",
            "an installation keeps its first inbox",
            "230.i",
            backend(publisher=OneInboxPerInstallation),
        ),
        ("B088", "an inbox id needs 64 hexadecimal characters", "230.l 235.a", ruled(rules.HexInboxOnly)),
        ("B089", "one cipher suite is taken", "230.l 235.b", ruled(rules.OneSuite)),
        ("B090", "capabilities need today's extensions and proposals", "230.l 235.c", ruled(rules.WantsCapabilities)),
        ("B387", "capabilities need some proposal", "235.c", ruled(rules.WantsSomeCapabilities)),
        ("B371", "a lifetime may not be longer than usual", "230.l 235.d", ruled(rules.ShortLivedOnly)),
        ("B372", "a lifetime has to fit signed nanoseconds", "235.d", ruled(rules.SignedSeconds)),
    ):
        yield Variant(id=name, says=says, clauses=clauses(numbers), build=build)


_CLOSEST = clauses("222.d 230.g 230.h 230.i 230.l 235.a 235.b 235.c 235.d 244.e")

VARIANTS: tuple[Variant, ...] = (
    *_faults(),
    Variant(
        id="V370",
        says="what is open about key packages is decided the other way",
        clauses=_CLOSEST,
        build=ruled(rules.OnTheOtherHand),
        kind="variation",
    ),
    Variant(id="V371", says="the clock is 100 days ahead", clauses=_CLOSEST, build=shifted(days=100), kind="variation"),
    Variant(
        id="V372", says="the clock is 100 days behind", clauses=_CLOSEST, build=shifted(days=-100), kind="variation"
    ),
)
