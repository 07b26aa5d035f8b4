"""Contests judged: each outcome of a race is lawful exactly when one history, or one holder, can have come of it."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.craft.identity.entry import encoded_update
from conformance.craft.identity.update import Inbox
from conformance.craft.identity.wallet import Wallet
from conformance.craft.topics import topic_of
from conformance.oracle.identity.contest import Claimant, Entrant, one_history, one_holder
from conformance.oracle.identity.known_lookups import as_known
from conformance.oracle.violation import Undecidable, Violation
from conformance.pb import association_pb2, backend_pb2
from conformance.wire.transcript import Call, Code, Meta, PublishFailure, Seen, Status

IDU, SIG, TAKEN, TOO_SOON = 3, 4, 6, 8
OUTCOMES = (
    "stored",
    "unstored OK",
    "aborted",
    "aborted but stored",
    "refused",
    "for the signature",
    "elsewhere",
    "broken",
)
UPDATES = 3


def call(code: Code) -> Call:
    return Call(number=1, endpoint="e", method="/s/Publish", request=b"", response=None, status=Status(code=code))


def seen(update: association_pb2.IdentityUpdate, sequence_id: int) -> Seen:
    envelope = encoded_update(update)
    meta = Meta(
        sequence_id=sequence_id,
        server_ns=1,
        message_hash=b"\0" * 32,
        topic=topic_of(envelope),
        expiry_ns=0,
        is_commit_or_proposal=False,
    )
    return Seen(source="Query", meta=meta, envelope=envelope)


def entrant(update: association_pb2.IdentityUpdate, outcome: str) -> Entrant:
    code = {
        "stored": Code.OK,
        "unstored OK": Code.OK,
        "aborted": Code.ABORTED,
        "aborted but stored": Code.ABORTED,
        "broken": Code.INTERNAL,
    }.get(outcome, Code.INVALID_ARGUMENT)
    failure = {
        "refused": PublishFailure(index=1, reason=IDU),
        "for the signature": PublishFailure(index=1, reason=SIG),
        "elsewhere": PublishFailure(index=0, reason=IDU),
    }.get(outcome)
    return Entrant(update=update, index=1, call=call(code), failure=failure)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(OUTCOMES), min_size=UPDATES, max_size=UPDATES))
def test_a_contest_is_lawful_when_one_is_stored_and_the_others_are_told_so(outcomes: list[str]) -> None:
    draw = Draw(0, os.urandom(16))
    inbox = Inbox(Wallet.drawn(draw))
    opening = inbox.create()
    updates = [inbox.change_recovery(Wallet.drawn(draw)) for _ in outcomes]
    entrants = [entrant(update, outcome) for update, outcome in zip(updates, outcomes, strict=True)]
    stored = [
        update for update, outcome in zip(updates, outcomes, strict=True) if outcome in {"stored", "aborted but stored"}
    ]
    history = [seen(update, number) for number, update in enumerate([opening, *stored], start=1)]
    answered = [outcome for outcome in outcomes if outcome in {"stored", "unstored OK"}]
    wrong = "broken" in outcomes or len(answered) > 1 or len(stored) > 1
    wrong = wrong or bool({"for the signature", "elsewhere"} & {*outcomes}) or ("refused" in outcomes and not stored)
    if wrong:
        with pytest.raises(Violation):
            one_history(history, entrants)
    elif not answered:
        with pytest.raises(Undecidable):
            one_history(history, entrants)
    else:
        assert one_history(history, entrants).won


def claimant(code: Code, *, stored: bool, reason: int = TAKEN, index: int = 0) -> Claimant:
    failure = PublishFailure(index=index, reason=reason) if code is Code.INVALID_ARGUMENT else None
    return Claimant(call=call(code), failure=failure, stored=stored)


WINNER = claimant(Code.OK, stored=True)
LAWFUL_LOSERS = [claimant(code, stored=False) for code in (Code.INVALID_ARGUMENT, Code.ABORTED, Code.UNAVAILABLE)]


@pytest.mark.parametrize("loser", LAWFUL_LOSERS)
def test_a_handle_with_one_holder_is_lawful(loser: Claimant) -> None:
    one_holder([loser, WINNER, loser])
    with pytest.raises(Undecidable):
        one_holder([loser, loser])


@pytest.mark.parametrize(
    "other",
    [
        WINNER,
        claimant(Code.UNAVAILABLE, stored=True),
        claimant(Code.ABORTED, stored=True),
        claimant(Code.INVALID_ARGUMENT, stored=False, reason=TOO_SOON),
        claimant(Code.INVALID_ARGUMENT, stored=False, index=1),
        claimant(Code.INTERNAL, stored=False),
    ],
)
def test_a_second_holder_or_a_loser_told_otherwise_is_a_violation(other: Claimant) -> None:
    with pytest.raises(Violation):
        one_holder([WINNER, other])
    if other.stored and other.call.status.code is Code.ABORTED:
        with pytest.raises(Violation, match="failed"):
            one_holder([other])


@given(st.lists(st.one_of(st.none(), st.sampled_from(["aa", "bb"])), max_size=4), st.data())
def test_known_lookups_hold_exactly_when_nothing_differs(known: list[str | None], data: st.DataObject) -> None:
    told = data.draw(st.one_of(st.just(known), st.lists(st.one_of(st.none(), st.just("aa")), max_size=4)))
    response = backend_pb2.GetInboxIdsResponse()
    for inbox_id in told:
        response.responses.add(inbox_id=inbox_id)
    if told == known:
        as_known(known, response)
    else:
        with pytest.raises(Violation):
            as_known(known, response)
