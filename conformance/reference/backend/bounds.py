"""The bounds table of API section 7: what a request may not exceed, and how each excess is answered."""

from __future__ import annotations

from conformance.pb.backend_pb2 import PublishError
from conformance.reference.backend.failure import Code, Failure, PublishFailure
from conformance.reference.backend.settings import MAX_SEQUENCE_ID, TRANSPORT_CEILING, Limits


class Bounds:
    """Raises a Failure for a value past its bound; a value equal to its bound is within it."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits

    def exceeds(self, value: int, bound: int) -> bool:
        """Whether a value is past a bound."""
        return value > bound

    def wire(self, request: bytes) -> None:
        """Check the wire length of any request (API-281, API-282)."""
        if self.exceeds(len(request), min(self.limits.max_request_bytes, TRANSPORT_CEILING)):
            raise Failure(Code.OUT_OF_RANGE, "the request is longer than max_request_bytes")

    def response(self, response: bytes) -> None:
        """Check the encoded length of any unary response but the configuration: complete or failed (API-283)."""
        if self.exceeds(len(response), min(self.limits.max_response_bytes, TRANSPORT_CEILING)):
            raise Failure(Code.OUT_OF_RANGE, "the response is longer than max_response_bytes")

    def publish_request(self, length: int) -> None:
        """Check the re-encoded length of a publish request."""
        if self.exceeds(length, self.limits.max_request_bytes):
            raise PublishFailure(PublishError.REASON_TOO_LARGE, "the request re-encoded exceeds max_request_bytes")

    def publish_topics(self, count: int) -> None:
        """Check the number of distinct topics of a publish."""
        if self.exceeds(count, self.limits.max_publish_topics):
            raise PublishFailure(PublishError.REASON_TOO_LARGE, "the request has more topics than max_publish_topics")

    def envelope(self, index: int, length: int) -> None:
        """Check the re-encoded length of one envelope of a publish."""
        if self.exceeds(length, self.limits.max_envelope_bytes):
            raise PublishFailure(
                PublishError.REASON_TOO_LARGE, "the envelope re-encoded exceeds max_envelope_bytes", index=index
            )

    def update_signatures(self, index: int, count: int) -> None:
        """Check the signatures of contract wallets in one identity update of a publish."""
        if self.exceeds(count, self.limits.max_scw_signatures):
            raise PublishFailure(
                PublishError.REASON_TOO_LARGE, "the update has more than max_scw_signatures", index=index
            )

    def lookup_identifiers(self, count: int) -> None:
        """Check the entries of a GetInboxIds."""
        self._entries(count, self.limits.max_lookup_identifiers, "max_lookup_identifiers")

    def wallet_signatures(self, count: int) -> None:
        """Check the entries of a VerifySmartContractWalletSignatures."""
        self._entries(count, self.limits.max_scw_signatures, "max_scw_signatures")

    def query_entries(self, count: int) -> None:
        """Check the entries of a Query as sent, before repeated topics are merged."""
        self._entries(count, self.limits.max_query_topics, "max_query_topics")

    def newest_entries(self, count: int, *, full: bool) -> None:
        """Check the topics of a QueryNewest as sent."""
        if full:
            self._entries(count, self.limits.max_newest_full_topics, "max_newest_full_topics")
        else:
            self._entries(count, self.limits.max_newest_metadata_topics, "max_newest_metadata_topics")

    def cursor(self, sequence_id: int) -> None:
        """Check the cursor of any request."""
        if self.exceeds(sequence_id, MAX_SEQUENCE_ID):
            raise Failure(Code.INVALID_ARGUMENT, "a cursor is above 9223372036854775807")

    def _entries(self, count: int, bound: int, name: str) -> None:
        if self.exceeds(count, bound):
            raise Failure(Code.INVALID_ARGUMENT, f"the request has {count} entries where {name} is {bound}")
