"""What a backend can do with an envelope past its expiry: hide it, in one read or another, or drop it (API-244.d)."""

from __future__ import annotations

from conformance.faults.backend.publish_parts import clauses
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import QueryNewestResponse
from conformance.reference.backend.backend import Backend, Unary
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.readers import NewestReader


class HidesFromNewest(Backend):
    """Leaves expired envelopes out of QueryNewest."""

    def serve(self, method: Unary, request: bytes) -> bytes:
        """Take expired results out of the answer."""
        response = super().serve(method, request)
        if not isinstance(getattr(method.answer, "__self__", None), NewestReader):
            return response
        now_ns, answer = self.clock.now_ns(), QueryNewestResponse.FromString(response)
        kept = [each for each in answer.results if not 0 < each.meta.expiry_ns <= now_ns]
        return QueryNewestResponse(results=kept).SerializeToString()


class DropsExpired(Backend):
    """Deletes what has expired, as soon as anything is asked of it."""

    def serve(self, method: Unary, request: bytes) -> bytes:
        """Delete first."""
        with self.database.write(Deadline(self.settings.timers.publish_ms / 1000, "the pruning")) as connection:
            connection.execute("DELETE FROM envelope WHERE expiry_ns != 0 AND expiry_ns <= ?", (self.clock.now_ns(),))
        return super().serve(method, request)


VARIANTS: tuple[Variant, ...] = (
    Variant(
        id="B138",
        says="QueryNewest hides an expired envelope that is still stored",
        clauses=clauses("244.d"),
        build=HidesFromNewest,
    ),
    Variant(
        id="V373",
        says="an expired envelope is dropped at once",
        clauses=clauses("244.d"),
        build=DropsExpired,
        kind="variation",
    ),
)
