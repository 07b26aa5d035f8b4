"""Faults of publishes that end OUT_OF_RANGE: what a client reads afterwards misleads it (API-290)."""

from __future__ import annotations

import threading
import time

from conformance.faults.backend.publish_failures import Unanswered
from conformance.faults.backend.publish_parts import clauses
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import PublishRequest, PublishResponse
from conformance.reference.backend.backend import Backend, Unary
from conformance.reference.backend.failure import Failure
from conformance.reference.backend.publisher import Publisher

LATE_S = 0.1


class KeepsTheFirst(Unanswered):
    """Deletes what a client whose response failed has not been told of, but for its first envelope."""

    def undo(self, response: PublishResponse) -> None:
        """Delete before the answer."""
        kept = response.envelope_metas[0].cursor.sequence_id
        others = [meta for meta in response.envelope_metas if meta.cursor.sequence_id != kept]
        self.delete(PublishResponse(envelope_metas=others))


class MeasuresLate(Backend):
    """Does something with a publish that is too long on the wire before it is refused."""

    def serve(self, method: Unary, request: bytes) -> bytes:
        """Look at the length, and let `refused` see what is too long."""
        try:
            self.bounds.wire(request)
        except Failure:
            if isinstance(getattr(method.answer, "__self__", None), Publisher):
                self.refused(PublishRequest.FromString(request))
            raise
        return super().serve(method, request)

    def refused(self, request: PublishRequest) -> None:
        """Store the first envelope, as read from the stream before the rest."""
        self.publisher.answer(PublishRequest(envelopes=request.envelopes[:1]).SerializeToString())


class StoresLater(MeasuresLate):
    """Queues a publish before its length is known."""

    def refused(self, request: PublishRequest) -> None:
        """Store all of it a little later."""
        request.DiscardUnknownFields()

        def store() -> None:
            time.sleep(LATE_S)
            self.publisher.answer(request.SerializeToString())

        threading.Thread(target=store, daemon=True).start()


VARIANTS: tuple[Variant, ...] = (
    Variant(
        id="B075",
        says="the first part of a publish too long on the wire is stored",
        clauses=clauses("290.b"),
        build=MeasuresLate,
    ),
    Variant(
        id="B345",
        says="of a publish too long to answer only the first envelope stays",
        clauses=clauses("290.a"),
        build=KeepsTheFirst,
    ),
    Variant(
        id="B346",
        says="a publish too long on the wire is stored after its refusal",
        clauses=clauses("290.b"),
        build=StoresLater,
    ),
)
