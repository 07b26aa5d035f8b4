"""What a checked history contradicts, with the few operations that prove it."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.oracle.history.events import Operation

INVARIANTS = ("H1", "H2", "H3", "H4", "H5", "H8", "H9", "H10", "H13", "page")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One contradiction: the invariant, the clauses it breaks, and the shortest excerpt that no lawful backend gives.

    `reason` is a short stable class. `operations` are the excerpt in the order they were invoked, `numbers` their
    places in the history. `topic` and `ids` say what of their answers matters.
    """

    invariant: str
    clauses: tuple[str, ...]
    reason: str
    sentence: str
    numbers: tuple[int, ...]
    operations: tuple[Operation, ...]
    topic: bytes
    ids: tuple[int, ...]

    def concerns(self, *about: str) -> bool:
        """Tell whether this is about an invariant (`H4`), a clause (`API-201.a`) or a requirement; by none, always."""
        names = {self.invariant, *self.clauses, *(clause.partition(".")[0] for clause in self.clauses)}
        return not about or not names.isdisjoint(about)
