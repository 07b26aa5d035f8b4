"""What an identity update says: its actions, read into values of their own (IDENT-001)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from conformance.pb.association_pb2 import IdentityAction, IdentityUpdate
from conformance.pb.signature_pb2 import Signature
from conformance.reference.backend.identity.handles_wire import HandlesWire
from conformance.reference.backend.identity.identifiers import Identifier, Identifiers, refused


@dataclass(frozen=True, kw_only=True)
class CreateInbox:
    """Open the inbox."""

    owner: Identifier
    nonce: int
    by: Signature


@dataclass(frozen=True, kw_only=True)
class AddMember:
    """Add a member; `by` is the signature of the one who adds, `new` that of the member."""

    member: Identifier
    by: Signature
    new: Signature


@dataclass(frozen=True, kw_only=True)
class RevokeMember:
    """Remove a member."""

    member: Identifier
    by: Signature


@dataclass(frozen=True, kw_only=True)
class ChangeRecovery:
    """Hand the recovery role over."""

    to: Identifier
    by: Signature


@dataclass(frozen=True, kw_only=True)
class ClaimHandle:
    """Claim a handle for the inbox."""

    handle: str
    by: Signature


Action: TypeAlias = CreateInbox | AddMember | RevokeMember | ChangeRecovery | ClaimHandle


@dataclass(frozen=True, kw_only=True)
class Update:
    """One update; `client_timestamp_ns` is the unsigned number on the wire."""

    inbox_id: str
    client_timestamp_ns: int
    actions: tuple[Action, ...]

    @property
    def handles(self) -> tuple[str, ...]:
        """The handles it claims, in the order of its actions."""
        return tuple(action.handle for action in self.actions if isinstance(action, ClaimHandle))


def signatures(action: Action) -> tuple[Signature, ...]:
    """Give the signatures of an action in field order."""
    return (action.by, action.new) if isinstance(action, AddMember) else (action.by,)


class UpdateReader:
    """Reads updates; CheckFailure with INVALID_IDENTITY_UPDATE for one that is not whole."""

    def __init__(self, *, identifiers: Identifiers, wire: HandlesWire) -> None:
        self.identifiers = identifiers
        self.wire = wire

    def read(self, message: IdentityUpdate) -> Update:
        """Read an update."""
        if not message.actions:
            raise refused("it has no actions")
        return Update(
            inbox_id=message.inbox_id,
            client_timestamp_ns=message.client_timestamp_ns,
            actions=tuple(self.action(action) for action in message.actions),
        )

    def action(self, message: IdentityAction) -> Action:
        """Read one action."""
        kind = message.WhichOneof("kind")
        if kind == "create_inbox":
            create = message.create_inbox
            owner = self.identifiers.named(create.initial_identifier_kind, create.initial_identifier)
            return CreateInbox(owner=owner, nonce=create.nonce, by=self.signature(create.initial_identifier_signature))
        if kind == "add":
            add = message.add
            return AddMember(
                member=self.identifiers.member(add.new_member_identifier),
                by=self.signature(add.existing_member_signature),
                new=self.signature(add.new_member_signature),
            )
        if kind == "revoke":
            revoke = message.revoke
            member = self.identifiers.member(revoke.member_to_revoke)
            return RevokeMember(member=member, by=self.signature(revoke.recovery_identifier_signature))
        if kind == "change_recovery_address":
            change = message.change_recovery_address
            heir = self.identifiers.named(change.new_recovery_identifier_kind, change.new_recovery_identifier)
            return ChangeRecovery(to=heir, by=self.signature(change.existing_recovery_identifier_signature))
        claim = self.wire.claim(message)
        if claim is None:
            raise refused("an action has no kind")
        return ClaimHandle(handle=claim.handle, by=self.signature(claim.signature or Signature()))

    def signature(self, message: Signature) -> Signature:
        """Refuse a signature that is absent or of no kind; the retired kind is an unknown field and counts as none."""
        if message.WhichOneof("signature") is None:
            raise refused("a signature is missing")
        return message


def every_signature(message: IdentityUpdate, wire: HandlesWire) -> Iterator[Signature]:
    """Yield what stands in each place for a signature, also of an update that is not valid."""
    for action in message.actions:
        yield action.create_inbox.initial_identifier_signature
        yield action.add.existing_member_signature
        yield action.add.new_member_signature
        yield action.revoke.recovery_identifier_signature
        yield action.change_recovery_address.existing_recovery_identifier_signature
        claim = wire.claim(action)
        if claim is not None and claim.signature is not None:
            yield claim.signature
