"""The messages that answer a request, and the error detail of a failed publish."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.pb.any_pb2 import Any
from conformance.pb.backend_pb2 import (
    ClientEnvelope,
    Continuation,
    PublishError,
    PublishResponse,
    QueryNewestResponse,
    QueryResponse,
    ServerEnvelope,
    Topic,
)
from conformance.pb.status_pb2 import Status
from conformance.reference.backend.failure import Failure, PublishFailure
from conformance.reference.backend.metadata import Metadata
from conformance.reference.backend.store import Stored

PUBLISH_ERROR_URL = "type.googleapis.com/xmtp.backend.v1.PublishError"


class Responses:
    """Builds responses out of stored rows."""

    def __init__(self, metadata: Metadata) -> None:
        self.metadata = metadata

    def published(self, receipts: Sequence[Stored]) -> PublishResponse:
        """One entry per envelope of the request, in its order (API-221)."""
        return PublishResponse(envelope_metas=[self.metadata.show(stored) for stored in receipts])

    def page(self, rows: Sequence[Stored], *, has_more: bool) -> QueryResponse:
        """One page of a Query (API-240)."""
        return QueryResponse(
            envelopes=[self.envelope(stored) for stored in rows], continuation=Continuation(has_more=has_more)
        )

    def newest(self, rows: Sequence[Stored]) -> QueryNewestResponse:
        """One result per topic that has an envelope (API-244)."""
        return QueryNewestResponse(results=[self.result(stored) for stored in rows])

    def envelope(self, stored: Stored) -> ServerEnvelope:
        """Return a stored envelope with its metadata."""
        return ServerEnvelope(meta=self.metadata.show(stored), envelope=self.payload(stored))

    def result(self, stored: Stored) -> QueryNewestResponse.Result:
        """Return a result; the envelope is set exactly when its payload was read."""
        return QueryNewestResponse.Result(
            topic=Topic(topic=stored.topic), meta=self.metadata.show(stored), envelope=self.payload(stored)
        )

    def payload(self, stored: Stored) -> ClientEnvelope | None:
        """Return the stored bytes as the message they encode."""
        return None if stored.payload is None else ClientEnvelope.FromString(stored.payload)


class ErrorDetails:
    """Builds what travels in the `grpc-status-details-bin` trailer."""

    def publish_error(self, failure: PublishFailure) -> PublishError:
        """Return the detail; `index` stays absent when the whole request is at fault (API-223)."""
        return PublishError(index=failure.index, reason=failure.reason, message=failure.message)

    def trailer(self, failure: Failure) -> bytes | None:
        """Return an encoded google.rpc.Status that carries the detail; None for a failure that has none."""
        if not isinstance(failure, PublishFailure):
            return None
        return Status(
            code=failure.code,
            message=failure.message,
            details=[Any(type_url=PUBLISH_ERROR_URL, value=self.publish_error(failure).SerializeToString())],
        ).SerializeToString()
