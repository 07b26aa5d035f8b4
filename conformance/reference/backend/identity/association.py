"""The association state of an inbox and what each action does to it (IDENT section 5): pure, all or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.reference.backend.identity.identifiers import Identifier, MemberKind, inbox_id, refused
from conformance.reference.backend.identity.signatures import Signed
from conformance.reference.backend.identity.update import (
    Action,
    AddMember,
    ChangeRecovery,
    ClaimHandle,
    CreateInbox,
    RevokeMember,
    Update,
)

MAX_CLAIMS = 64  # IDENT-080


@dataclass(frozen=True, kw_only=True)
class Member:
    """A member: who added it (None for the one that opened the inbox) and on which chain its wallet lives, if any."""

    adder: Identifier | None = None
    chain_id: int | None = None


@dataclass(frozen=True, kw_only=True)
class State:
    """An inbox after some updates. `seen` holds the replay keys of all of them, `claims` the handles in order."""

    inbox_id: str
    members: Mapping[Identifier, Member]
    recovery: Identifier
    recovery_chain_id: int | None
    seen: frozenset[bytes] = frozenset()
    claims: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SignedAction:
    """An action with what its signatures say, in field order."""

    action: Action
    signed: tuple[Signed, ...]


class Association:
    """Applies updates; CheckFailure with INVALID_IDENTITY_UPDATE when a rule does not allow it."""

    def apply(self, state: State | None, update: Update, actions: Sequence[SignedAction]) -> State:
        """Apply a whole update to the state before it, None for an empty log; the new state."""
        keys = frozenset(signed.replay_key for each in actions for signed in each.signed)
        if state is not None:
            self.check_replay(state, keys)
        for each in actions:
            state = self.act(state, each.action, each.signed)
        if state is None or state.inbox_id != update.inbox_id:
            raise refused("its inbox id is not the one that its log opens")
        return replace(state, seen=state.seen | keys)

    def check_replay(self, state: State, keys: Iterable[bytes]) -> None:
        """Refuse a signature of an earlier update; within one update a signature may serve twice (IDENT-050)."""
        if not state.seen.isdisjoint(keys):
            raise refused("a signature in it was used by an earlier update")

    def act(self, state: State | None, action: Action, signed: tuple[Signed, ...]) -> State:
        """Apply one action to the state that the one before it left."""
        if isinstance(action, CreateInbox):
            return self.create(state, action, signed[0])
        if state is None:
            raise refused("its log does not open with the creation of the inbox")
        match action:
            case AddMember():
                return self.add(state, action, *signed)
            case RevokeMember():
                return self.revoke(state, action, signed[0])
            case ChangeRecovery():
                return self.change_recovery(state, action, signed[0])
            case ClaimHandle():
                return self.claim(state, action, signed[0])

    def create(self, state: State | None, action: CreateInbox, by: Signed) -> State:
        """Open the inbox (IDENT-011, IDENT-012)."""
        if state is not None:
            raise refused("it creates an inbox that exists")
        if by.signer != action.owner:
            raise refused("the creation is not signed by its initial identifier")
        return State(
            inbox_id=inbox_id(action.owner, action.nonce),
            members={action.owner: Member(chain_id=by.chain_id)},
            recovery=action.owner,
            recovery_chain_id=by.chain_id,
        )

    def add(self, state: State, action: AddMember, by: Signed, new: Signed) -> State:
        """Add a member that a member or the recovery identifier vouches for (IDENT-040, IDENT-041)."""
        if new.signer != action.member:
            raise refused("the new member has not signed")
        if by.signer == action.member:
            raise refused("a member adds itself")
        if action.member in state.members:
            raise refused("the new member is one already")
        self.check_voice(state, by)
        if by.signer.kind is action.member.kind is MemberKind.INSTALLATION:
            raise refused("an installation adds an installation")
        member = Member(adder=by.signer, chain_id=new.chain_id)
        return replace(state, members={**state.members, action.member: member})

    def revoke(self, state: State, action: RevokeMember, by: Signed) -> State:
        """Remove a member, if it is one, and the installations it has added (IDENT-043)."""
        self.check_recovery(state, by)
        kept = {
            identifier: member
            for identifier, member in state.members.items()
            if identifier != action.member and not self.falls_with(identifier, member, action.member)
        }
        return replace(state, members=kept)

    def falls_with(self, identifier: Identifier, member: Member, revoked: Identifier) -> bool:
        """Whether a member goes when the one who added it does; wallets and passkeys stay."""
        return identifier.kind is MemberKind.INSTALLATION and member.adder == revoked

    def change_recovery(self, state: State, action: ChangeRecovery, by: Signed) -> State:
        """Hand the recovery role to an identifier that need not have signed or be a member (IDENT-045)."""
        self.check_recovery(state, by)
        heir = state.members.get(action.to)
        return replace(state, recovery=action.to, recovery_chain_id=None if heir is None else heir.chain_id)

    def claim(self, state: State, action: ClaimHandle, by: Signed) -> State:
        """Note a claim. Who may sign one is not publicly known: here, whoever may add a member."""
        self.check_voice(state, by)
        if len(state.claims) >= MAX_CLAIMS:
            raise refused(f"the inbox has made {MAX_CLAIMS} claims")
        return replace(state, claims=(*state.claims, action.handle))

    def check_voice(self, state: State, by: Signed) -> None:
        """Refuse a signer that is neither a member nor the recovery identifier, or on another chain (IDENT-046)."""
        member = state.members.get(by.signer)
        if member is None:
            self.check_recovery(state, by)
        elif member.chain_id != by.chain_id:
            raise refused("a member signs on another chain than the one it was added on")

    def check_recovery(self, state: State, by: Signed) -> None:
        """Refuse a signer that is not the recovery identifier on its own chain."""
        if by.signer != state.recovery:
            raise refused("its signer has no right to an action in it")
        if by.chain_id != state.recovery_chain_id:
            raise refused("the recovery identifier signs on another chain than its own")
