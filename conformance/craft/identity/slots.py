"""The five places of an update that hold a signature, each in an otherwise lawful update."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.craft.identity.actions import Action, AddMember, ChangeRecovery, CreateInbox, RevokeMember
from conformance.craft.identity.signer import Signer
from conformance.craft.identity.stage import Stage, Updates, nothing, usual
from conformance.craft.identity.update import IdentityUpdate

Wrap = Callable[[Signer], Signer]


def as_it_is(signer: Signer) -> Signer:
    """Change nothing about a signer."""
    return signer


@dataclass(frozen=True, kw_only=True)
class Slot:
    """A slot for a signature: `field` of the first action, which is of kind `arm`.

    `actions` makes the actions of an update whose signer there is wrapped; in the slot `added` that is an
    installation, elsewhere the owner.
    """

    name: str
    arm: str
    field: str
    actions: Callable[[Stage, Wrap], Sequence[Action]]
    before: Updates = usual

    def clear(self, update: IdentityUpdate) -> None:
        """Take the signature out of an update."""
        # the descriptor knows the names, the stubs do not
        action: Any = getattr(update.actions[0], self.arm)
        action.ClearField(self.field)


CREATED = Slot(
    name="created",
    arm="create_inbox",
    field="initial_identifier_signature",
    actions=lambda stage, wrap: (
        CreateInbox(owner=stage.owner.identifier, by=wrap(stage.owner)),
        stage.inbox.addition(stage.device),
    ),
    before=nothing,
)
ADDER = Slot(
    name="adder",
    arm="add",
    field="existing_member_signature",
    actions=lambda stage, wrap: (stage.inbox.addition(stage.other_device, by=wrap(stage.owner)),),
)
ADDED = Slot(
    name="added",
    arm="add",
    field="new_member_signature",
    actions=lambda stage, wrap: (
        AddMember(member=stage.other_device.identifier, by=stage.owner, new=wrap(stage.other_device)),
    ),
)
REVOKER = Slot(
    name="revoker",
    arm="revoke",
    field="recovery_identifier_signature",
    actions=lambda stage, wrap: (RevokeMember(member=stage.friend.identifier, by=wrap(stage.owner)),),
)
CHANGER = Slot(
    name="changer",
    arm="change_recovery_address",
    field="existing_recovery_identifier_signature",
    actions=lambda stage, wrap: (ChangeRecovery(to=stage.friend.identifier, by=wrap(stage.owner)),),
)
SLOTS = (CREATED, ADDER, ADDED, REVOKER, CHANGER)
# those that the owner fills
OWNER_SLOTS = (CREATED, ADDER, REVOKER, CHANGER)
