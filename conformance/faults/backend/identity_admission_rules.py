"""Faults of what is verified of an identity update: its signatures, and what the state of the inbox allows.

They break API-230.j where the backend contract alone decides, and API-230.j.ident where the identity rules do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from conformance.faults.backend.identity_admission_parts import with_identity
from conformance.faults.backend.publish_parts import clauses
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import PublishError
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import CheckFailure
from conformance.reference.backend.identity.association import Association, Member, SignedAction, State
from conformance.reference.backend.identity.identifiers import Identifier, Identifiers, MemberKind, refused
from conformance.reference.backend.identity.signatures import Signatures, Signed, forged
from conformance.reference.backend.identity.update import AddMember, ChangeRecovery, RevokeMember, Update
from conformance.reference.backend.identity.validator import Validator

SIGNATURE_BYTES = 65
LATER_V = (35, 36, 37, 38)
MOST_INSTALLATIONS = 10


class AlwaysTheSignature(Association):
    """Blames a signature for whatever the state forbids."""

    def apply(self, state: State | None, update: Update, actions: Sequence[SignedAction]) -> State:
        """Change the reason."""
        try:
            return super().apply(state, update, actions)
        except CheckFailure as failure:
            raise CheckFailure(PublishError.REASON_INVALID_SIGNATURE, failure.message) from failure


class NeverTheSignature(Validator):
    """Reports a signature that does not verify like an act that the state forbids."""

    def validate(self, history: Sequence[Update], update: Update, deadline: Deadline) -> State:
        """Change the reason."""
        try:
            return super().validate(history, update, deadline)
        except CheckFailure as failure:
            raise refused(failure.message) from failure


class AlwaysMalformed(Association):
    """Reports what the state forbids as a payload that does not parse."""

    def apply(self, state: State | None, update: Update, actions: Sequence[SignedAction]) -> State:
        """Change the reason."""
        try:
            return super().apply(state, update, actions)
        except CheckFailure as failure:
            raise CheckFailure(PublishError.REASON_MALFORMED_PAYLOAD, failure.message) from failure


class TrustsSignatures(Signatures):
    """Believes whom a signature names."""

    def verify_installation(self, signature: bytes, key: bytes, text: bytes) -> None:
        """Verify nothing."""


class ForgetsSignatures(Association):
    """Takes a signature of an earlier update again."""

    def check_replay(self, state: State, keys: Iterable[bytes]) -> None:
        """Check nothing."""


class AnyoneAdds(Association):
    """Lets everybody add a member."""

    def check_voice(self, state: State, by: Signed) -> None:
        """Check nothing."""


class MembersRecover(Association):
    """Lets every member do what the recovery identifier may do."""

    def check_recovery(self, state: State, by: Signed) -> None:
        """Look among the members too."""
        if by.signer not in state.members:
            super().check_recovery(state, by)


class OlderV(Signatures):
    """Reads v as a transaction has it."""

    def wallet(self, signature: bytes, text: bytes) -> Signed:
        """Take it for what it was made from."""
        if len(signature) == SIGNATURE_BYTES and signature[-1] in LATER_V:
            signature = signature[:-1] + bytes([27 + (signature[-1] + 1) % 2])
        return super().wallet(signature, text)


class LowSOnly(Signatures):
    """Wants s in the lower half."""

    def wallet(self, signature: bytes, text: bytes) -> Signed:
        """Refuse the other."""
        found = super().wallet(signature, text)
        if found.replay_key[:-1] != signature[:-1]:
            raise forged("s is too high")
        return found


class KnowsBytesOnly(Signatures):
    """Knows a wallet's signature again by its bytes."""

    def wallet(self, signature: bytes, text: bytes) -> Signed:
        """Change the key."""
        return replace(super().wallet(signature, text), replay_key=signature)


class AnyCase(Identifiers):
    """Takes an address in any case, as it stands."""

    def wallet(self, text: str) -> Identifier:
        """Check it as if it were in lowercase."""
        return replace(super().wallet(text.lower()), text=text)


class WantsKinds(Identifiers):
    """Wants the kind of an identifier to be stated."""

    def named(self, kind: int, text: str) -> Identifier:
        """Refuse none."""
        if kind == 0:
            raise refused("an identifier has no kind")
        return super().named(kind, text)


class InstallationsAdd(Association):
    """Lets an installation add another."""

    def add(self, state: State, action: AddMember, by: Signed, new: Signed) -> State:
        """Add it without the check."""
        both = by.signer.kind is action.member.kind is MemberKind.INSTALLATION
        if both and new.signer == action.member and by.signer in state.members and action.member not in state.members:
            return replace(state, members={**state.members, action.member: Member(adder=by.signer)})
        return super().add(state, action, by, new)


class AddsAgain(Association):
    """Puts a member in the place of itself."""

    def add(self, state: State, action: AddMember, by: Signed, new: Signed) -> State:
        """Take the old one out."""
        if by.signer == action.member:
            return super().add(state, action, by, new)
        rest = {each: member for each, member in state.members.items() if each != action.member}
        return super().add(replace(state, members=rest), action, by, new)


class AFewInstallations(Association):
    """Bounds the installations of an inbox."""

    def add(self, state: State, action: AddMember, by: Signed, new: Signed) -> State:
        """Refuse one too many."""
        devices = [each for each in state.members if each.kind is MemberKind.INSTALLATION]
        if len(devices) >= MOST_INSTALLATIONS:
            raise refused("the inbox has enough installations")
        return super().add(state, action, by, new)


class OrphansStay(Association):
    """Leaves an installation whose adder is revoked."""

    def falls_with(self, identifier: Identifier, member: Member, revoked: Identifier) -> bool:
        """Keep it."""
        return False


class EverythingFalls(Association):
    """Removes wallets and passkeys with whoever added them, too."""

    def falls_with(self, identifier: Identifier, member: Member, revoked: Identifier) -> bool:
        """Look at the adder alone."""
        return member.adder == revoked


class RevokesMembersOnly(Association):
    """Wants somebody who is revoked to be a member."""

    def revoke(self, state: State, action: RevokeMember, by: Signed) -> State:
        """Refuse a stranger."""
        if action.member not in state.members:
            raise refused("it is no member")
        return super().revoke(state, action, by)


class MembersInheritOnly(Association):
    """Wants a new recovery identifier to be a member."""

    def change_recovery(self, state: State, action: ChangeRecovery, by: Signed) -> State:
        """Refuse a stranger."""
        if action.to not in state.members:
            raise refused("the new recovery identifier is no member")
        return super().change_recovery(state, action, by)


class AnyChain(Association):
    """Does not look which chain a contract wallet is on."""

    def apply(self, state: State | None, update: Update, actions: Sequence[SignedAction]) -> State:
        """Forget the chains."""
        nowhere = [replace(each, signed=tuple(replace(one, chain_id=None) for one in each.signed)) for each in actions]
        return super().apply(state, update, nowhere)


class TimeRises(Validator):
    """Wants the times of updates to rise."""

    def validate(self, history: Sequence[Update], update: Update, deadline: Deadline) -> State:
        """Compare with the last."""
        if history and update.client_timestamp_ns < history[-1].client_timestamp_ns:
            raise refused("it is older than the log")
        return super().validate(history, update, deadline)


def _faults() -> Iterator[Variant]:
    for name, says, numbers, parts in (
        ("B085", "what the state forbids is blamed on a signature", "230.j", {"association_class": AlwaysTheSignature}),
        ("B460", "a bad signature is called forbidden", "230.j 231.c", {"validator_class": NeverTheSignature}),
        ("B461", "what the state forbids is called malformed", "230.j", {"association_class": AlwaysMalformed}),
        ("B462", "installations are believed", "230.j", {"signatures_class": TrustsSignatures}),
        ("B463", "a signature can be used again", "230.j", {"association_class": ForgetsSignatures}),
        ("B464", "everybody adds members", "230.j", {"association_class": AnyoneAdds}),
        ("B465", "every member recovers", "230.j", {"association_class": MembersRecover}),
        ("B466", "v may be that of a transaction", "230.j.ident", {"signatures_class": OlderV}),
        ("B467", "s must be low", "230.j.ident", {"signatures_class": LowSOnly}),
        ("B468", "another form of a signature is another", "230.j.ident", {"signatures_class": KnowsBytesOnly}),
        ("B469", "addresses may be in capitals", "230.j.ident", {"identifiers_class": AnyCase}),
        ("B470", "a kind must be stated", "230.j.ident", {"identifiers_class": WantsKinds}),
        ("B471", "installations add installations", "230.j.ident", {"association_class": InstallationsAdd}),
        ("B472", "a member can be added again", "230.j.ident", {"association_class": AddsAgain}),
        ("B473", "installations are bounded", "230.j.ident", {"association_class": AFewInstallations}),
        ("B474", "installations outlast their adder", "230.j.ident", {"association_class": OrphansStay}),
        ("B475", "all that somebody added falls too", "230.j.ident", {"association_class": EverythingFalls}),
        ("B476", "a stranger cannot be revoked", "230.j.ident", {"association_class": RevokesMembersOnly}),
        ("B477", "only a member inherits", "230.j.ident", {"association_class": MembersInheritOnly}),
        ("B478", "chains are not compared", "230.j.ident", {"association_class": AnyChain}),
        ("B479", "times must rise", "230.j.ident", {"validator_class": TimeRises}),
    ):
        yield Variant(id=name, says=says, clauses=clauses(numbers), build=with_identity(**parts))


VARIANTS: tuple[Variant, ...] = tuple(_faults())
