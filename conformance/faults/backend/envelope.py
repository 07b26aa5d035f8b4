"""Faults of the wire format: numbers, types, presence and meaning of fields (API-210)."""

from __future__ import annotations

from dataclasses import replace

from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import (
    ClientEnvelope,
    EnvelopeMeta,
    PublishError,
    PublishRequest,
    QueryNewestResponse,
)
from conformance.reference.backend.admission import Admission
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.failure import PublishFailure
from conformance.reference.backend.metadata import Metadata
from conformance.reference.backend.readers import QueryReader
from conformance.reference.backend.responses import ErrorDetails, Responses
from conformance.reference.backend.store import Stored


class PushUnderAnotherNumber(Backend):
    """B308."""

    class _Admission(Admission):
        def decode(self, request: bytes) -> PublishRequest:
            decoded = super().decode(request)
            for envelope in decoded.envelopes:
                if envelope.WhichOneof("payload") == "group_message":
                    envelope.group_message.ClearField("should_push")
            return decoded

    admission_class = _Admission


class LimitUnderAnotherNumber(Backend):
    """B309."""

    class _Query(QueryReader):
        def effective_limit(self, limit: int) -> int:
            return super().effective_limit(0)

    query_class = _Query


class FixedServerTime(Backend):
    """B023."""

    class _Metadata(Metadata):
        def show(self, stored: Stored) -> EnvelopeMeta:
            meta = super().show(stored)
            meta.ClearField("server_ns")
            meta.MergeFromString(bytes([2 << 3 | 1]) + stored.server_ns.to_bytes(8, "little"))
            return meta

    metadata_class = _Metadata


class FixedIndex(Backend):
    """B310."""

    class _Details(ErrorDetails):
        def publish_error(self, failure: PublishFailure) -> PublishError:
            error = super().publish_error(failure)
            error.ClearField("index")
            error.MergeFromString(bytes([1 << 3 | 5]) + (failure.index or 0).to_bytes(4, "little"))
            return error

    details_class = _Details


class TimesSwapped(Backend):
    """B023b."""

    class _Metadata(Metadata):
        def show(self, stored: Stored) -> EnvelopeMeta:
            return super().show(replace(stored, server_ns=stored.expiry_ns, expiry_ns=stored.server_ns))

    metadata_class = _Metadata


class KindInPlaceOfFlag(Backend):
    """B311."""

    class _Metadata(Metadata):
        def show(self, stored: Stored) -> EnvelopeMeta:
            meta = super().show(stored)
            meta.ClearField("is_commit_or_proposal")
            meta.MergeFromString(bytes([6 << 3, stored.topic[0] + 1]))
            return meta

    metadata_class = _Metadata


class IndexAlwaysWritten(Backend):
    """B025."""

    class _Details(ErrorDetails):
        def publish_error(self, failure: PublishFailure) -> PublishError:
            error = super().publish_error(failure)
            error.index = failure.index or 0
            return error

    details_class = _Details


class IndexZeroLeftOut(Backend):
    """B312."""

    class _Details(ErrorDetails):
        def publish_error(self, failure: PublishFailure) -> PublishError:
            error = super().publish_error(failure)
            if not error.index:
                error.ClearField("index")
            return error

    details_class = _Details


class EmptyEnvelopeBesideMetadata(Backend):
    """B026."""

    class _Responses(Responses):
        def result(self, stored: Stored) -> QueryNewestResponse.Result:
            result = super().result(stored)
            result.envelope.SetInParent()
            return result

    responses_class = _Responses


class SignatureAlwaysThere(Backend):
    """B313."""

    class _Responses(Responses):
        def payload(self, stored: Stored) -> ClientEnvelope | None:
            envelope = super().payload(stored)
            if envelope is not None and envelope.WhichOneof("payload") == "commit_log_entry":
                envelope.commit_log_entry.signature.SetInParent()
            return envelope

    responses_class = _Responses


VARIANTS = (
    Variant(
        id="B308",
        says="should_push is expected under another number and dropped under its own",
        clauses=("API-210.a",),
        build=PushUnderAnotherNumber,
    ),
    Variant(
        id="B309",
        says="QueryRequest.limit is expected under another number",
        clauses=("API-210.a",),
        build=LimitUnderAnotherNumber,
    ),
    Variant(
        id="B023",
        says="server_ns is written as fixed64",
        clauses=("API-210.b",),
        build=FixedServerTime,
    ),
    Variant(
        id="B310",
        says="PublishError.index is written as fixed32",
        clauses=("API-210.b",),
        build=FixedIndex,
    ),
    Variant(
        id="B023b",
        says="server_ns and expiry_ns stand under each other's number",
        clauses=("API-210.d",),
        build=TimesSwapped,
    ),
    Variant(
        id="B311",
        says="the number of is_commit_or_proposal carries the kind of the envelope",
        clauses=("API-210.d",),
        build=KindInPlaceOfFlag,
    ),
    Variant(
        id="B025",
        says="PublishError.index is written as 0 when there is none",
        clauses=("API-210.c",),
        build=IndexAlwaysWritten,
    ),
    Variant(
        id="B312",
        says="PublishError.index is left out when it is 0",
        clauses=("API-210.c",),
        build=IndexZeroLeftOut,
    ),
    Variant(
        id="B026",
        says="a QueryNewest for metadata only carries an empty envelope",
        clauses=("API-210.c",),
        build=EmptyEnvelopeBesideMetadata,
    ),
    Variant(
        id="B313",
        says="a commit-log entry without a signature is returned with an empty one",
        clauses=("API-210.c",),
        build=SignatureAlwaysThere,
    ),
)
