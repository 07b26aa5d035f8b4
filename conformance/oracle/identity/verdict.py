"""What may become of an update: it is taken, or refused for a reason, or cannot be judged for lack of a chain."""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.oracle.identity.state import AssociationState
from conformance.pb import backend_pb2

MALFORMED_PAYLOAD = int(backend_pb2.PublishError.REASON_MALFORMED_PAYLOAD)
INVALID_IDENTITY_UPDATE = int(backend_pb2.PublishError.REASON_INVALID_IDENTITY_UPDATE)
INVALID_SIGNATURE = int(backend_pb2.PublishError.REASON_INVALID_SIGNATURE)
TOO_LARGE = int(backend_pb2.PublishError.REASON_TOO_LARGE)
HANDLE_TAKEN = int(backend_pb2.PublishError.REASON_HANDLE_TAKEN)
HANDLE_NOT_ALLOWED = int(backend_pb2.PublishError.REASON_HANDLE_NOT_ALLOWED)
HANDLE_TOO_SOON = int(backend_pb2.PublishError.REASON_HANDLE_TOO_SOON)


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Something wrong with an update: the rule it breaks, in words too, and the reasons a refusal for it may carry.

    `may_be_taken` marks what no public rule decides: taking the update is as lawful.
    """

    rule: str
    says: str
    reasons: frozenset[int]
    may_be_taken: bool = False

    def __str__(self) -> str:
        return f"{self.rule}: {self.says}"


@dataclass(frozen=True, kw_only=True)
class Admitted:
    """The update may be taken, and the inbox then has this state.

    Where `open` names what the rules leave open, a refusal with one of `reasons` is as lawful, and UNAVAILABLE if
    `unavailable` is set. Otherwise it must be taken.
    """

    state: AssociationState
    open: tuple[Fault, ...] = ()
    unavailable: bool = False

    @property
    def reasons(self) -> frozenset[int]:
        """The PublishError reasons of a lawful refusal."""
        return reasons_of(self.open)

    def allows(self, reason: int | None) -> bool:
        """Tell whether an outcome is lawful: None for taken, else the PublishError reason."""
        return reason is None or reason in self.reasons


@dataclass(frozen=True, kw_only=True)
class Refused:
    """The update must not be taken: INVALID_ARGUMENT with one of `reasons`, or UNAVAILABLE if `unavailable` is set.

    `faults` say why, those of the reasons first found first. No reasons at all mean that only UNAVAILABLE is lawful.
    """

    faults: tuple[Fault, ...]
    unavailable: bool = False
    reasons: frozenset[int] = field(default=frozenset())

    def allows(self, reason: int | None) -> bool:
        """Tell whether an outcome is lawful: None for taken, else the PublishError reason."""
        return reason in self.reasons


Verdict = Admitted | Refused


def reasons_of(faults: tuple[Fault, ...]) -> frozenset[int]:
    """Join the reasons of faults."""
    return frozenset().union(*(fault.reasons for fault in faults))
