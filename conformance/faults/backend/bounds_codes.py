"""Faults of the status table (API-281) and of responses that do not fit (API-283)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.faults.backend.bounds_parts import coded, faults, instead, looking_up, measuring
from conformance.faults.backend.publish_parts import backend
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import (
    GetInboxIdsResponse,
    PublishError,
    PublishResponse,
    QueryNewestResponse,
)
from conformance.reference.backend.admission import Admission, Candidate
from conformance.reference.backend.admission import Stored as StoredKeys
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.failure import Code, PublishFailure
from conformance.reference.backend.identity.lookups import InboxIds
from conformance.reference.backend.publisher import Publisher
from conformance.reference.backend.readers import NewestReader


class DropsInboxes(InboxIds):
    """Drops entries from the end of an answer until it fits."""

    def answer(self, request: bytes) -> bytes:
        """Serve what fits."""
        found = GetInboxIdsResponse.FromString(super().answer(request))
        while found.ByteSize() > self.bounds.limits.max_response_bytes:
            del found.responses[-1]
        return found.SerializeToString()


class DropsNewest(NewestReader):
    """Drops results from the end of an answer until it fits."""

    def answer(self, request: bytes) -> bytes:
        """Serve what fits."""
        found = QueryNewestResponse.FromString(super().answer(request))
        while found.ByteSize() > self.bounds.limits.max_response_bytes:
            del found.results[-1]
        return found.SerializeToString()


class DropsReceipts(Publisher):
    """Drops receipts from the end of an answer until it fits."""

    def answer(self, request: bytes) -> bytes:
        """Serve what fits."""
        found = PublishResponse.FromString(super().answer(request))
        while found.ByteSize() > self.admission.bounds.limits.max_response_bytes:
            del found.envelope_metas[-1]
        return found.SerializeToString()


class RefusesRepeats(Admission):
    """Takes an envelope that is stored already for a fault of its request, where others are new."""

    def failed_checks(self, candidates: Sequence[Candidate], stored: StoredKeys) -> Iterator[PublishFailure]:
        """Fail what is stored."""
        known = stored(candidates)
        for candidate in candidates:
            if candidate.key in known and len(known) < len(candidates):
                yield PublishFailure(PublishError.REASON_MALFORMED_PAYLOAD, "it is stored", index=candidate.index)
        yield from super().failed_checks(candidates, stored)


class NewestTrimmed(Backend):
    """Serves what fits of a QueryNewest."""

    newest_class = DropsNewest


NOT_INVALID = tuple(code for code in Code if code is not Code.INVALID_ARGUMENT)

VARIANTS: tuple[Variant, ...] = (
    *faults(
        (
            "B207",
            "every failure is an invalid argument",
            "281.a 281.b",
            coded(instead(Code.INVALID_ARGUMENT, *NOT_INVALID)),
        ),
        ("B634", "every failure is unknown", "281.a", coded(instead(Code.UNKNOWN, *Code))),
        (
            "B208",
            "an over-long message exhausts a resource",
            "281.a 281.e 281.n",
            coded(instead(Code.RESOURCE_EXHAUSTED, Code.OUT_OF_RANGE)),
        ),
        ("B635", "a faulty request is out of range", "281.a", coded(instead(Code.OUT_OF_RANGE, Code.INVALID_ARGUMENT))),
        (
            "B636",
            "a faulty request is told to come again",
            "281.a",
            coded(instead(Code.UNAVAILABLE, Code.INVALID_ARGUMENT)),
        ),
        (
            "B637",
            "a chain that fails is an invalid argument",
            "281.a 281.b",
            coded(instead(Code.INVALID_ARGUMENT, Code.UNAVAILABLE)),
        ),
        ("B638", "a repeat beside new envelopes is an invalid argument", "281.b", backend(admission=RefusesRepeats)),
        ("B223", "a lookup drops entries to fit", "283.a", looking_up(DropsInboxes)),
        ("B639", "a newest read drops results to fit", "283.a", NewestTrimmed),
        ("B639b", "a publish drops receipts to fit", "283.a", backend(publisher=DropsReceipts)),
        ("B639c", "a page is as long as it comes", "283.a", measuring("QueryService/Query", response=False)),
    ),
)
