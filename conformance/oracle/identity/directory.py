"""All inboxes of a deployment as their stored identity topics tell: who is where, and who holds which handle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from conformance.oracle.identity.actions import Claim
from conformance.oracle.identity.chain import Chain, no_chain, said_yes
from conformance.oracle.identity.claims import ClaimPolicy, StoredClaim, claim_faults
from conformance.oracle.identity.handles import HandleRules
from conformance.oracle.identity.identifiers import Identifier, Kind
from conformance.oracle.identity.judge import UNBOUNDED, Bounds, IdentityUpdate, judge_update
from conformance.oracle.identity.reading import read
from conformance.oracle.identity.state import AssociationState
from conformance.oracle.identity.verdict import Admitted, Fault, Refused, Verdict, reasons_of
from conformance.oracle.violation import Violation
from conformance.pb import backend_pb2
from conformance.wire.transcript import Seen


@dataclass(kw_only=True)
class _Log:
    """What one identity topic has led to."""

    state: AssociationState
    last_sequence_id: int
    claims: list[StoredClaim] = field(default_factory=list)


class Directory:
    """The inboxes of a deployment, built up from stored updates. `handles` are needed where updates carry claims.

    Where the rules leave open what a stored update does, this holds the plain reading of it.
    """

    def __init__(self, *, handles: HandleRules | None = None) -> None:
        self.handles = handles
        self._logs: dict[str, _Log] = {}
        # identifier -> inbox -> sequence id of the update that made it a member there
        self._associations: dict[Identifier, dict[str, int]] = {}

    @classmethod
    def of(cls, seen: Iterable[Seen], *, handles: HandleRules | None = None) -> Directory:
        """Replay identity topics as they were read, in the order of their sequence ids (API-232.f).

        Raises Violation `does-not-apply`, and ValueError for something seen without its payload.
        """
        directory = cls(handles=handles)
        for one in sorted(seen, key=lambda one: one.meta.sequence_id):
            if one.envelope is None:
                raise ValueError("a log cannot be replayed from metadata alone")
            update = backend_pb2.ClientEnvelope.FromString(one.envelope).identity_update
            directory.store(update, sequence_id=one.meta.sequence_id, server_ns=one.meta.server_ns)
        return directory

    @property
    def states(self) -> Mapping[str, AssociationState]:
        """The state of every inbox, by its id."""
        return MappingProxyType({inbox: log.state for inbox, log in self._logs.items()})

    def state(self, inbox_id: str) -> AssociationState | None:
        """The state of an inbox, None for one without a log."""
        log = self._logs.get(inbox_id.lower())
        return None if log is None else log.state

    def store(self, update: IdentityUpdate, *, sequence_id: int, server_ns: int = 0) -> AssociationState:
        """Take an update as stored: the new state of its inbox.

        The chain is taken to have accepted it then. Raises Violation `does-not-apply` when the log before it forbids
        it, and ValueError for a sequence id that is not above those stored on the topic before.
        """
        inbox_id = update.inbox_id.lower()
        log = self._logs.get(inbox_id)
        if log is not None and log.last_sequence_id >= sequence_id:
            raise ValueError(f"id {sequence_id} is stored after {log.last_sequence_id} on one topic")
        verdict = judge_update(None if log is None else log.state, update, chain=said_yes, handles=self.handles)
        if isinstance(verdict, Refused):
            raise Violation(
                "does-not-apply",
                f"Id {sequence_id} is stored on the identity topic of inbox {inbox_id}, though the log forbids it.",
                witness={"why": [str(fault) for fault in verdict.faults], "update": update.SerializeToString()},
            )
        self._associate(None if log is None else log.state, verdict.state, sequence_id)
        if log is None:
            log = self._logs[inbox_id] = _Log(state=verdict.state, last_sequence_id=sequence_id)
        new = verdict.state.handles[len(log.claims) :]
        log.state, log.last_sequence_id = verdict.state, sequence_id
        log.claims += [StoredClaim(handle=handle, server_ns=server_ns, sequence_id=sequence_id) for handle in new]
        return verdict.state

    def judge(
        self,
        update: IdentityUpdate,
        *,
        chain: Chain = no_chain,
        bounds: Bounds = UNBOUNDED,
        claims: ClaimPolicy | None = None,
        before_it: Iterable[IdentityUpdate] = (),
    ) -> Verdict:
        """Judge a new update as `judge_update` does, and its claims by what other inboxes hold (API-296 to 298).

        `claims` is the policy of the deployment at that moment, without which claims are not judged further.
        `before_it` are the updates at lower indexes of its request.
        """
        verdict = judge_update(self.state(update.inbox_id), update, chain=chain, handles=self.handles, bounds=bounds)
        if claims is None or self.handles is None:
            return verdict
        inbox_id = update.inbox_id.lower()
        own = self._logs.get(inbox_id)
        others = {log.state.inbox_id: log.claims for log in self._logs.values() if log is not own}
        for other in before_it:
            if other.inbox_id.lower() != inbox_id:
                requested = [StoredClaim(handle=handle) for handle in claimed(other, self.handles)]
                others[other.inbox_id.lower()] = [*others.get(other.inbox_id.lower(), ()), *requested]
        found = tuple(
            fault
            for handle in claimed(update, self.handles)
            for fault in claim_faults(handle, own.claims if own else (), others, claims, self.handles)
        )
        return _with(verdict, found)

    def inbox_of(self, identifier: Identifier) -> str | None:
        """Resolve a wallet or a passkey: the inbox that last made it a member and has not revoked it (API-270)."""
        inboxes = self._associations.get(identifier, {})
        return max(inboxes, key=inboxes.__getitem__, default=None)

    def holders_of(self, handle: str) -> Mapping[str, frozenset[str]]:
        """Give the inboxes that have claimed a handle in whatever case, each with the spellings of its claims."""
        from_claims: dict[str, set[str]] = {}
        for inbox_id, log in self._logs.items():
            spellings = {claim.handle for claim in log.claims if claim.folded == handle}
            if spellings:
                from_claims[inbox_id] = spellings
        return {inbox_id: frozenset(spellings) for inbox_id, spellings in from_claims.items()}

    def _associate(self, before: AssociationState | None, after: AssociationState, sequence_id: int) -> None:
        """Note who became a member by an update, and who no longer is one. Installations resolve to nothing."""
        for identifier in before.members if before is not None else ():
            if identifier not in after.members:
                self._associations.get(identifier, {}).pop(after.inbox_id, None)
        for identifier, member in after.members.items():
            if identifier.kind is not Kind.INSTALLATION and member.update == after.updates:
                self._associations.setdefault(identifier, {})[after.inbox_id] = sequence_id


def claimed(update: IdentityUpdate, handles: HandleRules) -> tuple[str, ...]:
    """Give the handles that an update claims, in their order; none for an update that cannot be read."""
    return tuple(action.handle for action in read(update, handles).actions or () if isinstance(action, Claim))


def _with(verdict: Verdict, found: tuple[Fault, ...]) -> Verdict:
    """Add what stands against the claims of an update: any reason that applies is lawful."""
    if isinstance(verdict, Refused):
        faults = (*verdict.faults, *found)
        return Refused(faults=faults, reasons=reasons_of(faults), unavailable=verdict.unavailable)
    faults = (*verdict.open, *found)
    if any(not fault.may_be_taken for fault in found):
        return Refused(faults=faults, reasons=reasons_of(faults), unavailable=verdict.unavailable)
    return Admitted(state=verdict.state, open=faults, unavailable=verdict.unavailable)
