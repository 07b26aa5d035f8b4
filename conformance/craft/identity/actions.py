"""The actions of an update before they are signed: what each says in the signed text, and its message once signed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from conformance.craft.identity.handles import HandlesProfile, claim_action
from conformance.craft.identity.identifier import MemberId, MemberKind
from conformance.craft.identity.signed_text import Lines, lines
from conformance.craft.identity.signer import Signer
from conformance.pb import association_pb2

IdentityAction = association_pb2.IdentityAction

_ADDED: dict[MemberKind, tuple[str, str]] = {
    MemberKind.INSTALLATION: ("Grant messaging access to app", "ID"),
    MemberKind.ETHEREUM: ("Link address to inbox", "Address"),
    MemberKind.PASSKEY: ("Link passkey to inbox", "Passkey"),
}
_REVOKED: dict[MemberKind, tuple[str, str]] = {
    MemberKind.INSTALLATION: ("Revoke messaging access from app", "ID"),
    MemberKind.ETHEREUM: ("Unlink address from inbox", "Address"),
    MemberKind.PASSKEY: ("Unlink passkey from inbox", "Passkey"),
}


class Action(Protocol):
    """One action to be signed."""

    def lines(self) -> Lines:
        """Its two lines of the signed text."""
        ...

    def signed(self, text: str) -> IdentityAction:
        """The message, with its signatures over `text`."""
        ...


@dataclass(frozen=True, kw_only=True)
class CreateInbox:
    """Open an inbox for `owner`. `kind` is the number on the wire, the owner's own when it is None."""

    owner: MemberId
    by: Signer
    nonce: int = 0
    kind: int | None = None
    relying_party: str | None = None

    def lines(self) -> Lines:
        """Its two lines of the signed text."""
        return lines("Create inbox", "Owner", self.owner.text)

    def signed(self, text: str) -> IdentityAction:
        """The message, signed."""
        message = association_pb2.CreateInbox(
            initial_identifier=self.owner.text,
            nonce=self.nonce,
            initial_identifier_signature=self.by.sign(text),
            relying_party=self.relying_party,
        )
        # an enum of proto3 holds numbers without a name, which the stubs do not say
        message.initial_identifier_kind = self.owner.kind_number if self.kind is None else self.kind  # type: ignore[assignment]
        return IdentityAction(create_inbox=message)


@dataclass(frozen=True, kw_only=True)
class AddMember:
    """Add `member`: signed `by` someone who may, and by the `new` member itself."""

    member: MemberId
    by: Signer
    new: Signer
    relying_party: str | None = None

    def lines(self) -> Lines:
        """Its two lines of the signed text."""
        return lines(*_ADDED[self.member.kind], self.member.text)

    def signed(self, text: str) -> IdentityAction:
        """The message, signed."""
        message = association_pb2.AddAssociation(
            new_member_identifier=self.member.message(relying_party=self.relying_party),
            existing_member_signature=self.by.sign(text),
            new_member_signature=self.new.sign(text),
            relying_party=self.relying_party,
        )
        return IdentityAction(add=message)


@dataclass(frozen=True, kw_only=True)
class RevokeMember:
    """Revoke `member`."""

    member: MemberId
    by: Signer

    def lines(self) -> Lines:
        """Its two lines of the signed text."""
        return lines(*_REVOKED[self.member.kind], self.member.text)

    def signed(self, text: str) -> IdentityAction:
        """The message, signed."""
        message = association_pb2.RevokeAssociation(
            member_to_revoke=self.member.message(), recovery_identifier_signature=self.by.sign(text)
        )
        return IdentityAction(revoke=message)


@dataclass(frozen=True, kw_only=True)
class ChangeRecovery:
    """Make `to` the recovery identifier. `kind` is the number on the wire, that of `to` when it is None."""

    to: MemberId
    by: Signer
    kind: int | None = None
    relying_party: str | None = None

    def lines(self) -> Lines:
        """Its two lines of the signed text."""
        return lines("Change inbox recovery address", "Address", self.to.text)

    def signed(self, text: str) -> IdentityAction:
        """The message, signed."""
        message = association_pb2.ChangeRecoveryAddress(
            new_recovery_identifier=self.to.text,
            existing_recovery_identifier_signature=self.by.sign(text),
            relying_party=self.relying_party,
        )
        # an enum of proto3 holds numbers without a name, which the stubs do not say
        message.new_recovery_identifier_kind = self.to.kind_number if self.kind is None else self.kind  # type: ignore[assignment]
        return IdentityAction(change_recovery_address=message)


@dataclass(frozen=True, kw_only=True)
class ClaimHandle:
    """Claim a handle, in the wire form of a profile (API-296)."""

    handle: str
    by: Signer
    profile: HandlesProfile

    def lines(self) -> Lines:
        """Its two lines of the signed text."""
        return lines(self.profile.phrase, self.profile.label, self.handle)

    def signed(self, text: str) -> IdentityAction:
        """The message, signed; the claim stands in it as a field without a name."""
        return claim_action(self.profile, self.handle, self.by.sign(text))
