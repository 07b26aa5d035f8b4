from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.craft.identity.installation import Installation
from conformance.craft.identity.passkey import Passkey
from conformance.craft.identity.update import Inbox
from conformance.craft.identity.wallet import Wallet
from conformance.reference.backend.failure import Code, Failure
from tests.reference.harness import InProcess, running
from tests.reference.identity.calls import ETHEREUM, IDENTITY, PASSKEY, draw, found, lookup, take


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    with running(tmp_path_factory.mktemp("lookups"), limits={"max_lookup_identifiers": 9}) as backend:
        yield InProcess(backend)


def test_the_latest_live_association_wins_and_a_revocation_shows_the_one_before(call: InProcess) -> None:
    wallet = Wallet.drawn(draw())
    inboxes = [Inbox(Wallet.drawn(draw())) for _ in range(3)]
    for inbox in inboxes:
        take(call, inbox.create())
        take(call, inbox.add(wallet))
        assert found(call, ETHEREUM, wallet.address) == inbox.id
    take(call, inboxes[0].revoke(wallet))
    assert found(call, ETHEREUM, wallet.address) == inboxes[2].id
    take(call, inboxes[2].revoke(wallet))
    assert found(call, ETHEREUM, wallet.address) == inboxes[1].id
    take(call, inboxes[0].add(wallet))
    assert found(call, ETHEREUM, wallet.address) == inboxes[0].id
    both = [*inboxes[1].revocations([wallet]), inboxes[1].addition(wallet)]
    take(call, inboxes[1].update(*both))
    assert found(call, ETHEREUM, wallet.address) == inboxes[1].id
    for inbox in inboxes[:2]:
        take(call, inbox.revoke(wallet))
    assert found(call, ETHEREUM, wallet.address) is None


def test_every_entry_is_answered_in_place_as_it_was_sent(call: InProcess) -> None:
    wallet, key, device = Wallet.drawn(draw()), Passkey.drawn(draw()), Installation.drawn(draw())
    inbox = Inbox(wallet)
    take(call, inbox.create(device, key))
    passkey = key.key.hex()
    asked = [
        (ETHEREUM, wallet.address),
        (0, "0X" + wallet.address[2:].upper()),
        (PASSKEY, passkey.upper()),
        (PASSKEY, device.key.hex()),
        (ETHEREUM, device.key.hex()),
        (ETHEREUM, passkey),
        (ETHEREUM, ""),
        (PASSKEY, key.compressed().key.hex()),
        (ETHEREUM, wallet.address),
    ]
    answers = lookup(call, *asked)
    assert [(answer.identifier_kind, answer.identifier) for answer in answers] == asked
    known = [answer.inbox_id if answer.HasField("inbox_id") else None for answer in answers]
    assert known == [inbox.id, inbox.id, inbox.id, None, None, None, None, None, inbox.id]


def test_lookups_have_bounds_and_refuse_what_cannot_be_asked(call: InProcess) -> None:
    assert lookup(call) == []
    assert len(lookup(call, *[(ETHEREUM, "x")] * 9)) == 9
    for asked in ([(ETHEREUM, "x")] * 10, [(PASSKEY, "abc")], [(99, "x")], [(-1, "x")]):
        with pytest.raises(Failure) as caught:
            lookup(call, *asked)
        assert caught.value.code == Code.INVALID_ARGUMENT
    with pytest.raises(Failure) as caught:
        call(IDENTITY + "GetInboxIds", b"\xff")
    assert caught.value.code == Code.INVALID_ARGUMENT


def test_the_recovery_identifier_is_found_only_as_a_member(call: InProcess) -> None:
    inbox, heir = Inbox(Wallet.drawn(draw())), Wallet.drawn(draw())
    take(call, inbox.create())
    take(call, inbox.change_recovery(heir))
    assert found(call, ETHEREUM, heir.address) is None


def test_the_index_survives_the_backend(tmp_path: Path) -> None:
    inbox = Inbox(Wallet.drawn(draw()))
    with running(tmp_path) as backend:
        take(InProcess(backend), inbox.create())
    with running(tmp_path) as backend:
        assert found(InProcess(backend), ETHEREUM, inbox.owner.identifier.text) == inbox.id


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.booleans()), max_size=12))
def test_lookups_follow_any_history_of_additions_and_revocations(
    call: InProcess, moves: list[tuple[int, int, bool]]
) -> None:
    inboxes = [Inbox(Wallet.drawn(draw())) for _ in range(3)]
    wallets = [Wallet.drawn(draw()) for _ in range(3)]
    for inbox in inboxes:
        take(call, inbox.create())
    live: dict[int, dict[int, int]] = {number: {} for number in range(3)}
    for which, whom, revoke in moves:
        if revoke:
            take(call, inboxes[which].revoke(wallets[whom]))
            live[whom].pop(which, None)
        elif which not in live[whom]:
            (meta,) = take(call, inboxes[which].add(wallets[whom]))
            live[whom][which] = meta.cursor.sequence_id
    for whom, wallet in enumerate(wallets):
        latest = max(live[whom], key=live[whom].__getitem__, default=None)
        assert found(call, ETHEREUM, wallet.address) == (None if latest is None else inboxes[latest].id)


def test_an_answer_longer_than_its_bound_fails_whole(tmp_path: Path) -> None:
    limits = {"max_envelope_bytes": 1024, "max_response_bytes": 1280}
    with running(tmp_path, limits=limits) as backend:
        call = InProcess(backend)
        with pytest.raises(Failure) as caught:
            lookup(call, (ETHEREUM, "x" * 2000))
    assert caught.value.code == Code.OUT_OF_RANGE
