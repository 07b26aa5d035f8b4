"""The two kinds of catalogue entry: an envelope that must be refused, and an odd one that must be taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from conformance.craft.draw import Draw
from conformance.craft.topics import Kind
from conformance.pb import backend_pb2


@dataclass(frozen=True, kw_only=True)
class Pair:
    """An encoded envelope that must be refused, and its twin that differs only in the fault and must be taken."""

    broken: bytes
    twin: bytes


@dataclass(frozen=True, kw_only=True)
class Malformed:
    """One way to break an envelope. `reason` is the PublishError reason the refusal must carry (API-223, API-230).

    `also` holds reasons that are as lawful, where the contract leaves open how far a backend reads before it refuses.
    `kind` is that of the twin.
    """

    name: str
    kind: Kind
    clause: str
    make: Callable[[Draw], Pair]
    reason: int = backend_pb2.PublishError.REASON_MALFORMED_PAYLOAD
    also: tuple[int, ...] = ()

    def __str__(self) -> str:
        return self.name

    @property
    def reasons(self) -> tuple[int, ...]:
        """Every reason the refusal may carry."""
        return (self.reason, *self.also)

    def build(self, draw: Draw) -> Pair:
        """Make the pair with identifiers of its own."""
        return self.make(draw)


@dataclass(frozen=True, kw_only=True)
class Accepted:
    """One property that admission must not judge (API-230): an envelope that has it is stored like any other."""

    name: str
    kind: Kind
    clause: str
    make: Callable[[Draw], backend_pb2.ClientEnvelope]

    def __str__(self) -> str:
        return self.name

    def build(self, draw: Draw) -> backend_pb2.ClientEnvelope:
        """Make the envelope with identifiers of its own."""
        return self.make(draw)


Entry = TypeVar("Entry", Malformed, Accepted)


def by_name(*entries: Entry) -> Mapping[str, Entry]:
    """Index entries by their names; ValueError when two share one."""
    index = {entry.name: entry for entry in entries}
    if len(index) != len(entries):
        raise ValueError("two entries of a catalogue share a name")
    return index
