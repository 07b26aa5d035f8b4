"""Applying an update to the state of its inbox, action by action, all or nothing (IDENT sections 5 and 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from conformance.oracle.identity.actions import Action, Add, ChangeRecovery, Claim, Create, Revoke
from conformance.oracle.identity.handles import MOST_CLAIMS, HandleRules, folded, name_part
from conformance.oracle.identity.identifiers import Identifier, Kind, inbox_id_of
from conformance.oracle.identity.signatures import Proof
from conformance.oracle.identity.state import AssociationState, Member
from conformance.oracle.identity.verdict import (
    HANDLE_NOT_ALLOWED,
    INVALID_IDENTITY_UPDATE,
    MALFORMED_PAYLOAD,
    Fault,
)

# no public text numbers the rules that say who may claim and how often at once
HANDLES_SECTION = "IDENT section 10"
_UPDATE = frozenset({INVALID_IDENTITY_UPDATE})


class NotApplicable(Exception):  # noqa: N818 - a finding about an update, no error of the suite
    """The state forbids the update; `fault` says by which rule."""

    def __init__(self, rule: str, says: str) -> None:
        self.fault = Fault(rule=rule, says=says, reasons=_UPDATE)
        super().__init__(str(self.fault))


@dataclass(frozen=True, kw_only=True)
class Proven:
    """An action and the proofs of its signatures, in the order of the slots."""

    action: Action
    proofs: tuple[Proof, ...]


@dataclass(frozen=True, kw_only=True)
class Applied:
    """The new state, and what no public rule decides about the update."""

    state: AssociationState
    open: tuple[Fault, ...] = ()


def apply(
    state: AssociationState | None,
    inbox_id: str,
    client_timestamp_ns: int,
    actions: Sequence[Proven],
    handles: HandleRules | None = None,
) -> Applied:
    """Apply the actions of one update, in order, to the state before it: None for an empty log.

    Raises NotApplicable, with nothing applied.
    """
    if not actions:
        raise NotApplicable("IDENT-001", "there are no actions")
    update = _Update(
        inbox_id=inbox_id,
        client_timestamp_ns=client_timestamp_ns,
        number=1 if state is None else state.updates + 1,
        replayable=frozenset() if state is None else state.seen,
        handles=handles,
    )
    for proven in actions:
        state = update.step(state, proven)
    if state is None:
        raise NotApplicable("IDENT-011", "the inbox was not opened")
    keys = {proof.replay_key for proven in actions for proof in proven.proofs if proof.replay_key is not None}
    return Applied(state=replace(state, seen=state.seen | keys, updates=update.number), open=tuple(update.open))


@dataclass(kw_only=True)
class _Update:
    """One update on its way through its actions. `replayable` are the replay keys of the updates before it."""

    inbox_id: str
    client_timestamp_ns: int
    number: int
    replayable: frozenset[bytes]
    handles: HandleRules | None
    open: list[Fault] = field(default_factory=list)
    claims: int = 0

    def step(self, state: AssociationState | None, proven: Proven) -> AssociationState:
        action, proofs = proven.action, proven.proofs
        if any(proof.replay_key in self.replayable for proof in proofs):
            raise NotApplicable("IDENT-050", "a signature was used in an earlier update")
        if isinstance(action, Create):
            if state is not None:
                raise NotApplicable("IDENT-011", "the inbox is open already")
            return self.create(action, proofs[0])
        if state is None:
            raise NotApplicable("IDENT-011", "the first action of a log does not open the inbox")
        match action:
            case Add():
                return self.add(state, action, *proofs)
            case Revoke():
                return self.revoke(state, action, *proofs)
            case ChangeRecovery():
                return self.change_recovery(state, action, *proofs)
            case Claim():
                return self.claim(state, action, proofs)

    def create(self, action: Create, proof: Proof) -> AssociationState:
        if proof.signer not in (None, action.owner):
            raise NotApplicable("IDENT-012", "somebody else than the owner signed the opening of the inbox")
        if inbox_id_of(action.owner, action.nonce) != self.inbox_id:
            raise NotApplicable("IDENT-003", "the inbox id does not follow from owner and nonce")
        return AssociationState(
            inbox_id=self.inbox_id,
            members={action.owner: Member(chain_id=proof.chain_id)},
            recovery=action.owner,
            recovery_chain_id=proof.chain_id,
            seen=self.replayable,
        )

    def add(self, state: AssociationState, action: Add, existing: Proof, new: Proof) -> AssociationState:
        if new.signer not in (None, action.member):
            raise NotApplicable("IDENT-040", "somebody else than the new member signed in its place")
        if existing.signer == action.member:
            raise NotApplicable("IDENT-040", "a member adds itself")
        if action.member in state.members:
            raise NotApplicable("IDENT-040", "the new member is a member already")
        adder = None if existing.signer is None else state.members.get(existing.signer)
        if adder is None and existing.signer not in (None, state.recovery):
            raise NotApplicable("IDENT-040", "the adder is neither a member nor the recovery identifier")
        self.same_chain(existing, state.recovery_chain_id if adder is None else adder.chain_id)
        if existing.signer is not None and existing.signer.kind is action.member.kind is Kind.INSTALLATION:
            raise NotApplicable("IDENT-041", "an installation adds an installation")
        member = Member(
            adder=existing.signer,
            client_timestamp_ns=self.client_timestamp_ns,
            chain_id=new.chain_id,
            update=self.number,
        )
        return replace(state, members={**state.members, action.member: member})

    def revoke(self, state: AssociationState, action: Revoke, proof: Proof) -> AssociationState:
        self.recovers(state, proof, "IDENT-043")
        left = {
            identifier: member
            for identifier, member in state.members.items()
            if identifier != action.member
            and not (identifier.kind is Kind.INSTALLATION and member.adder == action.member)
        }
        return replace(state, members=left)

    def change_recovery(self, state: AssociationState, action: ChangeRecovery, proof: Proof) -> AssociationState:
        self.recovers(state, proof, "IDENT-045")
        member = state.members.get(action.to)
        return replace(state, recovery=action.to, recovery_chain_id=None if member is None else member.chain_id)

    def recovers(self, state: AssociationState, proof: Proof, rule: str) -> None:
        if proof.signer not in (None, state.recovery):
            raise NotApplicable(rule, "somebody else than the recovery identifier signed")
        self.same_chain(proof, state.recovery_chain_id)

    def same_chain(self, proof: Proof, chain_id: int | None) -> None:
        if proof.signer is not None and proof.chain_id != chain_id:
            raise NotApplicable("IDENT-046", "a signature is of another chain than its signer is known from")

    def claim(self, state: AssociationState, action: Claim, proofs: tuple[Proof, ...]) -> AssociationState:
        """Apply a claim. Who may sign one, what it must look like, and how claims are counted, no public rule says."""
        for proof in proofs:
            if proof.signer is not None:
                self.may_claim(state, proof.signer)
        if len(state.handles) >= MOST_CLAIMS:
            if len(set(state.handles)) >= MOST_CLAIMS:
                raise NotApplicable("IDENT-080", f"the inbox has claimed {MOST_CLAIMS} handles")
            self.leave_open("IDENT-080", "claims of one handle may count once or each time")
        self.claims += 1
        if self.claims > 1:
            self.leave_open(HANDLES_SECTION, "an update claims more than one handle")
        if self.handles is not None and name_part(action.handle, self.handles) is None:
            says = (
                "a claim is in capitals" if name_part(folded(action.handle), self.handles) else "a claim is no handle"
            )
            self.leave_open("IDENT-078", says, MALFORMED_PAYLOAD, HANDLE_NOT_ALLOWED)
        return replace(state, handles=(*state.handles, action.handle))

    def may_claim(self, state: AssociationState, signer: Identifier) -> None:
        is_member, recovers = signer in state.members, signer == state.recovery
        if not (is_member or recovers):
            raise NotApplicable(HANDLES_SECTION, "a stranger to the inbox signs a claim")
        if not (is_member and recovers) or signer.kind is Kind.INSTALLATION:
            self.leave_open(HANDLES_SECTION, "a claim is not signed by a recovery identifier that is a member")

    def leave_open(self, rule: str, says: str, *more: int) -> None:
        self.open.append(Fault(rule=rule, says=says, reasons=_UPDATE | {*more}, may_be_taken=True))
