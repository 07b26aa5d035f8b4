"""Entries of the catalogues of identity updates: one that must be refused beside its twin, and one that must be taken.

Each stands at the end of a log of its own, whose earlier updates come with it and must be taken first, in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from conformance.craft.draw import Draw
from conformance.craft.identity.update import IdentityUpdate, identity_envelope
from conformance.pb import backend_pb2

MALFORMED_PAYLOAD = int(backend_pb2.PublishError.REASON_MALFORMED_PAYLOAD)
INVALID_IDENTITY_UPDATE = int(backend_pb2.PublishError.REASON_INVALID_IDENTITY_UPDATE)
INVALID_SIGNATURE = int(backend_pb2.PublishError.REASON_INVALID_SIGNATURE)

TOPIC = "API-230.b"
BACKEND = "API-230.j"
IDENT = "API-230.j.ident"


@dataclass(frozen=True, kw_only=True)
class Situation:
    """Encoded envelopes of one log: those `before`, the `broken` one, and its `twin` without the fault.

    The twin must be taken when the broken one has been refused. The chain must reject the wallet signatures in
    `rejected` and accept all others.
    """

    before: tuple[bytes, ...] = ()
    broken: bytes
    twin: bytes
    rejected: tuple[bytes, ...] = ()


@dataclass(frozen=True, kw_only=True)
class WrongUpdate:
    """One way to break an update. `rule` names the requirement that forbids it.

    `reasons` are the PublishError reasons of a lawful refusal: more than one where the contract leaves open how far a
    backend reads before it refuses. `may_be_taken` marks what it leaves open altogether. `clause` is IDENT's unless the
    backend contract alone decides. `chains` are the numbers of the eip155 chains it needs a verdict from.
    """

    name: str
    clause: str
    rule: str
    reasons: frozenset[int]
    make: Callable[[Draw], Situation]
    may_be_taken: bool = False
    chains: tuple[int, ...] = ()

    def __str__(self) -> str:
        return self.name

    def build(self, draw: Draw) -> Situation:
        """Make the log with identifiers of its own."""
        return self.make(draw)


@dataclass(frozen=True, kw_only=True)
class Log:
    """Encoded envelopes of one log, all of which must be taken, in order; the last one is the odd one."""

    envelopes: tuple[bytes, ...]


@dataclass(frozen=True, kw_only=True)
class OddUpdate:
    """One property of an update that admission must not reject (API-230). `chains` as in `WrongUpdate`."""

    name: str
    clause: str
    rule: str
    make: Callable[[Draw], Log]
    chains: tuple[int, ...] = ()

    def __str__(self) -> str:
        return self.name

    def build(self, draw: Draw) -> Log:
        """Make the log with identifiers of its own."""
        return self.make(draw)


def encoded_update(update: IdentityUpdate) -> bytes:
    """Encode an update in its envelope; unlike `encodings.encoded`, also one with a claim in an unnamed field."""
    return identity_envelope(update).SerializeToString(deterministic=True)


def situation(
    broken: IdentityUpdate,
    twin: IdentityUpdate,
    *,
    before: Iterable[IdentityUpdate] = (),
    rejected: Iterable[bytes] = (),
) -> Situation:
    """Encode the updates of a situation."""
    return Situation(
        before=tuple(map(encoded_update, before)),
        broken=encoded_update(broken),
        twin=encoded_update(twin),
        rejected=tuple(rejected),
    )


def log(*updates: IdentityUpdate) -> Log:
    """Encode the updates of a log."""
    return Log(envelopes=tuple(map(encoded_update, updates)))
