"""The people of one entry of a catalogue, and the log they stand in before it happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum

from conformance.craft.draw import Draw
from conformance.craft.identity.actions import Action
from conformance.craft.identity.contract_wallet import ContractWallet
from conformance.craft.identity.entry import Situation, situation
from conformance.craft.identity.installation import Installation
from conformance.craft.identity.passkey import Passkey
from conformance.craft.identity.signer import Signer
from conformance.craft.identity.update import IdentityUpdate, Inbox
from conformance.craft.identity.wallet import Wallet


class Owner(Enum):
    """What the owner of a stage is."""

    WALLET = "wallet"
    PASSKEY = "passkey"
    CONTRACT = "contract"


class Stage:
    """An inbox of `owner`, and people beside it.

    The owner is one of `own_wallet`, `own_passkey` and `own_contract`, which is an account that `own_wallet` speaks
    for. In the log of `before`, the owner is the recovery identifier and a member beside a friend (a wallet), a device
    (an installation) and a key (a passkey). All others are strangers to the inbox.
    """

    def __init__(self, draw: Draw, owner: Owner = Owner.WALLET) -> None:
        self.draw = draw
        self.own_wallet, self.own_passkey = Wallet.drawn(draw), Passkey.drawn(draw)
        self.own_contract = ContractWallet(wallet=self.own_wallet)
        owners: dict[Owner, Signer] = {
            Owner.WALLET: self.own_wallet,
            Owner.PASSKEY: self.own_passkey,
            Owner.CONTRACT: self.own_contract,
        }
        self.owner = owners[owner]
        self.friend, self.stranger = Wallet.drawn(draw), Wallet.drawn(draw)
        self.device, self.other_device = Installation.drawn(draw), Installation.drawn(draw)
        self.key, self.other_key = Passkey.drawn(draw), Passkey.drawn(draw)
        self.contract = ContractWallet.drawn(draw)
        self.inbox = Inbox(self.owner)

    def before(self) -> IdentityUpdate:
        """Make the one update of the usual log."""
        return self.inbox.create(self.device, self.friend, self.key)


Actions = Callable[[Stage], Sequence[Action]]
Updates = Callable[[Stage], Sequence[IdentityUpdate]]


def usual(stage: Stage) -> Sequence[IdentityUpdate]:
    """Give the usual log of a stage."""
    return (stage.before(),)


def nothing(_: Stage) -> Sequence[IdentityUpdate]:
    """Give no log at all."""
    return ()


def then(*more: Callable[[Stage], IdentityUpdate]) -> Updates:
    """Give the usual log and further updates."""
    return lambda stage: (stage.before(), *(update(stage) for update in more))


def opening(stage: Stage) -> Sequence[Action]:
    """Give the actions that open the inbox as a client does."""
    return (stage.inbox.creation(), stage.inbox.addition(stage.device))


def joining(stage: Stage) -> Sequence[Action]:
    """Give the action of another device that joins."""
    return (stage.inbox.addition(stage.other_device),)


def acted(stage: Stage, broken: Actions, twin: Actions, before: Updates) -> Situation:
    """Make a situation whose two updates differ in their actions, at one time."""
    earlier = before(stage)
    time_ns = stage.inbox.at_next_second()
    return situation(
        stage.inbox.update(*broken(stage), client_timestamp_ns=time_ns),
        stage.inbox.update(*twin(stage), client_timestamp_ns=time_ns),
        before=earlier,
    )


def edited(stage: Stage, edit: Callable[[IdentityUpdate], object], twin: Actions, before: Updates) -> Situation:
    """Make a situation whose broken update is the twin with an edit that nobody signed."""
    earlier = before(stage)
    right = stage.inbox.update(*twin(stage))
    wrong = IdentityUpdate()
    wrong.CopyFrom(right)
    edit(wrong)
    return situation(wrong, right, before=earlier)
