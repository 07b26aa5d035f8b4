"""Putting an identity update together and signing it, and the log of one inbox as its owner writes it."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.craft.identity.actions import (
    Action,
    AddMember,
    ChangeRecovery,
    ClaimHandle,
    CreateInbox,
    RevokeMember,
)
from conformance.craft.identity.handles import HandlesProfile
from conformance.craft.identity.identifier import MemberId, inbox_id
from conformance.craft.identity.signed_text import signed_text
from conformance.craft.identity.signer import Signer
from conformance.pb import association_pb2, backend_pb2

IdentityUpdate = association_pb2.IdentityUpdate

FIRST_SECOND = 1_700_000_000
SECOND_NS = 1_000_000_000


def signed_update(inbox: str, client_timestamp_ns: int, *actions: Action) -> IdentityUpdate:
    """Assemble an update and have every slot of it signed over its one text.

    Two updates of one inbox with equal actions need times in different seconds: the text has no smaller unit, so their
    signatures would be equal and the second would be a replay (IDENT-050).
    """
    text = signed_text(inbox, client_timestamp_ns, (action.lines() for action in actions))
    return IdentityUpdate(
        actions=[action.signed(text) for action in actions], client_timestamp_ns=client_timestamp_ns, inbox_id=inbox
    )


def identity_envelope(update: IdentityUpdate) -> backend_pb2.ClientEnvelope:
    """Put an update into an envelope."""
    return backend_pb2.ClientEnvelope(identity_update=update)


class Inbox:
    """An inbox as its owner writes it: each update is made at the next whole second, so that no text comes twice.

    The owner opens it and is its recovery identifier. Whatever is not said otherwise is signed by the owner. Nothing
    here keeps track of the members: an update is right or wrong as its caller makes it. Not for several threads.
    """

    def __init__(self, owner: Signer, *, nonce: int = 0, first_second: int = FIRST_SECOND) -> None:
        self.owner = owner
        self.nonce = nonce
        self.id = inbox_id(owner.identifier, nonce)
        self._second = first_second

    def at_next_second(self) -> int:
        """Give the next time for an update, in nanoseconds since the epoch."""
        self._second += 1
        return self._second * SECOND_NS

    def update(self, *actions: Action, client_timestamp_ns: int | None = None) -> IdentityUpdate:
        """Make an update of these actions, signed; at a time of its own unless one is given."""
        time_ns = self.at_next_second() if client_timestamp_ns is None else client_timestamp_ns
        return signed_update(self.id, time_ns, *actions)

    def create(self, *installations: Signer) -> IdentityUpdate:
        """Open the inbox and add installations, as a client does at once."""
        return self.update(self.creation(), *(self.addition(new) for new in installations))

    def add(self, new: Signer, *, by: Signer | None = None) -> IdentityUpdate:
        """Add a member."""
        return self.update(self.addition(new, by=by))

    def revoke(self, *members: Signer | MemberId, by: Signer | None = None) -> IdentityUpdate:
        """Revoke members."""
        return self.update(*self.revocations(members, by=by))

    def change_recovery(self, to: Signer | MemberId, *, by: Signer | None = None) -> IdentityUpdate:
        """Change the recovery identifier."""
        return self.update(ChangeRecovery(to=named(to), by=by or self.owner))

    def claim(self, handle: str, profile: HandlesProfile, *, by: Signer | None = None) -> IdentityUpdate:
        """Claim a handle."""
        return self.update(ClaimHandle(handle=handle, by=by or self.owner, profile=profile))

    def creation(self) -> CreateInbox:
        """The action that opens the inbox."""
        return CreateInbox(owner=self.owner.identifier, by=self.owner, nonce=self.nonce)

    def addition(self, new: Signer, *, by: Signer | None = None) -> AddMember:
        """The action that adds a member."""
        return AddMember(member=new.identifier, by=by or self.owner, new=new)

    def revocations(self, members: Iterable[Signer | MemberId], *, by: Signer | None = None) -> list[RevokeMember]:
        """The actions that revoke members."""
        return [RevokeMember(member=named(member), by=by or self.owner) for member in members]


def named(member: Signer | MemberId) -> MemberId:
    """Give the identifier of a signer, or the identifier itself."""
    return member if isinstance(member, MemberId) else member.identifier
