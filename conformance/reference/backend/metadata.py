"""EnvelopeMeta: the values the backend assigns and how they are shown (API-212)."""

from __future__ import annotations

from conformance.pb.backend_pb2 import Cursor, EnvelopeMeta, MessageHash, Topic
from conformance.reference.backend.admission import Candidate
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.kinds import Parsed
from conformance.reference.backend.settings import MAX_SEQUENCE_ID, NANOSECONDS, Retention
from conformance.reference.backend.store import Stored


class Metadata:
    """Assigns metadata when an envelope is stored, and builds the message that shows it."""

    def __init__(self, retention: Retention) -> None:
        self.retention = retention

    def assign(self, candidate: Candidate, sequence_id: int, server_ns: int) -> Stored:
        """Return the row to store for a candidate."""
        return Stored(
            sequence_id=sequence_id,
            topic=candidate.topic,
            message_hash=candidate.message_hash,
            server_ns=server_ns,
            expiry_ns=self.expiry_ns(candidate.parsed, server_ns),
            is_commit_or_proposal=candidate.parsed.is_commit_or_proposal,
            payload=candidate.payload,
        )

    def expiry_ns(self, parsed: Parsed, server_ns: int) -> int:
        """Nanoseconds since the epoch, or 0 for an envelope kept for ever; INTERNAL past 2^63-1 (OPS-020)."""
        if parsed.retention is None:
            return 0
        seconds: int = getattr(self.retention, parsed.retention)
        expiry_ns = server_ns + seconds * NANOSECONDS
        if expiry_ns > MAX_SEQUENCE_ID:
            raise Failure(Code.INTERNAL, "the expiry time is above 2^63-1 nanoseconds")
        return expiry_ns

    def show(self, stored: Stored) -> EnvelopeMeta:
        """Return the message; every answer that carries metadata gets it from here."""
        return EnvelopeMeta(
            cursor=Cursor(sequence_id=stored.sequence_id),
            server_ns=stored.server_ns,
            message_hash=MessageHash(sha256=stored.message_hash),
            topic=Topic(topic=stored.topic),
            expiry_ns=stored.expiry_ns,
            is_commit_or_proposal=stored.is_commit_or_proposal,
        )
