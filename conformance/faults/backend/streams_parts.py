"""What faults of streams are made of: a backend whose streams have other parts, and rows of faults."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.faults.registry import Variant
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.streams.service import Streams


def streaming(**parts: type) -> type[Backend]:
    """Make a backend whose streams have other parts, each by the name of its seam in `Streams`."""
    streams = type("OtherStreams", (Streams,), parts)
    return type("Streaming", (Backend,), {"streams_class": streams})


def faults(*rows: tuple[str, str, str, type[Backend]]) -> Iterator[Variant]:
    """Make a fault of each row: its id, what it says, its clauses without the contract's name, its backend."""
    for name, says, clauses, backend in rows:
        yield Variant(id=name, says=says, clauses=named(clauses), build=backend)


def variation(name: str, says: str, clauses: str, backend: type[Backend]) -> Variant:
    """Make a variation that the clauses named come close to noticing."""
    return Variant(id=name, says=says, clauses=named(clauses), build=backend, kind="variation")


def named(clauses: str) -> tuple[str, ...]:
    """Name clauses in full."""
    return tuple(f"API-{clause}" for clause in clauses.split())
