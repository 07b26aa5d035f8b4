"""Faults of when server_ns is read (API-212)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

from conformance.faults.backend.publish_parts import backend
from conformance.faults.registry import Variant
from conformance.reference.backend.admission import Candidate
from conformance.reference.backend.publisher import Publisher
from conformance.reference.backend.ranges import Span
from conformance.reference.backend.store import Stored

_CALL = threading.local()


class TimeOfArrival(Publisher):
    """Reads the clock when a request comes."""

    def answer(self, request: bytes) -> bytes:
        """Read it before anything else."""
        _CALL.arrived_ns = self.clock.now_ns()
        return super().answer(request)

    def rows(self, new: Sequence[Candidate], span: Span) -> list[Stored]:
        """Stamp the rows with it."""
        return [replace(row, server_ns=_CALL.arrived_ns) for row in super().rows(new, span)]


VARIANTS: tuple[Variant, ...] = (
    Variant(
        id="B037",
        says="server_ns is read when a request arrives",
        clauses=("API-212.d",),
        build=backend(publisher=TimeOfArrival),
    ),
)
