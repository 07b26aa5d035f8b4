"""Faults of the bounds of a publish that repeats what is stored (API-222)."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.faults.backend.publish_parts import LateBounds, backend
from conformance.faults.registry import Variant
from conformance.reference.backend.admission import Candidate
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.publisher import Publisher
from conformance.reference.backend.store import Stored


class MeasuresWhatIsNew(Publisher):
    """Looks for duplicates first, and applies the bounds to the others."""

    def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
        """Measure what is not stored yet."""
        known, bounds = self.duplicates(candidates), Bounds(self.admission.bounds.limits)
        new = [candidate for candidate in candidates if candidate.key not in known]
        for candidate in new:
            bounds.envelope(candidate.index, len(candidate.payload))
        bounds.publish_topics(len(self.topics(new)))
        return super().publish(candidates, deadline)


VARIANTS: tuple[Variant, ...] = (
    Variant(
        id="B060",
        says="bounds apply to what is not stored yet",
        clauses=("API-222.g",),
        build=backend(publisher=MeasuresWhatIsNew, bounds=LateBounds),
    ),
)
