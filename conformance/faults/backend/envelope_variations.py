"""Odd but right backends near section 2: another clock, other stored bytes, fields of their own in answers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TypeVar

from google.protobuf.message import Message

from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import (
    ClientEnvelope,
    EnvelopeMeta,
    PublishError,
    PublishRequest,
    PublishResponse,
    QueryNewestResponse,
    QueryResponse,
    ServerEnvelope,
)
from conformance.reference.backend.admission import Admission, Candidate, Encoder
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.clock import Clock
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import PublishFailure
from conformance.reference.backend.metadata import Metadata
from conformance.reference.backend.publisher import Key, Publisher
from conformance.reference.backend.ranges import Span
from conformance.reference.backend.responses import ErrorDetails, Responses
from conformance.reference.backend.store import Stored

_Message = TypeVar("_Message", bound=Message)
STEP_NS = 15_000_000
EXPLICIT_FALSE = bytes([1 << 3 | 2, 2, 3 << 3, 0])  # group_message with should_push written out
OWN_FIELDS = bytes([0xA0, 0x06, 0x2A, 0xAA, 0x06, 0x03]) + b"own"  # numbers 100 and 101


class CoarseClock(Backend):
    """V10."""

    class _Clock(Clock):
        def now_ns(self) -> int:
            return super().now_ns() // STEP_NS * STEP_NS

    class _Publisher(Publisher):
        began = threading.local()

        def store_new(self, new: Sequence[Candidate], deadline: Deadline) -> dict[Key, Stored]:
            self.began.ns = self.clock.now_ns()
            return super().store_new(new, deadline)

        def rows(self, new: Sequence[Candidate], span: Span) -> list[Stored]:
            pairs = zip(new, span.ids, strict=False)
            return [self.metadata.assign(candidate, number, self.began.ns) for candidate, number in pairs]

    clock_class = _Clock
    publisher_class = _Publisher


class OtherStoredBytes(Backend):
    """V11."""

    class _Admission(Admission):
        def decode(self, request: bytes) -> PublishRequest:
            super().decode(request)
            return PublishRequest.FromString(request)

    class _Encoder(Encoder):
        def encode(self, envelope: ClientEnvelope) -> bytes:
            encoded = super().encode(envelope)
            is_silent = envelope.WhichOneof("payload") == "group_message" and not envelope.group_message.should_push
            return encoded + EXPLICIT_FALSE if is_silent else encoded

    admission_class = _Admission
    encoder_class = _Encoder


class OwnFields(Backend):
    """V15."""

    class _Metadata(Metadata):
        def show(self, stored: Stored) -> EnvelopeMeta:
            return _with_own_fields(super().show(stored))

    class _Responses(Responses):
        def published(self, receipts: Sequence[Stored]) -> PublishResponse:
            return _with_own_fields(super().published(receipts))

        def page(self, rows: Sequence[Stored], *, has_more: bool) -> QueryResponse:
            return _with_own_fields(super().page(rows, has_more=has_more))

        def envelope(self, stored: Stored) -> ServerEnvelope:
            return _with_own_fields(super().envelope(stored))

        def result(self, stored: Stored) -> QueryNewestResponse.Result:
            return _with_own_fields(super().result(stored))

    class _Details(ErrorDetails):
        def publish_error(self, failure: PublishFailure) -> PublishError:
            return _with_own_fields(super().publish_error(failure))

    metadata_class = _Metadata
    responses_class = _Responses
    details_class = _Details


def _with_own_fields(message: _Message) -> _Message:
    message.MergeFromString(OWN_FIELDS)
    return message


def _named(*clauses: str) -> tuple[str, ...]:
    return tuple(f"API-{clause}" for clause in clauses)


VARIANTS = (
    Variant(
        id="V10",
        says="server_ns has steps of 15 ms and does not rise with the id",
        clauses=_named("210.d", "212.c", "212.c1", "212.e", "212.g"),
        build=CoarseClock,
        kind="variation",
    ),
    Variant(
        id="V11",
        says="unknown fields are kept, and the stored bytes are another encoding than ours",
        clauses=_named("210.a", "210.b", "211.a", "211.b", "211.c", "211.d", "212.g", "212.h"),
        build=OtherStoredBytes,
        kind="variation",
    ),
    Variant(
        id="V15",
        says="every message of an answer carries fields of the backend's own",
        clauses=_named("210.a", "210.b", "210.c", "210.d", "212.h"),
        build=OwnFields,
        kind="variation",
    ),
)
