"""What is known beside the recorded stream, and how a rule says what it found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from conformance.wire.transcript import Meta


@dataclass(frozen=True, kw_only=True, slots=True)
class Receipt:
    """An envelope that a publish stored, and when its answer was received, in nanoseconds of the stream's clock."""

    meta: Meta
    received_ns: int


@dataclass(frozen=True, kw_only=True)
class Known:
    """What a test knows of the topics of a stream from elsewhere.

    `receipts` are of its publishes, `sightings` what other reads showed. `closed` are topics on which nothing else can
    have been stored. `expired` are ids that may be gone (V34). `lagging` says that a copy behind the store may give
    targets; a receipt then bounds none. `within_limits` says that no published bound or bucket was gone beyond.
    """

    receipts: tuple[Receipt, ...] = ()
    sightings: tuple[Meta, ...] = ()
    closed: frozenset[bytes] = frozenset()
    expired: frozenset[int] = frozenset()
    lagging: bool = True
    within_limits: bool = True

    @property
    def metas(self) -> tuple[Meta, ...]:
        """Every envelope known."""
        return (*(receipt.meta for receipt in self.receipts), *self.sightings)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One contradiction: what it is about, a short stable reason, and the frames that prove it by their places.

    `about` holds clauses (`API-251.a`), or a requirement where the situation of the test decides the clause.
    """

    about: tuple[str, ...]
    reason: str
    sentence: str
    places: tuple[int, ...]
    facts: Mapping[str, object] = field(default_factory=dict)

    def concerns(self, *names: str) -> bool:
        """Tell whether this is about a clause, requirement or reason of `names`; by none, always."""
        return not names or any(name == self.reason or self._is_about(name) for name in names)

    def _is_about(self, name: str) -> bool:
        return any(name in {mark, _requirement(mark)} or mark == _requirement(name) for mark in self.about)


def _requirement(name: str) -> str:
    return name.partition(".")[0]
