"""Odd but lawful ways to publish, to refuse and to answer (API-220 to API-224, API-230)."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from conformance.faults.backend.admission import parsing, read_header
from conformance.faults.backend.publish_parts import backend, clauses
from conformance.faults.registry import Variant
from conformance.pb.any_pb2 import Any
from conformance.pb.backend_pb2 import ClientEnvelope, PublishError, PublishRequest
from conformance.pb.status_pb2 import Status
from conformance.reference.backend.admission import Admission, Candidate
from conformance.reference.backend.admission import Stored as StoredKeys
from conformance.reference.backend.backend import Backend, Unary
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import Failure, PublishFailure
from conformance.reference.backend.kinds import GroupMessageKind, Parsed
from conformance.reference.backend.mls_content import BY_VALUE
from conformance.reference.backend.mls_framing import APPLICATION, COMMIT, PUBLIC_MESSAGE
from conformance.reference.backend.publisher import Key, Publisher
from conformance.reference.backend.ranges import IdAllocator, Span
from conformance.reference.backend.responses import ErrorDetails
from conformance.reference.backend.settings import Limits, Settings
from conformance.reference.backend.store import Stored
from conformance.reference.backend.tls_reader import TlsReader
from conformance.reference.backend.topics import MalformedPayloadError

ALL = (
    "220.a 220.d 221.a 221.b 221.c 222.a 222.b 222.c 222.f 222.h 222.i 223.a 223.b 223.c 223.d 223.e 223.f 223.g"
    " 224.b 230.a 230.b 230.c 230.d 230.e 230.f 230.k 230.l 230.n"
)
SPARE_IDS = 3
LATER_PROPOSALS = (8, 10)  # AppDataUpdate, SelfRemove
ODD_LIMITS = Limits(
    max_envelope_bytes=16_500,
    max_request_bytes=150_000,
    max_response_bytes=150_000,
    max_publish_topics=7,
    max_query_limit=5,
    default_query_limit=2,
)


class OtherWords(Backend):
    """Words its messages so that nobody can read them."""

    class _Details(ErrorDetails):
        def publish_error(self, failure: PublishFailure) -> PublishError:
            """Leave the message out."""
            detail = super().publish_error(failure)
            detail.ClearField("message")
            return detail

    details_class = _Details

    def serve(self, method: Unary, request: bytes) -> bytes:
        """Serve, and fail in other words."""
        try:
            return super().serve(method, request)
        except Failure as failure:
            failure.message = "\u2603 index 17: OK, 100 % stored"
            raise


class OddlyPackedDetails(ErrorDetails):
    """Packs the detail in its own way, and sends a Status with every failure."""

    def trailer(self, failure: Failure) -> bytes | None:
        """Put another detail first, another prefix before the type name, and no code."""
        details = [Any(type_url="type.googleapis.com/google.rpc.RequestInfo", value=b"")]
        if isinstance(failure, PublishFailure):
            url = "https://types.example/v7/xmtp.backend.v1.PublishError"
            details.append(Any(type_url=url, value=self.publish_error(failure).SerializeToString()))
        return Status(details=details).SerializeToString()


class ParsesBeforeBounds(Admission):
    """Looks at the length of an envelope after it has parsed."""

    def examine(self, index: int, envelope: ClientEnvelope) -> Candidate:
        """Parse first."""
        try:
            parsed = self.parse(envelope)
            self.topics.of(parsed.kind, parsed.identifier)
        except MalformedPayloadError as error:
            raise PublishFailure(PublishError.REASON_MALFORMED_PAYLOAD, str(error), index=index) from error
        return super().examine(index, envelope)


class EnvelopesBeforeTheRequest(Admission):
    """Reports a bad envelope ahead of a bound on the whole request."""

    def admit(self, request: bytes, stored: StoredKeys) -> list[Candidate]:
        """Look for the lowest bad envelope where the request as a whole is at fault."""
        try:
            return super().admit(request, stored)
        except PublishFailure as failure:
            if failure.index is None:
                self.look_for_one(request, stored)
            raise

    def look_for_one(self, request: bytes, stored: StoredKeys) -> None:
        """Examine and check envelope after envelope; raise the failure of the first that fails."""
        for index, envelope in enumerate(self.decode(request).envelopes):
            for failure in self.failed_checks([self.examine(index, envelope)], stored):
                raise failure


class NothingIsMalformed(Admission):
    """Takes a publish of nothing for a mistake."""

    def decode(self, request: bytes) -> PublishRequest:
        """Refuse a request without envelopes."""
        decoded = super().decode(request)
        if not decoded.envelopes:
            raise PublishFailure(PublishError.REASON_MALFORMED_PAYLOAD, "the request is empty")
        return decoded


class NoNegativeEnums(Admission):
    """Parses with a reader that knows no negative enum."""

    def examine(self, index: int, envelope: ClientEnvelope) -> Candidate:
        """Refuse one."""
        welcome = envelope.welcome_message
        if min(welcome.v1.wrapper_algorithm, welcome.welcome_pointer.wrapper_algorithm) < 0:
            raise PublishFailure(PublishError.REASON_MALFORMED_PAYLOAD, "a negative enum", index=index)
        return super().examine(index, envelope)


class StrictReader(GroupMessageKind):
    """Refuses what RFC 9420 forbids to send and what it does not describe."""

    def parse(self, envelope: ClientEnvelope) -> Parsed:
        """Refuse an application message in the clear, and the later proposals."""
        parsed, reader = super().parse(envelope), TlsReader(envelope.group_message.data)
        reader.u16()
        if reader.u16() == PUBLIC_MESSAGE:
            _, content_type = read_header(reader, is_public=True)
            if content_type == APPLICATION or self.is_later(content_type, reader):
                raise MalformedPayloadError("RFC 9420 does not frame this message")
        return parsed

    def is_later(self, content_type: int, reader: TlsReader) -> bool:
        """Tell whether the content is, or is a commit that begins with, a later proposal."""
        if content_type == COMMIT:
            reader = reader.vector()
            if reader.at_end or reader.u8() != BY_VALUE:
                return False
        return reader.u16() in LATER_PROPOSALS


class MeasuresBeforeCommit(Backend):
    """Rolls a publish back whose response would be too long."""

    class _Publisher(Publisher):
        request = threading.local()

        def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
            """Keep the candidates for the transaction."""
            self.request.candidates = candidates
            return super().publish(candidates, deadline)

        def commit(self, connection: sqlite3.Connection, new: Sequence[Candidate], span: Span) -> dict[Key, Stored]:
            """Measure the response while it can still be taken back."""
            stored = super().commit(connection, new, span)
            known = self.lookup(self.store.view_type(connection), self.request.candidates)
            receipts = [known[candidate.key] for candidate in self.request.candidates]
            self.admission.bounds.response(self.responses.published(receipts).SerializeToString())
            return stored

    publisher_class = _Publisher


class FallingIds(Backend):
    """Gives the ids of a request from its end, with gaps between them."""

    class _Allocator(IdAllocator):
        def reserve(self, connection: sqlite3.Connection, count: int) -> Sequence[int]:
            """Take more ids than are used."""
            return super().reserve(connection, SPARE_IDS * count)[::SPARE_IDS]

    class _Publisher(Publisher):
        def rows(self, new: Sequence[Candidate], span: Span) -> list[Stored]:
            """Turn the candidates round."""
            return super().rows(list(reversed(new)), span)

    allocator_class = _Allocator
    publisher_class = _Publisher


class OddlyLimited(Backend):
    """Has small limits of its own where it is not told others."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        own = settings.limits == Limits()
        super().__init__(replace(settings, limits=ODD_LIMITS) if own else settings, folder)


def _variations() -> Iterator[Variant]:
    for name, says, numbers, build in (
        ("V08", "messages are worded oddly or left out", "223.a 223.b 223.c 223.d 223.e 223.f 223.g", OtherWords),
        (
            "V12",
            "an envelope that is too long and does not parse is malformed",
            "223.b 223.c 223.f 230.c",
            backend(admission=ParsesBeforeBounds),
        ),
        (
            "V13",
            "a bad envelope is reported ahead of a bound on the whole request",
            "223.c 223.e 220.a",
            backend(admission=EnvelopesBeforeTheRequest),
        ),
        ("V41", "a publish too long to answer is rolled back", "220.a 224.b 290.a", MeasuresBeforeCommit),
        (
            "V320",
            "the detail is packed oddly, and failures without one carry a Status, too",
            "223.a 223.b 223.d 223.e 223.f 223.g",
            backend(details=OddlyPackedDetails),
        ),
        (
            "V321",
            "messages that RFC 9420 does not frame are refused",
            "230.c 230.e 230.l",
            parsing("group_message", StrictReader()),
        ),
        ("V322", "negative enums are refused", "223.e 230.f 230.l", backend(admission=NoNegativeEnums)),
        ("V323", "the ids of a request fall, with gaps", "221.a 221.b 221.c 222.b 222.c", FallingIds),
        ("V324", "the limits by default are small and odd", ALL, OddlyLimited),
        ("V325", "a publish of nothing is refused", "221.a 221.c", backend(admission=NothingIsMalformed)),
    ):
        yield Variant(id=name, says=says, clauses=clauses(numbers), build=build, kind="variation")


VARIANTS: tuple[Variant, ...] = tuple(_variations())
