"""Faults of failed publishes: details that mislead, and responses that were never sent (API-223, API-224)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import ClassVar

from conformance.faults.backend.publish_parts import LaxStore, PartByPart, backend, clauses
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import ClientEnvelope, PublishError, PublishRequest, PublishResponse
from conformance.reference.backend.admission import Admission, Candidate
from conformance.reference.backend.backend import Backend, Unary
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import Code, Failure, PublishFailure
from conformance.reference.backend.publisher import Key, Publisher
from conformance.reference.backend.responses import ErrorDetails
from conformance.reference.backend.store import Stored, View
from conformance.reference.backend.topics import MalformedPayloadError, Topics

# how long readers see what a compensating delete takes away, in seconds
VISIBLE_S = 0.05


class BareBounds(ErrorDetails):
    """Sends no detail for an exceeded bound."""

    def trailer(self, failure: Failure) -> bytes | None:
        """Leave the trailer out."""
        if isinstance(failure, PublishFailure) and failure.reason == PublishError.REASON_TOO_LARGE:
            return None
        return super().trailer(failure)


class RawDetail(ErrorDetails):
    """Sends the PublishError itself where a google.rpc.Status belongs."""

    def trailer(self, failure: Failure) -> bytes | None:
        """Encode the detail alone."""
        return self.publish_error(failure).SerializeToString() if isinstance(failure, PublishFailure) else None


class IndexAlways(ErrorDetails):
    """Writes index 0 for a request that is at fault as a whole."""

    def publish_error(self, failure: PublishFailure) -> PublishError:
        """Set the index in any case."""
        return PublishError(index=failure.index or 0, reason=failure.reason, message=failure.message)


class NoIndexForBounds(ErrorDetails):
    """Leaves the index out whenever a bound is exceeded."""

    def publish_error(self, failure: PublishFailure) -> PublishError:
        """Drop the index of an over-long envelope."""
        detail = super().publish_error(failure)
        if failure.reason == PublishError.REASON_TOO_LARGE:
            detail.ClearField("index")
        return detail


class UnsetIsUnspecified(Admission):
    """Has no reason for an envelope without a payload."""

    def examine(self, index: int, envelope: ClientEnvelope) -> Candidate:
        """Report REASON_UNSPECIFIED for it."""
        if envelope.WhichOneof("payload") is None:
            raise PublishFailure(PublishError.REASON_UNSPECIFIED, "there is no payload", index=index)
        return super().examine(index, envelope)


class WrongLengthError(MalformedPayloadError):
    """An identifier of the wrong length."""


class TellingTopics(Topics):
    """Tells a wrong length from every other fault."""

    def of(self, kind: int, identifier: bytes) -> bytes:
        """Raise an error of its own for it."""
        try:
            return super().of(kind, identifier)
        except MalformedPayloadError as error:
            raise WrongLengthError(str(error)) from error


class WrongLengthIsTooLarge(Admission):
    """Reports an identifier of the wrong length as REASON_TOO_LARGE."""

    def examine(self, index: int, envelope: ClientEnvelope) -> Candidate:
        """Change the reason."""
        try:
            return super().examine(index, envelope)
        except PublishFailure as failure:
            if isinstance(failure.__cause__, WrongLengthError):
                failure.reason = PublishError.REASON_TOO_LARGE
            raise


class ParsesFirst(Admission):
    """Parses the whole request before any bound of an envelope is looked at."""

    def decode(self, request: bytes) -> PublishRequest:
        """Report a parse failure ahead of all else."""
        decoded = super().decode(request)
        for index, envelope in enumerate(decoded.envelopes):
            try:
                parsed = self.parse(envelope)
                self.topics.of(parsed.kind, parsed.identifier)
            except MalformedPayloadError as error:
                raise PublishFailure(PublishError.REASON_MALFORMED_PAYLOAD, str(error), index=index) from error
        return decoded


class NamesTheLast(Admission):
    """Keeps the failure seen last."""

    def decode(self, request: bytes) -> PublishRequest:
        """Look at the envelopes from the last to the first."""
        decoded = super().decode(request)
        for index, envelope in reversed(list(enumerate(decoded.envelopes))):
            self.examine(index, envelope)
        return decoded


class CountsNewOnly(PartByPart):
    """Takes duplicates out of a request before it counts."""

    def answer(self, request: bytes) -> bytes:
        """Name the failing envelope by its place among the new ones."""
        try:
            return super().answer(request)
        except PublishFailure as failure:
            if failure.index is not None:
                before = [candidate for candidate in self.good(request) if candidate.index < failure.index]
                failure.index = len({candidate.key for candidate in before} - self.duplicates(before).keys())
            raise


class WireIsABound(Bounds):
    """Takes the limit of the wire for a bound like any other."""

    def wire(self, request: bytes) -> None:
        """Answer INVALID_ARGUMENT."""
        try:
            super().wire(request)
        except Failure as failure:
            raise Failure(Code.INVALID_ARGUMENT, failure.message) from failure


class Unanswered(Backend):
    """Does something to the envelopes of a publish whose response is too long."""

    def serve(self, method: Unary, request: bytes) -> bytes:
        """Serve, and have what was stored undone."""
        self.bounds.wire(request)
        response = method.answer(request)
        try:
            self.bounds.response(response)
        except Failure:
            if isinstance(getattr(method.answer, "__self__", None), Publisher):
                self.undo(PublishResponse.FromString(response))
            raise
        return response

    def undo(self, response: PublishResponse) -> None:
        """Delete the envelopes after readers have seen them."""
        time.sleep(VISIBLE_S)
        self.delete(response)

    def delete(self, response: PublishResponse) -> None:
        """Delete the envelopes that a response names."""
        ids = {(meta.cursor.sequence_id,) for meta in response.envelope_metas}
        with self.database.write(Deadline(self.settings.timers.publish_ms / 1000, "the delete")) as connection:
            connection.executemany("DELETE FROM envelope WHERE sequence_id = ?", ids)


class RepeatsReceipts(Publisher):
    """Keeps every receipt and answers with it, whatever has become of its envelope."""

    receipts: ClassVar[dict[Key, Stored]] = {}

    def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
        """Keep the receipts."""
        stored = super().publish(candidates, deadline)
        self.receipts.update({each.key: each for each in stored})
        return stored

    def duplicates(self, candidates: Sequence[Candidate]) -> dict[Key, Stored]:
        """Answer with what was kept."""
        return {each.key: self.receipts[each.key] for each in candidates if each.key in self.receipts}


class UndoesQuietly(Unanswered):
    """Deletes at once, and forgets to forget the receipts."""

    publisher_class = RepeatsReceipts

    def undo(self, response: PublishResponse) -> None:
        """Delete before the answer."""
        self.delete(response)


class ForgetsTheUnanswered(Publisher):
    """Recognises only what was stored by a publish whose response was sent."""

    unanswered: ClassVar[set[int]] = set()

    def lookup(self, view: View, candidates: Sequence[Candidate]) -> dict[Key, Stored]:
        """Leave out what no response has named."""
        found = super().lookup(view, candidates)
        return {key: stored for key, stored in found.items() if stored.sequence_id not in self.unanswered}


class StoresTheUnansweredAgain(Unanswered):
    """Keeps what was stored, and stores it again for a retry."""

    publisher_class = ForgetsTheUnanswered
    store_class = LaxStore

    def undo(self, response: PublishResponse) -> None:
        """Note the ids that no response has named."""
        ForgetsTheUnanswered.unanswered.update(meta.cursor.sequence_id for meta in response.envelope_metas)


def _faults() -> Iterator[Variant]:
    for name, says, numbers, build in (
        ("B063", "an exceeded bound comes without a detail", "223.a 223.e 223.f", backend(details=BareBounds)),
        ("B064", "the PublishError stands bare in the trailer", "223.a", backend(details=RawDetail)),
        ("B065", "an unset payload has no reason", "223.b 230.a", backend(admission=UnsetIsUnspecified)),
        (
            "B066",
            "an identifier of the wrong length is too large",
            "223.b 230.b",
            backend(admission=WrongLengthIsTooLarge, topics=TellingTopics),
        ),
        ("B067", "a parse failure wins over an earlier bound", "223.c", backend(admission=ParsesFirst)),
        ("B331", "the last failing envelope is named", "223.c", backend(admission=NamesTheLast)),
        ("B332", "the index counts new envelopes only", "223.d", backend(publisher=CountsNewOnly)),
        ("B070", "a request at fault as a whole has index 0", "223.e", backend(details=IndexAlways)),
        ("B071", "an over-long envelope has no index", "223.f", backend(details=NoIndexForBounds)),
        ("B333", "a request too long on the wire is an exceeded bound", "223.g", backend(bounds=WireIsABound)),
        ("B072", "a publish too long to answer is deleted after readers have seen it", "224.b 290.a", Unanswered),
        ("B334", "a publish too long to answer is deleted, and a retry gets its receipts", "224.b", UndoesQuietly),
        ("B335", "a retry of a publish too long to answer is stored again", "224.b", StoresTheUnansweredAgain),
    ):
        yield Variant(id=name, says=says, clauses=clauses(numbers), build=build)


VARIANTS: tuple[Variant, ...] = tuple(_faults())
