"""One mutation of a lawful history is refused, with the reasons that this mutation has."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings

from conformance.craft.draw import Draw
from conformance.craft.identity.actions import Action, AddMember, ChangeRecovery, CreateInbox, RevokeMember
from conformance.craft.identity.identifier import wallet_id
from conformance.craft.identity.signer import Signer
from conformance.craft.identity.strategies import histories
from conformance.craft.identity.update import SECOND_NS, signed_update
from conformance.craft.identity.wallet import Wallet, with_v
from conformance.craft.identity.world import Move
from conformance.oracle.identity.judge import IdentityUpdate
from conformance.oracle.identity.verdict import (
    INVALID_IDENTITY_UPDATE,
    INVALID_SIGNATURE,
    MALFORMED_PAYLOAD,
    Refused,
)
from conformance.pb import signature_pb2
from tests.oracle.identity.people import edited, honest_chain
from tests.oracle.identity.test_histories import Told, play, seeds

UPDATE, SIGNATURE, PAYLOAD = {INVALID_IDENTITY_UPDATE}, {INVALID_SIGNATURE}, {MALFORMED_PAYLOAD}
NEXT = Move(kind="add-installation", who=1)
SLOTS = {
    "create_inbox": ("initial_identifier_signature",),
    "add": ("existing_member_signature", "new_member_signature"),
    "revoke": ("recovery_identifier_signature",),
    "change_recovery_address": ("existing_recovery_identifier_signature",),
}

Edit = Callable[[IdentityUpdate], object]
Reasons = Callable[[IdentityUpdate], set[int]]


def signatures_of(update: IdentityUpdate) -> list[signature_pb2.Signature]:
    kinds = [(action, str(action.WhichOneof("kind"))) for action in update.actions]
    return [getattr(getattr(action, kind), slot) for action, kind in kinds for slot in SLOTS[kind]]


def kinds_of(update: IdentityUpdate) -> set[str | None]:
    return {signature.WhichOneof("signature") for signature in signatures_of(update)}


def over_another_text(update: IdentityUpdate) -> set[int]:
    """Say what becomes of signatures over another text: a wallet's verifies, as somebody else's."""
    return (UPDATE if "erc_191" in kinds_of(update) else set()) | (
        SIGNATURE if kinds_of(update) - {"erc_191"} else set()
    )


def spoil(update: IdentityUpdate) -> None:
    """Break the first signature so that it verifies over no text."""
    signature = signatures_of(update)[0]
    match signature.WhichOneof("signature"):
        case "erc_191":
            signature.erc_191.bytes = with_v(signature.erc_191.bytes, 2)
        case "erc_6492":
            signature.erc_6492.signature = b"\x00" * 65
        case "installation_key":
            signature.installation_key.bytes = bytes(64)
        case _:
            signature.passkey.authenticator_data += b"\x00"


def later(update: IdentityUpdate) -> None:
    update.client_timestamp_ns += SECOND_NS


def in_capitals(update: IdentityUpdate) -> None:
    update.inbox_id = update.inbox_id.upper()


def cut(update: IdentityUpdate) -> None:
    update.inbox_id = update.inbox_id[:-1]


EDITS: dict[str, tuple[Edit, Reasons]] = {
    "actions-gone": (lambda update: update.ClearField("actions"), lambda _: UPDATE),
    "id-cut": (cut, lambda _: PAYLOAD),
    "id-in-capitals": (in_capitals, lambda update: UPDATE | PAYLOAD | over_another_text(update)),
    "a-second-later": (later, over_another_text),
    "action-unset": (lambda update: update.actions.add(), lambda _: UPDATE | PAYLOAD),
    "signature-gone": (lambda update: signatures_of(update)[0].Clear(), lambda _: UPDATE | PAYLOAD | SIGNATURE),
    "signature-spoilt": (spoil, lambda _: SIGNATURE),
}


@pytest.mark.parametrize("name", EDITS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=seeds, moves=histories(most=5))
def test_an_edit_that_nobody_signed_is_refused_for_what_it_spoils(name: str, seed: int, moves: list[Move]) -> None:
    told = play(seed, moves)
    following = told.world.play(NEXT).update
    edit, reasons = EDITS[name]
    verdict = told.directory.judge(edited(following, edit), chain=honest_chain)
    assert isinstance(verdict, Refused)
    assert verdict.reasons == reasons(following)
    assert told.directory.judge(following, chain=honest_chain).allows(None)


def stranger(told: Told) -> Wallet:
    return Wallet.drawn(Draw(len(told.steps), b"stranger"))


def recovery(told: Told, inbox_id: str) -> Signer:
    return told.world.people[told.world.recovery(inbox_id)]


def not_recovering(told: Told, inbox_id: str) -> Signer:
    """Give a member that does not recover the inbox, or a stranger where there is none."""
    people = [
        told.world.people[member]
        for member in sorted(told.world.members(inbox_id), key=lambda member: member.text)
        if member in told.world.people and member != told.world.recovery(inbox_id)
    ]
    return people[0] if people else stranger(told)


DEEDS: dict[str, Callable[[Told, str], Action]] = {
    "stranger-adds": lambda told, _: AddMember(
        member=stranger(told).identifier, by=Wallet(b"\x12" * 32), new=stranger(told)
    ),
    "stranger-revokes": lambda told, _: RevokeMember(member=wallet_id("0x" + "ab" * 20), by=stranger(told)),
    "stranger-changes-recovery": lambda told, _: ChangeRecovery(to=stranger(told).identifier, by=stranger(told)),
    "member-revokes": lambda told, inbox: RevokeMember(
        member=wallet_id("0x" + "ab" * 20), by=not_recovering(told, inbox)
    ),
    "member-changes-recovery": lambda told, inbox: ChangeRecovery(
        to=told.world.recovery(inbox), by=not_recovering(told, inbox)
    ),
    "recovery-adds-itself": lambda told, inbox: AddMember(
        member=told.world.recovery(inbox), by=recovery(told, inbox), new=recovery(told, inbox)
    ),
    "another-signs-for-the-new-member": lambda told, inbox: AddMember(
        member=stranger(told).identifier, by=recovery(told, inbox), new=Wallet(b"\x12" * 32)
    ),
    "opened-again": lambda told, inbox: CreateInbox(
        owner=told.world.recovery(inbox), by=recovery(told, inbox), nonce=0
    ),
}


@pytest.mark.parametrize("name", DEEDS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=seeds, moves=histories(most=5))
def test_a_deed_that_the_state_forbids_is_refused_though_well_signed(name: str, seed: int, moves: list[Move]) -> None:
    told = play(seed, moves)
    step = told.steps[-1]
    time_ns = step.update.client_timestamp_ns + SECOND_NS
    broken = signed_update(step.inbox_id, time_ns, DEEDS[name](told, step.inbox_id))
    verdict = told.directory.judge(broken, chain=honest_chain)
    assert isinstance(verdict, Refused)
    assert verdict.reasons == UPDATE


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=seeds, moves=histories(most=6))
def test_no_stored_update_can_be_stored_again_in_another_guise(seed: int, moves: list[Move]) -> None:
    told = play(seed, moves)

    def within_the_second(update: IdentityUpdate) -> None:
        update.client_timestamp_ns += 1

    for step in told.steps:
        verdict = told.directory.judge(edited(step.update, within_the_second), chain=honest_chain)
        assert isinstance(verdict, Refused)
        assert verdict.reasons == UPDATE
