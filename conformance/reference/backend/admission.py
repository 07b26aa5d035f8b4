"""Admission: decode a publish request, re-encode each envelope, and find its topic (API-211, API-230)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from google.protobuf.message import DecodeError

from conformance.pb.backend_pb2 import ClientEnvelope, PublishError, PublishRequest
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.failure import Code, Failure, PublishFailure
from conformance.reference.backend.kinds import NOT_SERVED, Kind, Parsed
from conformance.reference.backend.topics import MalformedPayloadError, Topics


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One envelope of a request that passed admission: the bytes to store and all that follows from them."""

    index: int
    topic: bytes
    message_hash: bytes
    payload: bytes = field(repr=False)
    parsed: Parsed

    @property
    def key(self) -> tuple[bytes, bytes]:
        """The idempotency key (API-222)."""
        return self.topic, self.message_hash


class Encoder:
    """The one encoding of an envelope that is stored and hashed (API-211)."""

    def encode(self, envelope: ClientEnvelope) -> bytes:
        """Return the fields of the contract in field-number order; the caller has dropped unknown fields."""
        return envelope.SerializeToString(deterministic=True)

    def hash(self, payload: bytes) -> bytes:
        """SHA-256 of the stored bytes."""
        return hashlib.sha256(payload).digest()


class Admission:
    """Turns the bytes of a publish request into candidates, or raises the failure of the lowest bad envelope."""

    def __init__(self, *, kinds: Mapping[str, Kind], topics: Topics, encoder: Encoder, bounds: Bounds) -> None:
        self.kinds = kinds
        self.topics = topics
        self.encoder = encoder
        self.bounds = bounds

    def admit(self, request: bytes) -> list[Candidate]:
        """Every envelope as a candidate, in request order.

        A bound on the whole request is reported before a fault of one envelope; API-223 allows either.
        """
        decoded = self.decode(request)
        self.bounds.publish_request(decoded.ByteSize())
        candidates: list[Candidate] = []
        lowest: PublishFailure | None = None
        for index, envelope in enumerate(decoded.envelopes):
            try:
                candidates.append(self.examine(index, envelope))
            except PublishFailure as failure:
                lowest = lowest or failure
        self.bounds.publish_topics(len({candidate.topic for candidate in candidates}))
        if lowest is not None:
            raise lowest
        return candidates

    def decode(self, request: bytes) -> PublishRequest:
        """Decode the request and drop its unknown fields, so that equal values re-encode to equal bytes (API-211)."""
        try:
            decoded = PublishRequest.FromString(request)
        except DecodeError as error:
            raise PublishFailure(
                PublishError.REASON_MALFORMED_PAYLOAD, "the request is not a PublishRequest"
            ) from error
        decoded.DiscardUnknownFields()
        for envelope in decoded.envelopes:
            payload = envelope.WhichOneof("payload")
            if payload is not None and payload not in self.kinds:
                raise Failure(Code.UNIMPLEMENTED, NOT_SERVED[payload])
        return decoded

    def examine(self, index: int, envelope: ClientEnvelope) -> Candidate:
        """Check one envelope against its bound and parse it as its kind; PublishFailure when it fails."""
        payload = self.encoder.encode(envelope)
        self.bounds.envelope(index, len(payload))
        try:
            parsed = self.parse(envelope)
            topic = self.topics.of(parsed.kind, parsed.identifier)
        except MalformedPayloadError as error:
            raise PublishFailure(PublishError.REASON_MALFORMED_PAYLOAD, str(error), index=index) from error
        return Candidate(
            index=index, topic=topic, message_hash=self.encoder.hash(payload), payload=payload, parsed=parsed
        )

    def parse(self, envelope: ClientEnvelope) -> Parsed:
        """Parse an envelope as its kind; MalformedPayloadError when it has none or does not parse."""
        payload = envelope.WhichOneof("payload")
        if payload is None:
            raise MalformedPayloadError("the envelope has no payload")
        return self.kinds[payload].parse(envelope)
