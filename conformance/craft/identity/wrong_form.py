"""Updates whose form is wrong, whoever signed them (TOPIC-002, IDENT-001, IDENT-003, IDENT-013, IDENT-030)."""

from __future__ import annotations

from collections.abc import Callable

from conformance.craft.draw import Draw
from conformance.craft.encodings import UNKNOWN_FIELD
from conformance.craft.identity.actions import AddMember, ChangeRecovery, CreateInbox, RevokeMember
from conformance.craft.identity.entry import (
    IDENT,
    INVALID_IDENTITY_UPDATE,
    INVALID_SIGNATURE,
    MALFORMED_PAYLOAD,
    TOPIC,
    Situation,
    WrongUpdate,
    situation,
)
from conformance.craft.identity.identifier import MemberId, MemberKind, inbox_id, wallet_id
from conformance.craft.identity.legacy import delegated
from conformance.craft.identity.signer import Posing, Signature, altered
from conformance.craft.identity.slots import OWNER_SLOTS, SLOTS, Slot, Wrap, as_it_is
from conformance.craft.identity.stage import (
    Actions,
    Owner,
    Stage,
    Updates,
    acted,
    edited,
    joining,
    nothing,
    opening,
    usual,
)
from conformance.craft.identity.update import IdentityUpdate, signed_update
from conformance.craft.wire_format import field_bytes
from conformance.pb import association_pb2

MALFORMED = frozenset({MALFORMED_PAYLOAD})
UPDATE = frozenset({INVALID_IDENTITY_UPDATE})
UPDATE_OR_PAYLOAD = UPDATE | MALFORMED
ANY_OF_THREE = UPDATE_OR_PAYLOAD | {INVALID_SIGNATURE}

Edit = Callable[[IdentityUpdate], object]
Spell = Callable[[str], str]

_INBOX_IDS: dict[str, Spell] = {
    "of-63-characters": lambda inbox: inbox[:-1],
    "of-65-characters": lambda inbox: inbox + "0",
    "of-62-characters": lambda inbox: inbox[:-2],
    "of-128-characters": lambda inbox: inbox * 2,
    "with-a-g": lambda inbox: "g" + inbox[1:],
    "with-prefix": lambda inbox: "0x" + inbox,
    "with-prefix-in-64-characters": lambda inbox: "0x" + inbox[2:],
    "with-a-space": lambda inbox: inbox[:-1] + " ",
    "empty": lambda _: "",
}


def _one_capital(text: str) -> str:
    at = next(index for index, char in enumerate(text) if char in "abcdef")
    return text[:at] + text[at].upper() + text[at + 1 :]


_ADDRESSES: dict[str, Spell] = {
    "in-capitals": lambda address: "0x" + address[2:].upper(),
    "with-one-capital": _one_capital,
    "with-capital-prefix": lambda address: "0X" + address[2:],
    "without-prefix": lambda address: address[2:],
    "of-39-digits": lambda address: address[:-1],
    "of-41-digits": lambda address: address + "0",
    "with-a-g": lambda address: address[:-1] + "g",
    "empty": lambda _: "",
}
_PASSKEYS: dict[str, Spell] = {
    "of-odd-length": lambda text: text[:-1],
    "with-a-g": lambda text: "g" + text[1:],
    "with-prefix": lambda text: "0x" + text,
}


def _inbox_id(
    name: str, spell: Spell, *, clause: str = TOPIC, rule: str = "TOPIC-002", reasons: frozenset[int] = MALFORMED
) -> WrongUpdate:
    """Describe an update under a misspelt id, signed as it stands."""

    def make(draw: Draw) -> Situation:
        stage = Stage(draw)
        time_ns = stage.inbox.at_next_second()
        return situation(
            signed_update(spell(stage.inbox.id), time_ns, *opening(stage)),
            stage.inbox.update(*opening(stage), client_timestamp_ns=time_ns),
        )

    return WrongUpdate(name=f"inbox-id-{name}", clause=clause, rule=rule, reasons=reasons, make=make)


def _edit(
    name: str,
    edit: Edit,
    *,
    rule: str = "IDENT-001",
    reasons: frozenset[int] = UPDATE_OR_PAYLOAD,
    twin: Actions = joining,
    before: Updates = usual,
) -> WrongUpdate:
    """Describe an edit of a lawful update."""
    return WrongUpdate(
        name=name,
        clause=IDENT,
        rule=rule,
        reasons=reasons,
        make=lambda draw: edited(Stage(draw), edit, twin, before),
    )


def _act(name: str, broken: Actions, twin: Actions, before: Updates, *, rule: str = "IDENT-013") -> WrongUpdate:
    """Describe other actions than the twin's."""
    return WrongUpdate(
        name=name,
        clause=IDENT,
        rule=rule,
        reasons=UPDATE_OR_PAYLOAD,
        make=lambda draw: acted(Stage(draw), broken, twin, before),
    )


def _owner(
    name: str, owner: Owner, spell: Callable[[MemberId], MemberId] = lambda owner: owner, *, kind: int | None = None
) -> WrongUpdate:
    """Describe an inbox opened for a misspelt owner, under the id that follows from the spelling."""

    def make(draw: Draw) -> Situation:
        stage = Stage(draw, owner)
        spelt = spell(stage.owner.identifier)
        time_ns = stage.inbox.at_next_second()
        creation = CreateInbox(owner=spelt, by=stage.owner, kind=kind)
        return situation(
            signed_update(inbox_id(spelt), time_ns, creation),
            stage.inbox.update(stage.inbox.creation(), client_timestamp_ns=time_ns),
        )

    return WrongUpdate(name=f"owner-{name}", clause=IDENT, rule="IDENT-013", reasons=UPDATE_OR_PAYLOAD, make=make)


def _address(name: str, spell: Spell) -> list[WrongUpdate]:
    """Describe a misspelt address in each place that holds one."""

    def member(stage: Stage) -> MemberId:
        return wallet_id(spell(stage.stranger.address))

    return [
        _owner(f"address-{name}", Owner.WALLET, lambda owner: wallet_id(spell(owner.text))),
        _act(
            f"added-address-{name}",
            lambda stage: (AddMember(member=member(stage), by=stage.owner, new=stage.stranger),),
            lambda stage: (stage.inbox.addition(stage.stranger),),
            usual,
        ),
        _act(
            f"revoked-address-{name}",
            lambda stage: (RevokeMember(member=member(stage), by=stage.owner),),
            lambda stage: (RevokeMember(member=stage.stranger.identifier, by=stage.owner),),
            usual,
        ),
        _act(
            f"recovery-address-{name}",
            lambda stage: (ChangeRecovery(to=member(stage), by=stage.owner),),
            lambda stage: (ChangeRecovery(to=stage.stranger.identifier, by=stage.owner),),
            usual,
        ),
    ]


def _passkey(name: str, spell: Spell) -> list[WrongUpdate]:
    """Describe a passkey written wrongly in each place that holds one as text."""

    def spelt(passkey: MemberId) -> MemberId:
        return MemberId(kind=MemberKind.PASSKEY, text=spell(passkey.text))

    return [
        _owner(f"passkey-{name}", Owner.PASSKEY, spelt),
        _act(
            f"recovery-passkey-{name}",
            lambda stage: (ChangeRecovery(to=spelt(stage.other_key.identifier), by=stage.owner),),
            lambda stage: (ChangeRecovery(to=stage.other_key.identifier, by=stage.owner),),
            usual,
        ),
    ]


def _unfilled(slot: Slot) -> list[WrongUpdate]:
    """Describe a slot that holds no signature of a known kind."""

    def wrong(form: str, actions: Actions) -> WrongUpdate:
        return WrongUpdate(
            name=f"{slot.name}-signature-{form}",
            clause=IDENT,
            rule="IDENT-030",
            reasons=ANY_OF_THREE,
            make=lambda draw: acted(Stage(draw), actions, lambda stage: slot.actions(stage, as_it_is), slot.before),
        )

    absent = _edit(
        f"{slot.name}-signature-absent",
        slot.clear,
        rule="IDENT-030",
        reasons=ANY_OF_THREE,
        twin=lambda stage: slot.actions(stage, as_it_is),
        before=slot.before,
    )
    empty = wrong("empty", lambda stage: slot.actions(stage, lambda signer: altered(signer, lambda _: Signature())))
    retired = wrong("of-the-retired-kind-only", lambda stage: slot.actions(stage, _delegating(stage)))
    return [absent, empty, retired] if slot in OWNER_SLOTS else [absent, empty]


def _delegating(stage: Stage) -> Wrap:
    return lambda signer: Posing(identifier=signer.identifier, signs=lambda text: delegated(stage.own_wallet, text))


def _append(action: association_pb2.IdentityAction) -> Edit:
    return lambda update: update.actions.append(action)


_UNKNOWN_ACTION = association_pb2.IdentityAction.FromString(field_bytes(UNKNOWN_FIELD, b"\x2b" * 8))

WRONG_FORM: tuple[WrongUpdate, ...] = (
    *(_inbox_id(name, spell) for name, spell in _INBOX_IDS.items()),
    _inbox_id("in-capitals", str.upper, clause=IDENT, rule="IDENT-003", reasons=UPDATE_OR_PAYLOAD),
    _edit("no-actions", lambda update: update.ClearField("actions"), reasons=UPDATE),
    _edit(
        "no-actions-on-an-empty-log",
        lambda update: update.ClearField("actions"),
        reasons=UPDATE,
        twin=opening,
        before=nothing,
    ),
    _edit("action-without-kind", _append(association_pb2.IdentityAction())),
    _edit("action-of-unknown-kind-only", _append(_UNKNOWN_ACTION)),
    _edit("added-member-absent", lambda update: update.actions[0].add.ClearField("new_member_identifier")),
    _edit("added-member-without-kind", lambda update: update.actions[0].add.new_member_identifier.Clear()),
    _edit(
        "revoked-member-absent",
        lambda update: update.actions[0].revoke.ClearField("member_to_revoke"),
        twin=lambda stage: stage.inbox.revocations((stage.friend,)),
    ),
    _edit(
        "revoked-member-without-kind",
        lambda update: update.actions[0].revoke.member_to_revoke.Clear(),
        twin=lambda stage: stage.inbox.revocations((stage.friend,)),
    ),
    *(wrong for slot in SLOTS for wrong in _unfilled(slot)),
    *(wrong for name, spell in _ADDRESSES.items() for wrong in _address(name, spell)),
    *(wrong for name, spell in _PASSKEYS.items() for wrong in _passkey(name, spell)),
    _owner("passkey-called-a-wallet", Owner.PASSKEY, kind=association_pb2.IDENTIFIER_KIND_ETHEREUM),
    _owner("passkey-of-no-stated-kind", Owner.PASSKEY, kind=association_pb2.IDENTIFIER_KIND_UNSPECIFIED),
    _owner("wallet-called-a-passkey", Owner.WALLET, kind=association_pb2.IDENTIFIER_KIND_PASSKEY),
)
