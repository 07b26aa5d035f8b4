"""Admission: decode a publish request, re-encode, parse and check each envelope, find its topic (API-211, API-230)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError

from conformance.pb.backend_pb2 import ClientEnvelope, PublishError, PublishRequest
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.clock import Clock
from conformance.reference.backend.failure import CheckFailure, PublishFailure
from conformance.reference.backend.identity.handles_wire import HANDLES_WIRE, HandlesWire
from conformance.reference.backend.kinds import Kind, Parsed
from conformance.reference.backend.topics import MalformedPayloadError, Topics

if TYPE_CHECKING:
    from conformance.reference.backend.identity.admission import IdentityAdmission
    from conformance.reference.backend.identity.index import Change

Key = tuple[bytes, bytes]


@dataclass(frozen=True, kw_only=True)
class Basis:
    """What an identity update was found good on: the end of its topic then, 0 for empty; and what it will change."""

    head: int
    changes: tuple[Change, ...]
    handles: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One envelope of a request that passed admission: the bytes to store and all that follows from them."""

    index: int
    topic: bytes
    message_hash: bytes
    payload: bytes = field(repr=False)
    parsed: Parsed
    basis: Basis | None = None

    @property
    def key(self) -> Key:
        """The idempotency key (API-222)."""
        return self.topic, self.message_hash


Stored = Callable[[Sequence[Candidate]], Collection[Key]]


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The identity updates of a request that fail, and by idempotency key what the others were found good on."""

    failures: Sequence[PublishFailure]
    bases: Mapping[Key, Basis]


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

    def __init__(
        self,
        *,
        kinds: Mapping[str, Kind],
        topics: Topics,
        encoder: Encoder,
        bounds: Bounds,
        clock: Clock,
        identity: IdentityAdmission | None = None,
        wire: HandlesWire = HANDLES_WIRE,
    ) -> None:
        """Put the parts together; without `identity` an update is only parsed, for a caller that has no store."""
        self.kinds = kinds
        self.topics = topics
        self.encoder = encoder
        self.bounds = bounds
        self.clock = clock
        self.identity = identity
        self.wire = wire

    def admit(self, request: bytes, stored: Stored) -> list[Candidate]:
        """Every envelope as a candidate, in request order; `stored` picks the keys that are stored already.

        A bound on the whole request is reported before a fault of one envelope; API-223 allows either. Of all
        envelopes that do not parse or fail a check, the one with the lowest index is reported.
        """
        decoded = self.decode(request)
        self.bounds.publish_request(decoded.ByteSize())
        candidates: list[Candidate] = []
        failures: list[PublishFailure] = []
        for index, envelope in enumerate(decoded.envelopes):
            try:
                candidates.append(self.examine(index, envelope))
            except PublishFailure as failure:
                failures.append(failure)
        self.bounds.publish_topics(len({candidate.topic for candidate in candidates}))
        failures += self.failed_checks(candidates, stored)
        judgement = self.judge_identity(candidates, stored)
        failures += judgement.failures
        if failures:
            raise min(failures, key=lambda failure: failure.index or 0)
        if not judgement.bases:
            return candidates
        return [replace(candidate, basis=judgement.bases.get(candidate.key)) for candidate in candidates]

    def judge_identity(self, candidates: Sequence[Candidate], stored: Stored) -> Judgement:
        """Judge the identity updates of a request against their histories."""
        if self.identity is None:
            return Judgement(failures=(), bases={})
        return self.identity.judge(candidates, stored)

    def failed_checks(self, candidates: Sequence[Candidate], stored: Stored) -> Iterator[PublishFailure]:
        """Check what parsing leaves to check, but for duplicates (API-222); the failure of each that fails.

        What fails is looked up once more: a publish in progress at the same time may have stored it meanwhile.
        """
        unchecked = [candidate for candidate in candidates if candidate.parsed.check is not None]
        if not unchecked:
            return
        known = stored(unchecked)
        for candidate in unchecked:
            failure = None if candidate.key in known else self.check(candidate)
            if failure is not None and not stored([candidate]):
                yield failure

    def check(self, candidate: Candidate) -> PublishFailure | None:
        """Apply the checks of an envelope's kind; the failure, if any."""
        try:
            if candidate.parsed.check is not None:
                candidate.parsed.check(self.clock.now_s())
        except CheckFailure as failure:
            return PublishFailure(failure.reason, failure.message, index=candidate.index)
        return None

    def decode(self, request: bytes) -> PublishRequest:
        """Decode the request and drop its unknown fields, so that equal values re-encode to equal bytes (API-211).

        The claim of a handle is a known field that the message types do not name.
        """
        try:
            decoded = PublishRequest.FromString(request)
            if any(envelope.HasField("identity_update") for envelope in decoded.envelopes):
                return PublishRequest.FromString(self.wire.known(request))
        except DecodeError as error:
            raise PublishFailure(
                PublishError.REASON_MALFORMED_PAYLOAD, "the request is not a PublishRequest"
            ) from error
        decoded.DiscardUnknownFields()
        return decoded

    def examine(self, index: int, envelope: ClientEnvelope) -> Candidate:
        """Check one envelope against its bound and parse it as its kind; PublishFailure when it fails."""
        payload = self.encoder.encode(envelope)
        self.bounds.envelope(index, len(payload))
        try:
            parsed = self.parse(envelope)
            topic = self.topics.of(parsed.kind, parsed.identifier)
            self.bounds.update_signatures(index, parsed.contract_signatures)
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
