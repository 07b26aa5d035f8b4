"""Updates that the contract leaves open: a backend may take them, or refuse them for one of the reasons given."""

from __future__ import annotations

from dataclasses import replace

from conformance.craft.draw import Draw
from conformance.craft.identity.actions import AddMember, ChangeRecovery, RevokeMember
from conformance.craft.identity.contract_wallet import LOCAL_CHAIN
from conformance.craft.identity.entry import (
    IDENT,
    INVALID_IDENTITY_UPDATE,
    INVALID_SIGNATURE,
    MALFORMED_PAYLOAD,
    Situation,
    WrongUpdate,
    situation,
)
from conformance.craft.identity.identifier import MemberId, MemberKind, inbox_id, installation_id
from conformance.craft.identity.legacy import delegated
from conformance.craft.identity.passkey import client_data
from conformance.craft.identity.signer import Posing, Signature, Signer
from conformance.craft.identity.slots import CREATED, as_it_is
from conformance.craft.identity.stage import Actions, Owner, Stage, Updates, acted, nothing, opening, usual
from conformance.craft.identity.update import signed_update

SIGNATURE = frozenset({INVALID_SIGNATURE})
UPDATE_OR_PAYLOAD = frozenset({INVALID_IDENTITY_UPDATE, MALFORMED_PAYLOAD})
ANY_OF_THREE = UPDATE_OR_PAYLOAD | SIGNATURE
UPDATE_OR_SIGNATURE = frozenset({INVALID_IDENTITY_UPDATE}) | SIGNATURE

_UNKNOWN_KINDS = (3, 99, (1 << 31) - 1, -1)
_FAR_BLOCK = 1 << 40


def _open(
    name: str,
    rule: str,
    reasons: frozenset[int],
    odd: Actions,
    *,
    twin: Actions = opening,
    before: Updates = nothing,
    owner: Owner = Owner.WALLET,
    chains: tuple[int, ...] = (),
) -> WrongUpdate:
    return WrongUpdate(
        name=f"open-{name}",
        clause=IDENT,
        rule=rule,
        reasons=reasons,
        make=lambda draw: acted(Stage(draw, owner), odd, twin, before),
        may_be_taken=True,
        chains=chains,
    )


def _owner_of_kind(number: int) -> WrongUpdate:
    """Describe a wallet that opens an inbox under a kind without a name: read as a wallet, or refused."""
    return _open(
        f"owner-of-kind-{number}",
        "IDENT-001",
        UPDATE_OR_PAYLOAD,
        lambda stage: (replace(stage.inbox.creation(), kind=number), stage.inbox.addition(stage.device)),
    )


def _owner_in_capitals(draw: Draw) -> Situation:
    """Open an inbox for a passkey written in capitals, under the id of the key: text and id stay in lowercase."""
    stage = Stage(draw, Owner.PASSKEY)
    time_ns = stage.inbox.at_next_second()
    twin = stage.inbox.update(stage.inbox.creation(), client_timestamp_ns=time_ns)
    odd = signed_update(inbox_id(stage.owner.identifier), time_ns, stage.inbox.creation())
    odd.actions[0].create_inbox.initial_identifier = stage.owner.identifier.text.upper()
    return situation(odd, twin)


def _recovery_in_capitals(draw: Draw) -> Situation:
    """Name a passkey in capitals, while the text that is signed has it in lowercase."""
    stage = Stage(draw)
    before = usual(stage)
    time_ns = stage.inbox.at_next_second()
    action = ChangeRecovery(to=stage.other_key.identifier, by=stage.owner)
    twin = stage.inbox.update(action, client_timestamp_ns=time_ns)
    odd = stage.inbox.update(action, client_timestamp_ns=time_ns)
    odd.actions[0].change_recovery_address.new_recovery_identifier = stage.other_key.identifier.text.upper()
    return situation(odd, twin, before=before)


def _both(stage: Stage) -> Signer:
    """Sign as the owner does, and in the retired form beside it."""

    def signs(text: str) -> Signature:
        signature = delegated(stage.own_wallet, text)
        signature.MergeFrom(stage.own_wallet.sign(text))
        return signature

    return Posing(identifier=stage.owner.identifier, signs=signs)


def _without_origin(stage: Stage) -> Signer:
    passkey = stage.own_passkey
    return Posing(identifier=passkey.identifier, signs=lambda text: passkey.assertion(client_data(text, origin=None)))


OPEN_UPDATES: tuple[WrongUpdate, ...] = (
    *map(_owner_of_kind, _UNKNOWN_KINDS),
    _open(
        "recovery-of-kind-99",
        "IDENT-001",
        UPDATE_OR_PAYLOAD,
        lambda stage: (ChangeRecovery(to=stage.friend.identifier, by=stage.owner, kind=99),),
        twin=lambda stage: (ChangeRecovery(to=stage.friend.identifier, by=stage.owner),),
        before=usual,
    ),
    WrongUpdate(
        name="open-owner-passkey-in-capitals",
        clause=IDENT,
        rule="IDENT-013",
        reasons=ANY_OF_THREE,
        make=_owner_in_capitals,
        may_be_taken=True,
    ),
    WrongUpdate(
        name="open-recovery-passkey-in-capitals",
        clause=IDENT,
        rule="IDENT-013",
        reasons=ANY_OF_THREE,
        make=_recovery_in_capitals,
        may_be_taken=True,
    ),
    _open(
        "recovery-passkey-that-is-no-point",
        "IDENT-013",
        UPDATE_OR_PAYLOAD,
        lambda stage: (ChangeRecovery(to=MemberId(kind=MemberKind.PASSKEY, text="abcd"), by=stage.owner),),
        twin=lambda stage: (ChangeRecovery(to=stage.other_key.identifier, by=stage.owner),),
        before=usual,
    ),
    _open(
        "revoked-installation-of-3-bytes",
        "IDENT-001",
        UPDATE_OR_PAYLOAD,
        lambda stage: (RevokeMember(member=installation_id(b"\x01\x02\x03"), by=stage.owner),),
        twin=lambda stage: (RevokeMember(member=stage.other_device.identifier, by=stage.owner),),
        before=usual,
    ),
    _open(
        "passkey-signature-without-origin",
        "IDENT-030",
        SIGNATURE,
        lambda stage: CREATED.actions(stage, lambda _: _without_origin(stage)),
        twin=lambda stage: CREATED.actions(stage, as_it_is),
        owner=Owner.PASSKEY,
    ),
    _open(
        "retired-signature-beside-a-good-one",
        "IDENT-030",
        ANY_OF_THREE,
        lambda stage: CREATED.actions(stage, lambda _: _both(stage)),
        twin=lambda stage: CREATED.actions(stage, as_it_is),
    ),
    _open(
        "contract-block-ahead-of-the-chain",
        "IDENT-062",
        UPDATE_OR_SIGNATURE,
        lambda stage: (
            AddMember(
                member=stage.contract.identifier,
                by=stage.owner,
                new=replace(stage.contract, block_number=_FAR_BLOCK),
            ),
        ),
        twin=lambda stage: (stage.inbox.addition(stage.contract),),
        before=usual,
        chains=(LOCAL_CHAIN,),
    ),
)
