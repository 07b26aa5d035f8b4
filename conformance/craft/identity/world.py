"""Lawful histories of several inboxes that share wallets and passkeys, made move by move from plain data.

A move says what kind of update comes next and picks, by numbers, among those who may make it at that moment. So every
list of moves is a lawful history, and shrinking one gives another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from conformance.craft.draw import Draw
from conformance.craft.identity.actions import Action, ChangeRecovery, RevokeMember
from conformance.craft.identity.contract_wallet import ContractWallet
from conformance.craft.identity.identifier import MemberId
from conformance.craft.identity.installation import Installation
from conformance.craft.identity.passkey import Passkey
from conformance.craft.identity.signer import Signer
from conformance.craft.identity.update import IdentityUpdate, Inbox
from conformance.craft.identity.wallet import Wallet

MOVES = (
    "open",
    "add-installation",
    "add-person",
    "add-by-installation",
    "revoke-member",
    "revoke-stranger",
    "revoke-recovery",
    "change-recovery",
    "revoke-and-add-again",
    "several-at-once",
)
_MOST_DEVICES_AT_OPENING = 3
_Item = TypeVar("_Item")


@dataclass(frozen=True, kw_only=True)
class Move:
    """One update to come: its kind, one of `MOVES`, which inbox, and who does it to whom."""

    kind: str
    inbox: int = 0
    who: int = 0
    whom: int = 0

    @property
    def classes(self) -> frozenset[str]:
        """The named class this move belongs to."""
        return frozenset({f"move:{self.kind}"})


@dataclass(frozen=True, kw_only=True)
class Step:
    """A move that was made: the update, and the inbox it is for."""

    inbox_id: str
    update: IdentityUpdate


@dataclass(kw_only=True)
class _Life:
    """An inbox as the world remembers it: each member with its adder and the number of the step that added it."""

    inbox: Inbox
    recovery: Signer
    members: dict[MemberId, tuple[MemberId | None, int]] = field(default_factory=dict)
    devices: dict[MemberId, Installation] = field(default_factory=dict)


class World:
    """People and their inboxes. `contracts` of the people are contract wallets, which need a chain."""

    def __init__(self, draw: Draw, *, wallets: int = 4, passkeys: int = 2, contracts: int = 0) -> None:
        self._draw = draw
        signers: Sequence[Signer] = [
            *(Wallet.drawn(draw) for _ in range(wallets)),
            *(Passkey.drawn(draw, compressed=index % 2 == 1) for index in range(passkeys)),
            *(ContractWallet.drawn(draw) for _ in range(contracts)),
        ]
        self.people: Mapping[MemberId, Signer] = {signer.identifier: signer for signer in signers}
        self._lives: list[_Life] = []
        self._nonces: dict[MemberId, int] = {}
        self._steps = 0

    @property
    def inbox_ids(self) -> tuple[str, ...]:
        """The inboxes there are, in the order of their opening."""
        return tuple(life.inbox.id for life in self._lives)

    def members(self, inbox_id: str) -> frozenset[MemberId]:
        """Who is a member of an inbox now."""
        return frozenset(self._life(inbox_id).members)

    def recovery(self, inbox_id: str) -> MemberId:
        """Who recovers an inbox now."""
        return self._life(inbox_id).recovery.identifier

    def inbox(self, inbox_id: str) -> Inbox:
        """The inbox itself; an update made with it that the world does not know of must come to nothing."""
        return self._life(inbox_id).inbox

    def inbox_of(self, person: MemberId) -> str | None:
        """Tell which inbox a wallet or a passkey resolves to: the one that it joined last of those it is in."""
        joined = {life.inbox.id: life.members[person][1] for life in self._lives if person in life.members}
        return max(joined, key=joined.__getitem__, default=None)

    def play(self, move: Move) -> Step:
        """Make a move. One that nobody can make just now becomes another installation."""
        self._steps += 1
        if move.kind == "open" or not self._lives:
            return self._open(move)
        life = self._lives[move.inbox % len(self._lives)]
        actions = self._actions(life, move) or [self._add(life, self._device(life), life.recovery)]
        return Step(inbox_id=life.inbox.id, update=life.inbox.update(*actions))

    def _life(self, inbox_id: str) -> _Life:
        return next(life for life in self._lives if life.inbox.id == inbox_id)

    def _open(self, move: Move) -> Step:
        owner = _pick(list(self.people.values()), move.who)
        nonce = self._nonces.get(owner.identifier, 0)
        self._nonces[owner.identifier] = nonce + 1
        life = _Life(inbox=Inbox(owner, nonce=nonce), recovery=owner)
        self._lives.append(life)
        life.members[owner.identifier] = (None, self._steps)
        actions: list[Action] = [life.inbox.creation()]
        actions += [
            self._add(life, self._device(life), owner) for _ in range(move.whom % (_MOST_DEVICES_AT_OPENING + 1))
        ]
        return Step(inbox_id=life.inbox.id, update=life.inbox.update(*actions))

    def _actions(self, life: _Life, move: Move) -> list[Action]:
        """Carry out a move; nothing when nobody can make it."""
        makers: Mapping[str, Callable[[_Life, Move], list[Action]]] = {
            "add-installation": self._installation_joins,
            "add-person": lambda life, move: self._person_joins(life, self._adder(life, move.who), move.whom),
            "add-by-installation": self._installation_adds,
            "revoke-member": self._member_leaves,
            "revoke-stranger": self._stranger_leaves,
            "revoke-recovery": lambda life, _: [self._revoke(life, life.recovery.identifier)],
            "change-recovery": lambda life, move: [self._change_recovery(life, move.whom)],
            "revoke-and-add-again": self._member_returns,
            "several-at-once": self._several,
        }
        return makers[move.kind](life, move)

    def _installation_joins(self, life: _Life, move: Move) -> list[Action]:
        return [self._add(life, self._device(life), self._adder(life, move.who))]

    def _person_joins(self, life: _Life, by: Signer, whom: int) -> list[Action]:
        candidates = [
            signer for person, signer in self.people.items() if person not in life.members and person != by.identifier
        ]
        return [self._add(life, _pick(candidates, whom), by)] if candidates else []

    def _installation_adds(self, life: _Life, move: Move) -> list[Action]:
        devices = [device for member, device in life.devices.items() if member in life.members]
        return self._person_joins(life, _pick(devices, move.who), move.whom) if devices else []

    def _member_leaves(self, life: _Life, move: Move) -> list[Action]:
        return [self._revoke(life, _pick(list(life.members), move.whom))] if life.members else []

    def _stranger_leaves(self, life: _Life, move: Move) -> list[Action]:
        strangers = [person for person in self.people if person not in life.members]
        return [self._revoke(life, _pick(strangers, move.whom))] if strangers else []

    def _member_returns(self, life: _Life, move: Move) -> list[Action]:
        people = [person for person in life.members if person in self.people and person != life.recovery.identifier]
        if not people:
            return []
        person = _pick(people, move.whom)
        return [self._revoke(life, person), self._add(life, self.people[person], life.recovery)]

    def _several(self, life: _Life, move: Move) -> list[Action]:
        joining = self._installation_joins(life, move) + self._person_joins(life, life.recovery, move.whom)
        return [*joining, self._change_recovery(life, move.who)]

    def _adder(self, life: _Life, who: int) -> Signer:
        """Pick somebody who may add an installation: a member that is none itself, or the recovery identifier."""
        people = [self.people[member] for member in life.members if member in self.people]
        return _pick([*people, life.recovery], who)

    def _device(self, life: _Life) -> Installation:
        device = Installation.drawn(self._draw)
        life.devices[device.identifier] = device
        return device

    def _add(self, life: _Life, new: Signer, by: Signer) -> Action:
        life.members[new.identifier] = (by.identifier, self._steps)
        return life.inbox.addition(new, by=by)

    def _revoke(self, life: _Life, member: MemberId) -> Action:
        life.members.pop(member, None)
        for device in [device for device in life.devices if life.members.get(device, (None, 0))[0] == member]:
            del life.members[device]
        return RevokeMember(member=member, by=life.recovery)

    def _change_recovery(self, life: _Life, whom: int) -> Action:
        """Change to anybody but a contract wallet that is no member: of that one, the inbox knows no chain."""
        candidates = [
            signer
            for person, signer in self.people.items()
            if person in life.members or not isinstance(signer, ContractWallet)
        ]
        by, life.recovery = life.recovery, _pick(candidates, whom)
        return ChangeRecovery(to=life.recovery.identifier, by=by)


def _pick(items: Sequence[_Item], number: int) -> _Item:
    return items[number % len(items)]
