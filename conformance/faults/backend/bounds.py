"""Faults of the bounds of unary requests (API-281): counted or measured otherwise than published."""

from __future__ import annotations

from conformance.faults.backend.bounds_parts import bounded, faults, growth, looking_up, measuring, verifying
from conformance.faults.backend.publish_parts import backend
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import (
    ClientEnvelope,
    GetInboxIdsRequest,
    PublishRequest,
    QueryNewestRequest,
    QueryRequest,
    VerifySmartContractWalletSignaturesRequest,
)
from conformance.reference.backend.admission import Admission, Candidate
from conformance.reference.backend.backend import Backend, Unary
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.identity.lookups import InboxIds
from conformance.reference.backend.identity.verification import WalletVerification
from conformance.reference.backend.publisher import Publisher
from conformance.reference.backend.readers import NewestReader, QueryReader
from conformance.reference.backend.settings import MAX_SEQUENCE_ID

GRPC_PREFIX_BYTES = 5


class RefusesTheExactValue(Bounds):
    """Takes a bound for the first value that is too much."""

    def exceeds(self, value: int, bound: int) -> bool:
        """Refuse the bound itself."""
        return value >= bound


class OneMore(Bounds):
    """Lets one more pass than published, but for cursors, which its store could not hold."""

    def exceeds(self, value: int, bound: int) -> bool:
        """Take one off the value."""
        return value > bound + (bound != MAX_SEQUENCE_ID)


class MeasuresThePrefix(Bounds):
    """Measures what frames a message with it."""

    def wire(self, request: bytes) -> None:
        """Add the prefix of gRPC."""
        super().wire(request + bytes(GRPC_PREFIX_BYTES))


class NewestLimitsSwapped(Bounds):
    """Takes either form of QueryNewest for the other."""

    def newest_entries(self, count: int, *, full: bool) -> None:
        """Swap the two bounds."""
        super().newest_entries(count, full=not full)


class CountsMergedQuery(QueryReader):
    """Counts the topics of a Query."""

    def check(self, query: QueryRequest) -> None:
        """Count what is left when repeated topics are merged."""
        self.bounds.query_entries(len({entry.topic.topic for entry in query.queries}))
        for entry in query.queries:
            self.check_topic(entry.topic.topic)
            self.bounds.cursor(entry.cursor.sequence_id)


class CountsMergedNewest(NewestReader):
    """Counts the distinct topics of a QueryNewest."""

    def check(self, query: QueryNewestRequest) -> None:
        """Count what is left when repeated topics are merged."""
        self.bounds.newest_entries(len(self.distinct(query.topics)), full=query.include_full_envelope)
        for topic in query.topics:
            self.topics.check_named(topic.topic)


class Merged(Bounds):
    """Counts what it was told to count."""

    count: int | None = None

    def lookup_identifiers(self, count: int) -> None:
        """Count the merged entries."""
        super().lookup_identifiers(count if self.count is None else self.count)

    def wallet_signatures(self, count: int) -> None:
        """Count the merged entries."""
        super().wallet_signatures(count if self.count is None else self.count)


class CountsMergedLookup(InboxIds):
    """Counts the distinct entries of a lookup."""

    def answer(self, request: bytes) -> bytes:
        """Count what is left when repeated entries are merged."""
        asked = GetInboxIdsRequest.FromString(request).requests
        merged = Merged(self.bounds.limits)
        merged.count = len({entry.SerializeToString(deterministic=True) for entry in asked})
        self.bounds = merged
        return super().answer(request)


class CountsMergedVerification(WalletVerification):
    """Counts the distinct entries of a verification."""

    def answer(self, request: bytes) -> bytes:
        """Count what is left when repeated entries are merged."""
        asked = VerifySmartContractWalletSignaturesRequest.FromString(request).signatures
        merged = Merged(self.bounds.limits)
        merged.count = len({entry.SerializeToString(deterministic=True) for entry in asked})
        self.bounds = merged
        return super().answer(request)


class CountsEnvelopes(Admission):
    """Takes the bound on topics for one on envelopes."""

    def decode(self, request: bytes) -> PublishRequest:
        """Count the envelopes."""
        decoded = super().decode(request)
        self.bounds.publish_topics(len(decoded.envelopes))
        return decoded


class MeasuresTheWire(Admission):
    """Measures requests and envelopes as they came, and not as they are stored."""

    def examine(self, index: int, envelope: ClientEnvelope) -> Candidate:
        """Measure an envelope as it came."""
        measured, self.bounds = self.bounds, Unmeasured(self.bounds.limits)
        try:
            candidate = super().examine(index, envelope)
        finally:
            self.bounds = measured
        self.bounds.envelope(index, len(candidate.payload) - growth(envelope))
        return candidate


class Unmeasured(Bounds):
    """Leaves the length of an envelope, and of a request that is encoded again, to others."""

    def envelope(self, index: int, length: int) -> None:
        """Let every envelope pass."""

    def publish_request(self, length: int) -> None:
        """Let every request pass."""


class RequestAsItCame(Bounds):
    """Measures a request on the wire only."""

    def publish_request(self, length: int) -> None:
        """Let every request pass that was carried."""


class MeasuresTheContent(Backend):
    """Measures a publish once it is decoded, and not before."""

    def serve(self, method: Unary, request: bytes) -> bytes:
        """Take out of the request whatever is not kept."""
        if isinstance(getattr(method.answer, "__self__", None), Publisher):
            decoded = PublishRequest.FromString(request)
            decoded.DiscardUnknownFields()
            request = decoded.SerializeToString()
        return super().serve(method, request)


class NoUpdateBound(Bounds):
    """Takes any number of contract wallets' signatures in an update."""

    def update_signatures(self, index: int, count: int) -> None:
        """Let every update pass."""


class CountsOverTheRequest(Bounds):
    """Adds the signatures of all updates of a request up."""

    total = 0

    def publish_request(self, length: int) -> None:
        """Begin a new request."""
        self.total = 0
        super().publish_request(length)

    def update_signatures(self, index: int, count: int) -> None:
        """Count on."""
        self.total += count
        super().update_signatures(index, self.total)


class UpdateBoundIsTheRequests(Admission):
    """Refuses the whole request for an update with too many signatures."""

    def examine(self, index: int, envelope: ClientEnvelope) -> Candidate:
        """Name the first envelope."""
        update = envelope.identity_update if envelope.HasField("identity_update") else None
        joins = [] if update is None else [action.add.new_member_signature for action in update.actions]
        contracts = [each for each in joins if each.HasField("erc_6492")]
        if len(contracts) > self.bounds.limits.max_scw_signatures:
            self.bounds.update_signatures(0, len(contracts))
        return super().examine(index, envelope)


class CountsJoiningOnly(Admission):
    """Counts the contract wallets that join, and not those that let others in."""

    def examine(self, index: int, envelope: ClientEnvelope) -> Candidate:
        """Count the signatures of new members."""
        measured, self.bounds = self.bounds, NoUpdateBound(self.bounds.limits)
        try:
            candidate = super().examine(index, envelope)
        finally:
            self.bounds = measured
        actions = envelope.identity_update.actions
        joining = [action for action in actions if action.add.new_member_signature.HasField("erc_6492")]
        self.bounds.update_signatures(index, len(joining))
        return candidate


def reading(*, query: type[QueryReader] = QueryReader, newest: type[NewestReader] = NewestReader) -> type[Backend]:
    """Make a backend with other reads of topics."""

    class Reading(Backend):
        query_class = query
        newest_class = newest

    return Reading


VARIANTS: tuple[Variant, ...] = (
    *faults(
        ("B214", "the exact value of a bound is refused", "281.c", bounded(RefusesTheExactValue)),
        (
            "B215",
            "entries of a Query are counted when repeated topics are merged",
            "281.c",
            reading(query=CountsMergedQuery),
        ),
        ("B620", "topics of a QueryNewest are counted when merged", "281.c", reading(newest=CountsMergedNewest)),
        ("B621", "entries of a lookup are counted when merged", "281.c", looking_up(CountsMergedLookup)),
        ("B622", "entries of a verification are counted when merged", "281.c", verifying(CountsMergedVerification)),
        ("B218", "the bounds of the two forms of QueryNewest are swapped", "281.c", bounded(NewestLimitsSwapped)),
        ("B623", "one more than published passes", "281.c", bounded(OneMore)),
        ("B624", "the envelopes of a publish are counted for its topics", "281.c", backend(admission=CountsEnvelopes)),
        (
            "B625",
            "the prefix of gRPC counts to the length of a request",
            "281.c 281.e 281.n",
            bounded(MeasuresThePrefix),
        ),
        ("B219", "envelopes are measured on the wire only", "281.d", backend(admission=MeasuresTheWire)),
        ("B626", "requests are measured on the wire only", "281.d", bounded(RequestAsItCame)),
        ("B627", "a publish is measured when it is encoded again only", "281.e", MeasuresTheContent),
        ("B628", "a lookup is not measured", "281.n", measuring("GetInboxIds", wire=False)),
        ("B629", "a QueryNewest is not measured", "281.n", measuring("QueryNewest", wire=False)),
        ("B630", "an update has any number of contract signatures", "281.j", bounded(NoUpdateBound)),
        ("B631", "contract signatures are counted over the request", "281.j", bounded(CountsOverTheRequest)),
        (
            "B632",
            "too many contract signatures are put down to index 0",
            "281.j",
            backend(admission=UpdateBoundIsTheRequests),
        ),
        ("B633", "only contract wallets that join count", "281.j", backend(admission=CountsJoiningOnly)),
    ),
)
