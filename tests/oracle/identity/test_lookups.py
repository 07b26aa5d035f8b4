"""What identifiers resolve to over several inboxes, and answers that say otherwise."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from conformance.craft.draw import Draw
from conformance.craft.identity.handles_file import shipped_profile
from conformance.craft.identity.installation import Installation
from conformance.craft.identity.passkey import Passkey
from conformance.craft.identity.update import IdentityUpdate, Inbox, identity_envelope
from conformance.craft.identity.wallet import Wallet
from conformance.craft.topics import identity_topic
from conformance.oracle.identity.directory import Directory
from conformance.oracle.identity.lookups import (
    Request,
    Response,
    claimed_there,
    expected,
    lookups,
    may_fail,
    must_fail,
)
from conformance.oracle.violation import Violation
from conformance.pb import association_pb2
from conformance.wire.transcript import Meta, Seen
from tests.oracle.identity.people import identifier

WALLET, PASSKEY = association_pb2.IDENTIFIER_KIND_ETHEREUM, association_pb2.IDENTIFIER_KIND_PASSKEY
PROFILE = shipped_profile()
HANDLE = PROFILE.identifier_kind


class Told:
    """A wallet and a passkey in three inboxes, and a directory that knows them."""

    def __init__(self) -> None:
        draw = Draw(4, b"lookups")
        self.wallet, self.passkey, self.device = Wallet.drawn(draw), Passkey.drawn(draw), Installation.drawn(draw)
        self.inboxes = [Inbox(Wallet.drawn(draw)) for _ in range(3)]
        self.directory = Directory(handles=PROFILE)
        self._last = 100
        for inbox in self.inboxes:
            self.store(inbox.create(self.device))

    def store(self, update: IdentityUpdate) -> None:
        self._last += 7
        self.directory.store(update, sequence_id=self._last, server_ns=self._last)

    def found(self, text: str, kind: int = WALLET) -> frozenset[str | None]:
        return expected(self.directory, text, kind).inbox_ids


def test_the_newest_association_that_is_left_wins() -> None:
    told = Told()
    first, second, third = told.inboxes
    address = told.wallet.address
    assert told.found(address) == {None}
    for inbox in (second, first, third):
        told.store(inbox.add(told.wallet))
        assert told.found(address) == {inbox.id}
    told.store(first.revoke(told.wallet))
    assert told.found(address) == {third.id}
    told.store(third.revoke(told.wallet))
    assert told.found(address) == {second.id}
    told.store(first.add(told.wallet))
    assert told.found(address) == {first.id}
    told.store(first.add(told.passkey))
    told.store(second.change_recovery(told.wallet))
    assert told.found(address) == {first.id}
    for inbox in (first, second):
        told.store(inbox.revoke(told.wallet, by=inbox.owner if inbox is first else told.wallet))
    assert told.found(address) == {None}


def test_an_association_made_again_within_one_update_is_a_new_one() -> None:
    told = Told()
    first, second, _ = told.inboxes
    told.store(first.add(told.wallet))
    told.store(second.add(told.wallet))
    again = [*first.revocations((told.wallet,)), first.addition(told.wallet)]
    told.store(first.update(*again))
    assert told.found(told.wallet.address) == {first.id}


@pytest.mark.parametrize(
    "spell", [str.lower, str.upper, str.title, lambda text: text.replace("a", "A")], ids=["low", "high", "title", "a"]
)
def test_letter_case_does_not_matter_for_an_address_but_for_its_prefix(spell: Callable[[str], str]) -> None:
    told = Told()
    told.store(told.inboxes[1].add(told.wallet))
    here = told.inboxes[1].id
    text = "0x" + spell(told.wallet.address[2:])
    assert told.found(text) == told.found(text, 0) == {here}
    capital = expected(told.directory, "0X" + text[2:], WALLET)
    assert (capital.inbox_ids, capital.may_fail, capital.must_fail) == ({here, None}, True, False)


def test_kinds_are_kept_apart_and_installations_resolve_to_nothing() -> None:
    told = Told()
    told.store(told.inboxes[2].add(told.passkey))
    text, here = told.passkey.key.hex(), told.inboxes[2].id
    assert told.found(text, PASSKEY) == told.found(text.upper(), PASSKEY) == {here}
    assert told.found(told.passkey.compressed().key.hex(), PASSKEY) == {None}
    assert told.found(text, WALLET) == {None}
    for kind in (WALLET, PASSKEY, 0):
        assert told.found(told.device.key.hex(), kind) == {None}
    assert told.directory.inbox_of(identifier(told.device.identifier)) is None


def test_what_the_contract_does_not_say_may_fail_and_an_ordinary_entry_may_not() -> None:
    told = Told()
    for text, kind in (("0x12", WALLET), ("", 0), ("zz", PASSKEY), ("abcd", PASSKEY), ("abc", PASSKEY), ("a", 99)):
        unclear = expected(told.directory, text, kind)
        assert (unclear.inbox_ids, unclear.may_fail, unclear.must_fail) == ({None}, True, False)
        assert unclear.open
    ordinary = expected(told.directory, told.wallet.address, WALLET)
    assert (ordinary.may_fail, ordinary.open) == (False, None)


def test_a_handle_resolves_to_its_inbox_for_ever_and_only_ascii_is_folded() -> None:
    told = Told()
    inbox = told.inboxes[0]
    for handle in ("first.test", "second.test"):
        told.store(inbox.claim(handle, PROFILE))
    assert told.found("first.test", HANDLE) == told.found("SeConD.TeST", HANDLE) == {inbox.id}
    assert told.found("third.test", HANDLE) == told.found("a.test", HANDLE) == {None}
    for wrong in ("first", "first.test.", "fir st.test", "\u212aing.test", "f\u0131rst.test", ""):
        assert expected(told.directory, wrong, HANDLE).must_fail
    assert told.found("first.test", WALLET) == {None}


def test_a_handle_claimed_in_capitals_may_or_may_not_resolve() -> None:
    told = Told()
    told.store(told.inboxes[0].claim("Loud.test", PROFILE))
    assert told.found("loud.test", HANDLE) == told.found("LOUD.test", HANDLE) == {told.inboxes[0].id, None}


def test_a_stranger_s_handle_is_proven_by_a_claim_on_a_topic_that_need_not_replay() -> None:
    told = Told()
    inbox, other = told.inboxes[:2]
    request, response = Request(), Response()
    for answer in (inbox.id, None):
        entry = request.requests.add(identifier="Admin.test")
        entry.identifier_kind = HANDLE
        response.responses.add(identifier=entry.identifier, identifier_kind=entry.identifier_kind, inbox_id=answer)

    claimed_there(request, response, [sight(inbox.claim("admin.test", PROFILE), 1)], PROFILE)
    for elsewhere in (inbox.claim("admins.test", PROFILE), other.claim("admin.test", PROFILE), inbox.create()):
        with pytest.raises(Violation) as caught:
            claimed_there(request, response, [sight(elsewhere, 1)], PROFILE)
        assert caught.value.reason == "wrong-inbox"


def asked_and_answered() -> tuple[Told, Request, Response]:
    told = Told()
    told.store(told.inboxes[0].add(told.wallet))
    told.store(told.inboxes[1].claim("known.test", PROFILE))
    capitals = "0x" + told.wallet.address[2:].upper()
    rows = [
        (capitals, WALLET, told.inboxes[0].id),
        ("KNOWN.test", HANDLE, told.inboxes[1].id),
        ("unknown.test", HANDLE, None),
        (told.wallet.address, 0, told.inboxes[0].id),
    ]
    request, response = Request(), Response()
    for text, kind, inbox_id in rows:
        asked, answer = request.requests.add(identifier=text), response.responses.add(identifier=text)
        asked.identifier_kind = answer.identifier_kind = kind
        if inbox_id is not None:
            answer.inbox_id = inbox_id
    return told, request, response


def test_the_expected_answer_is_lawful() -> None:
    told, request, response = asked_and_answered()
    lookups(told.directory, request, response)
    assert not may_fail(told.directory, request)
    assert not must_fail(told.directory, request)


def _swap(response: Response) -> None:
    first, second = response.responses[0].inbox_id, response.responses[1].inbox_id
    response.responses[0].inbox_id, response.responses[1].inbox_id = second, first


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda response: response.responses.pop(), "entry-count"),
        (lambda response: response.responses.add(), "entry-count"),
        (
            lambda response: setattr(response.responses[0], "identifier", response.responses[3].identifier),
            "echo-changed",
        ),
        (lambda response: setattr(response.responses[1], "identifier", "known.test"), "echo-changed"),
        (lambda response: setattr(response.responses[3], "identifier_kind", WALLET), "echo-changed"),
        (_swap, "wrong-inbox"),
        (lambda response: response.responses[0].ClearField("inbox_id"), "wrong-inbox"),
        (lambda response: setattr(response.responses[2], "inbox_id", ""), "wrong-inbox"),
        (lambda response: setattr(response.responses[0], "inbox_id", "0" * 64), "wrong-inbox"),
    ],
    ids=["cut", "longer", "other-entry", "folded", "kind", "swapped", "absent", "empty", "zeros"],
)
def test_another_answer_is_a_violation(spoil: Callable[[Response], object], reason: str) -> None:
    told, request, response = asked_and_answered()
    spoil(response)
    with pytest.raises(Violation) as caught:
        lookups(told.directory, request, response)
    assert caught.value.reason == reason


def test_an_answer_to_what_is_no_handle_is_a_violation() -> None:
    told, request, response = asked_and_answered()
    for entries in (request.requests, response.responses):
        entries[1].identifier = "no handle"
    assert must_fail(told.directory, request)
    with pytest.raises(Violation, match="no handle by the grammar"):
        lookups(told.directory, request, response)


def test_a_directory_is_replayed_from_what_was_read_in_whatever_order() -> None:
    told = Told()
    inbox = told.inboxes[0]
    updates = [Inbox(told.wallet).create(), inbox.add(told.passkey)]
    log = Inbox(told.passkey)
    updates += [log.create(told.device), log.revoke(told.passkey)]
    seen = [sight(update, number) for number, update in enumerate(updates, 1) if update.inbox_id != inbox.id]
    directory = Directory.of(reversed(seen))
    assert set(directory.states) == {updates[0].inbox_id, log.id}
    assert not directory.states[log.id].members
    with pytest.raises(Violation) as caught:
        Directory.of([*seen, sight(updates[1], 2)])
    assert caught.value.reason == "does-not-apply"
    with pytest.raises(ValueError, match="after 4 on one topic"):
        directory.store(log.add(told.wallet), sequence_id=4)
    with pytest.raises(ValueError, match="metadata alone"):
        Directory.of([Seen(source="Query", meta=seen[0].meta)])


def sight(update: IdentityUpdate, number: int) -> Seen:
    meta = Meta(
        sequence_id=number,
        server_ns=number,
        message_hash=bytes(32),
        topic=identity_topic(update.inbox_id),
        expiry_ns=0,
        is_commit_or_proposal=False,
    )
    return Seen(source="Query", meta=meta, envelope=identity_envelope(update).SerializeToString())
