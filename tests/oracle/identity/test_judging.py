"""What depends on the chain, on bounds, and on several faults at once."""

from __future__ import annotations

import json

import pytest

from conformance.craft.draw import Draw
from conformance.craft.identity.contract_wallet import ContractWallet
from conformance.craft.identity.installation import Installation
from conformance.craft.identity.passkey import Passkey, client_data
from conformance.craft.identity.signer import Posing, altered, over_text
from conformance.craft.identity.update import IdentityUpdate, Inbox
from conformance.craft.identity.wallet import Wallet, erc_191
from conformance.oracle.identity.chain import ChainQuestion, ChainVerdict, account_of
from conformance.oracle.identity.client_data import NotClientData, read_client_data
from conformance.oracle.identity.judge import Bounds, judge_update, replay
from conformance.oracle.identity.signatures import eip191_hash
from conformance.oracle.identity.verdict import (
    INVALID_IDENTITY_UPDATE,
    INVALID_SIGNATURE,
    MALFORMED_PAYLOAD,
    TOO_LARGE,
    Admitted,
    Refused,
)
from conformance.oracle.violation import Violation
from tests.oracle.identity.people import admitted, after, chain_that, edited

DRAW = Draw(6, b"judging")
WALLET, FRIEND, DEVICE = Wallet.drawn(DRAW), Wallet.drawn(DRAW), Installation.drawn(DRAW)
CONTRACT = ContractWallet.drawn(DRAW, chain_id=10, block_number=77)
UNREACHABLE = chain_that(ChainVerdict.UNREACHABLE)


def test_the_chain_is_asked_about_exactly_what_was_signed() -> None:
    questions: list[ChainQuestion] = []
    heard: list[str] = []

    def chain(question: ChainQuestion) -> ChainVerdict:
        questions.append(question)
        return ChainVerdict.VALID

    def signs(text: str) -> object:
        heard.append(text)
        return CONTRACT.sign(text)

    listening = Posing(identifier=CONTRACT.identifier, signs=signs)  # type: ignore[arg-type] # it does sign
    state = admitted(judge_update(None, Inbox(listening).create(), chain=chain)).state
    assert state.recovery_chain_id == 10
    assert questions == [
        ChainQuestion(
            chain_id=10,
            address=CONTRACT.wallet.address,
            hash=eip191_hash(heard[0]),
            signature=CONTRACT.signature_bytes(heard[0]),
            block_number=77,
        )
    ]


def test_a_chain_that_cannot_be_reached_makes_an_update_unavailable_and_no_signature_invalid() -> None:
    inbox = Inbox(WALLET)
    state = after([inbox.create(DEVICE)])
    verdict = judge_update(state, inbox.add(CONTRACT), chain=UNREACHABLE)
    assert isinstance(verdict, Refused)
    assert (verdict.reasons, verdict.unavailable) == (frozenset(), True)
    admitted(judge_update(state, inbox.add(FRIEND), chain=UNREACHABLE))


def test_beside_an_unreachable_chain_any_other_fault_is_as_lawful_an_answer() -> None:
    inbox = Inbox(WALLET)
    state = after([inbox.create(DEVICE)])
    spoilt = altered(WALLET, lambda _: erc_191(b""))
    for by, reason in ((spoilt, INVALID_SIGNATURE), (FRIEND, INVALID_IDENTITY_UPDATE)):
        verdict = judge_update(state, inbox.add(CONTRACT, by=by), chain=UNREACHABLE)
        assert isinstance(verdict, Refused)
        assert (verdict.reasons, verdict.unavailable) == ({reason}, True)


def test_a_block_outside_the_window_leaves_everything_open() -> None:
    verdict = judge_update(None, Inbox(CONTRACT).create(), chain=chain_that(ChainVerdict.OUTSIDE))
    assert isinstance(verdict, Admitted)
    assert (verdict.reasons, verdict.unavailable) == ({INVALID_IDENTITY_UPDATE, INVALID_SIGNATURE}, True)


@pytest.mark.parametrize(
    ("text", "account"),
    [
        ("eip155:1:0x" + "aB" * 20, (1, "0x" + "ab" * 20)),
        ("eip155:0:0x" + "00" * 20, (0, "0x" + "00" * 20)),
        (f"eip155:{(1 << 64) - 1}:0x" + "00" * 20, ((1 << 64) - 1, "0x" + "00" * 20)),
        (f"eip155:{1 << 64}:0x" + "00" * 20, None),
        ("eip155:00:0x" + "00" * 20, None),
        ("eip155:\u0661:0x" + "00" * 20, None),
        ("eip155:1:0X" + "00" * 20, None),
        ("eip155:1:0x" + "00" * 20 + "\n", None),
    ],
)
def test_an_account_of_a_chain_has_one_form_but_for_the_case_of_its_address(
    text: str, account: tuple[int, str] | None
) -> None:
    assert account_of(text) == account


def test_two_faults_of_one_update_make_either_reason_lawful() -> None:
    inbox = Inbox(WALLET)
    state = after([inbox.create(DEVICE)])
    other_text = over_text(DEVICE, str.upper)
    both = judge_update(state, inbox.update(*inbox.revocations([DEVICE], by=FRIEND), inbox.addition(other_text)))
    assert both.reasons == {INVALID_IDENTITY_UPDATE, INVALID_SIGNATURE}
    again = judge_update(None, inbox.update(inbox.creation(), inbox.creation(), inbox.addition(other_text)))
    assert again.reasons == {INVALID_IDENTITY_UPDATE, INVALID_SIGNATURE}


def test_a_bound_counts_entries_of_the_log_and_slots_of_the_update() -> None:
    inbox = Inbox(CONTRACT)
    yes = chain_that(ChainVerdict.VALID)
    state = after([inbox.create(DEVICE), inbox.add(FRIEND)], chain=yes)
    update = inbox.update(inbox.addition(WALLET), *inbox.revocations([FRIEND, DEVICE]))
    for entries, slots, reasons in (
        (3, 3, set()),
        (2, 3, {INVALID_IDENTITY_UPDATE}),
        (3, 2, {TOO_LARGE}),
        (2, 2, {INVALID_IDENTITY_UPDATE, TOO_LARGE}),
    ):
        bounds = Bounds(max_identity_entries=entries, max_scw_signatures=slots)
        verdict = judge_update(state, update, chain=yes, bounds=bounds)
        assert verdict.reasons == reasons
        assert verdict.allows(None) == (not reasons)
    both = inbox.add(ContractWallet.drawn(DRAW))
    assert judge_update(state, both, chain=yes, bounds=Bounds(max_scw_signatures=1)).reasons == {TOO_LARGE}


def test_an_update_is_judged_by_the_state_of_its_own_inbox_only() -> None:
    state = after([Inbox(WALLET).create()])
    with pytest.raises(ValueError, match="cannot be judged by the state"):
        judge_update(state, Inbox(FRIEND).create())
    shortened = edited(Inbox(WALLET).create(), lambda update: setattr(update, "inbox_id", update.inbox_id[1:]))
    assert judge_update(None, shortened).reasons == {MALFORMED_PAYLOAD}


def test_nothing_of_a_refused_update_is_applied() -> None:
    inbox = Inbox(WALLET)
    state = after([inbox.create(DEVICE)])
    assert state is not None
    members = dict(state.members)
    assert not judge_update(
        state, inbox.update(inbox.addition(FRIEND), *inbox.revocations([DEVICE], by=FRIEND))
    ).allows(None)
    assert state.members == members
    assert after([inbox.create(DEVICE)]) is not state


def test_a_stored_log_that_does_not_apply_is_a_violation_that_names_the_place() -> None:
    inbox = Inbox(WALLET)
    log: list[IdentityUpdate] = [inbox.create(DEVICE), inbox.change_recovery(FRIEND), inbox.revoke(DEVICE)]
    with pytest.raises(Violation, match="at place 2") as caught:
        replay(log)
    assert caught.value.reason == "does-not-apply"
    assert "IDENT-043" in str(caught.value)
    assert replay(log[:2]) == after(log[:2])
    assert replay([]) is None


@pytest.mark.parametrize(
    ("data", "odd"),
    [
        (client_data("x"), set()),
        (b'{"challenge":"a","origin":"b","n":1e999}', {"a number out of range"}),
        (b'{"challenge":"a","origin":"b","n":NaN}', {"a number out of range"}),
        (b'{"challenge":"a","origin":"b","challenge":"a"}', {"a name twice"}),
        (b'{"challenge":"a"}', {"no text as origin"}),
        (b'{"challenge":"a","origin":7}', {"no text as origin"}),
        (b'{"challenge":"a","origin":"\\ud800"}', {"a surrogate"}),
        (b'{"challenge":"a","origin":"b","n":' + b"[" * 100_000, {"a depth without end"}),
    ],
)
def test_client_data_that_parsers_may_read_differently_is_called_odd(data: bytes, odd: set[str]) -> None:
    assert read_client_data(data).odd == odd


@pytest.mark.parametrize(
    "data",
    [b"", b"null", b"[]", b'"challenge"', b"{}", b'{"challenge":null}', b"\xff", json.dumps({"origin": "x"}).encode()],
)
def test_client_data_without_a_challenge_are_none(data: bytes) -> None:
    with pytest.raises(NotClientData):
        read_client_data(data)


def test_odd_client_data_leave_a_passkey_s_signature_open() -> None:
    passkey = Passkey.drawn(DRAW)
    odd = Posing(
        identifier=passkey.identifier,
        signs=lambda text: passkey.assertion(client_data(text).replace(b"}", b',"n":NaN}')),
    )
    verdict = judge_update(None, Inbox(odd).create())
    assert isinstance(verdict, Admitted)
    assert verdict.reasons == {INVALID_SIGNATURE}
