"""The three checks of a handle claim that need other inboxes, a policy or a clock (API-296, API-297, API-298)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.oracle.identity.handles import PAUSE_NS, HandleRules, folded, name_part
from conformance.oracle.identity.verdict import HANDLE_NOT_ALLOWED, HANDLE_TAKEN, HANDLE_TOO_SOON, Fault


@dataclass(frozen=True, kw_only=True)
class StoredClaim:
    """A claim on an identity topic, as carried; or one beside it in a request, which has no time yet."""

    handle: str
    server_ns: int = 0
    sequence_id: int = 0

    @property
    def folded(self) -> str:
        """The handle with its ASCII capitals in lower case."""
        return folded(self.handle)


@dataclass(frozen=True, kw_only=True)
class ClaimPolicy:
    """What a deployment allows at the moment of admission.

    Its clock then showed a time between `earliest_ns` and `latest_ns`, in nanoseconds since the epoch.
    `min_name_length` is in characters; `reserved` are name parts known to be reserved: there may be others.
    """

    earliest_ns: int
    latest_ns: int
    min_name_length: int = 0
    reserved: frozenset[str] = frozenset()


def claim_faults(
    handle: str,
    own: Sequence[StoredClaim],
    others: Mapping[str, Iterable[StoredClaim]],
    policy: ClaimPolicy,
    handles: HandleRules,
) -> Iterator[Fault]:
    """Name what stands against a claim, given the claims of its own inbox and those of others.

    Which of several reasons a refusal carries is open. A claim that only differs in case from another's may be
    another handle; whether the pause is over can be uncertain when the clock is.
    """
    claims = [claim for theirs in others.values() for claim in theirs]
    if any(claim.handle == handle for claim in claims):
        yield _fault("API-296", "another inbox has claimed the handle", HANDLE_TAKEN)
    elif any(claim.folded == folded(handle) for claim in claims):
        yield _fault("API-296", "another inbox has claimed it in another case", HANDLE_TAKEN, may_be_taken=True)
    name = name_part(folded(handle), handles)
    if name is not None and len(name) < policy.min_name_length:
        yield _fault("API-297", "the name is too short", HANDLE_NOT_ALLOWED)
    if name is not None and name in policy.reserved:
        yield _fault("API-297", "the name is reserved", HANDLE_NOT_ALLOWED)
    last_ns = max((claim.server_ns for claim in own), default=None)
    if last_ns is not None and last_ns > policy.earliest_ns - PAUSE_NS:
        certain = last_ns > policy.latest_ns - PAUSE_NS
        yield _fault("API-298", "the last claim of the inbox is too young", HANDLE_TOO_SOON, may_be_taken=not certain)


def _fault(rule: str, says: str, reason: int, *, may_be_taken: bool = False) -> Fault:
    return Fault(rule=rule, says=says, reasons=frozenset({reason}), may_be_taken=may_be_taken)
