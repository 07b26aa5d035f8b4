"""Claims of handles: who holds one, which names are allowed, and how long to wait (API-296 to 298)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.craft.draw import Draw
from conformance.craft.identity.actions import ClaimHandle
from conformance.craft.identity.handles_file import shipped_profile
from conformance.craft.identity.installation import Installation
from conformance.craft.identity.signer import Signer, altered
from conformance.craft.identity.update import Inbox
from conformance.craft.identity.wallet import Wallet, erc_191
from conformance.oracle.identity.claims import ClaimPolicy
from conformance.oracle.identity.directory import Directory
from conformance.oracle.identity.handles import PAUSE_NS, published_min_name_length
from conformance.oracle.identity.judge import IdentityUpdate
from conformance.oracle.identity.verdict import (
    HANDLE_NOT_ALLOWED,
    HANDLE_TAKEN,
    HANDLE_TOO_SOON,
    INVALID_IDENTITY_UPDATE,
    INVALID_SIGNATURE,
    MALFORMED_PAYLOAD,
    Admitted,
    Refused,
    Verdict,
)
from conformance.oracle.wire_walk import WireError
from conformance.pb import backend_pb2
from tests.oracle.identity.people import admitted

PROFILE = shipped_profile()
NOW_NS = 1_800_000_000_000_000_000
POLICY = ClaimPolicy(earliest_ns=NOW_NS, latest_ns=NOW_NS, min_name_length=3, reserved=frozenset({"admin"}))


class Town:
    """Two inboxes, each with a device, and everything they have claimed."""

    def __init__(self) -> None:
        draw = Draw(5, b"claims")
        self.one, self.other = Inbox(Wallet.drawn(draw)), Inbox(Wallet.drawn(draw))
        self.device, self.stranger = Installation.drawn(draw), Wallet.drawn(draw)
        self.friend = Wallet.drawn(draw)
        self.directory = Directory(handles=PROFILE)
        self._last = 0
        for inbox in (self.one, self.other):
            self.store(inbox.create(self.device, self.friend))

    def store(self, update: IdentityUpdate, *, server_ns: int = NOW_NS - PAUSE_NS) -> None:
        self._last += 1
        self.directory.store(update, sequence_id=self._last, server_ns=server_ns)

    def judge(
        self,
        update: IdentityUpdate,
        *before_it: IdentityUpdate,
        policy: ClaimPolicy | None = POLICY,
    ) -> Verdict:
        return self.directory.judge(update, claims=policy, before_it=before_it)


def claim(inbox: Inbox, handle: str, *, by: Signer | None = None) -> IdentityUpdate:
    return inbox.claim(handle, PROFILE, by=by)


def test_a_free_handle_is_admitted_and_then_held() -> None:
    town = Town()
    admitted(town.judge(claim(town.one, "bob.test")))
    town.store(claim(town.one, "bob.test"))
    assert town.directory.states[town.one.id].handles == ("bob.test",)
    assert town.directory.holders_of("bob.test") == {town.one.id: {"bob.test"}}


def test_a_handle_stays_taken_for_others_and_free_for_its_own_inbox() -> None:
    town = Town()
    town.store(claim(town.one, "bob.test"))
    town.store(claim(town.one, "new.test"))
    for handle in ("bob.test", "new.test"):
        assert town.judge(claim(town.other, handle)).reasons == {HANDLE_TAKEN}
        admitted(town.judge(claim(town.one, handle)))
    capital = town.judge(claim(town.other, "BOB.test"))
    assert isinstance(capital, Admitted)
    assert capital.reasons >= {HANDLE_TAKEN}


def test_a_lower_index_of_the_request_takes_a_handle_from_another_inbox() -> None:
    town = Town()
    first, second = claim(town.one, "bob.test"), claim(town.other, "bob.test")
    refused = town.judge(second, first)
    assert isinstance(refused, Refused)
    assert refused.reasons == {HANDLE_TAKEN}
    admitted(town.judge(first))
    admitted(town.judge(second, town.one.add(town.stranger)))
    assert not town.judge(second, claim(town.one, "bob.test"), first).allows(None)


@pytest.mark.parametrize(
    ("handle", "allowed"), [("bo.test", False), ("bob.test", True), ("admin.test", False), ("admins.test", True)]
)
def test_a_short_or_reserved_name_is_not_allowed_even_to_its_holder(handle: str, allowed: bool) -> None:
    town = Town()
    town.store(claim(town.one, handle))
    verdict = town.judge(claim(town.one, handle))
    assert verdict.allows(None) == allowed
    assert verdict.reasons == (set() if allowed else {HANDLE_NOT_ALLOWED})
    admitted(town.judge(town.one.add(town.stranger)))


@pytest.mark.parametrize(
    ("age_ns", "may_be_taken", "may_be_refused"),
    [
        (PAUSE_NS, True, False),
        (PAUSE_NS - 1, False, True),
        (0, False, True),
        (-1, False, True),
        (2 * PAUSE_NS, True, False),
    ],
)
def test_the_pause_ends_exactly_after_seven_days(age_ns: int, may_be_taken: bool, may_be_refused: bool) -> None:
    town = Town()
    town.store(claim(town.one, "bob.test"), server_ns=NOW_NS - age_ns)
    town.store(claim(town.other, "eve.test"), server_ns=NOW_NS)
    town.store(town.one.add(town.stranger), server_ns=NOW_NS)
    verdict = town.judge(claim(town.one, "bob.test"))
    assert verdict.allows(None) == may_be_taken
    assert verdict.allows(HANDLE_TOO_SOON) == may_be_refused


def test_a_clock_that_is_not_known_exactly_leaves_the_edge_open() -> None:
    town = Town()
    town.store(claim(town.one, "bob.test"), server_ns=NOW_NS - PAUSE_NS)
    policy = replace(POLICY, earliest_ns=NOW_NS - 1)
    verdict = town.judge(claim(town.one, "new.test"), policy=policy)
    assert isinstance(verdict, Admitted)
    assert verdict.reasons == {HANDLE_TOO_SOON}


def test_any_reason_that_applies_is_lawful() -> None:
    town = Town()
    town.store(claim(town.one, "ad.test"))
    town.store(claim(town.other, "bob.test"), server_ns=NOW_NS)
    verdict = town.judge(claim(town.other, "ad.test"))
    assert verdict.reasons == {HANDLE_TAKEN, HANDLE_NOT_ALLOWED, HANDLE_TOO_SOON}
    spoilt = altered(town.other.owner, lambda _: erc_191(b""))
    assert town.judge(claim(town.other, "ad.test", by=spoilt)).reasons == verdict.reasons | {INVALID_SIGNATURE}
    assert town.judge(claim(town.other, "ad.test"), policy=None).allows(None)


def test_who_may_claim_is_open_but_for_strangers() -> None:
    town = Town()
    strange = town.judge(claim(town.one, "bob.test", by=town.stranger))
    assert isinstance(strange, Refused)
    assert strange.reasons == {INVALID_IDENTITY_UPDATE}
    for signer in (town.device, town.friend):
        verdict = town.judge(claim(town.one, "bob.test", by=signer))
        assert isinstance(verdict, Admitted)
        assert verdict.reasons == {INVALID_IDENTITY_UPDATE}
    town.store(town.one.change_recovery(town.stranger))
    assert town.judge(claim(town.one, "bob.test", by=town.stranger)).reasons == {INVALID_IDENTITY_UPDATE}


def test_a_claim_is_signed_like_any_other_action() -> None:
    town = Town()
    right = claim(town.one, "bob.test")
    later = IdentityUpdate()
    later.CopyFrom(right)
    later.client_timestamp_ns += 10**9
    assert not town.judge(later).allows(None)
    town.store(right)
    replayed = IdentityUpdate()
    replayed.CopyFrom(right)
    replayed.client_timestamp_ns += 1
    assert town.judge(replayed).reasons == {INVALID_IDENTITY_UPDATE}


def test_what_no_rule_says_about_claims_is_left_open() -> None:
    town = Town()
    spoken = [ClaimHandle(handle=handle, by=town.one.owner, profile=PROFILE) for handle in ("bob.test", "eve.test")]
    for update, more in (
        (town.one.update(*spoken), set()),
        (claim(town.one, "Bob.test"), {MALFORMED_PAYLOAD, HANDLE_NOT_ALLOWED}),
        (claim(town.one, "no handle"), {MALFORMED_PAYLOAD, HANDLE_NOT_ALLOWED}),
    ):
        verdict = town.judge(update)
        assert isinstance(verdict, Admitted)
        assert verdict.reasons == {INVALID_IDENTITY_UPDATE} | more


def test_the_sixty_fifth_claim_is_refused_and_open_when_some_were_the_same() -> None:
    for names, taken in ((64, False), (63, True)):
        town = Town()
        for number in range(64):
            town.store(claim(town.one, f"name{min(number, names - 1)}.test"))
        verdict = town.judge(claim(town.one, "last.test"))
        assert verdict.allows(None) == taken
        assert verdict.reasons == {INVALID_IDENTITY_UPDATE}


def test_without_a_profile_a_claim_is_an_action_without_kind() -> None:
    town = Town()
    update = claim(town.one, "bob.test")
    directory = Directory()
    directory.store(town.one.create(), sequence_id=1)
    assert directory.judge(update, claims=POLICY).reasons == {INVALID_IDENTITY_UPDATE, MALFORMED_PAYLOAD}


def test_the_published_length_is_read_where_the_profile_says() -> None:
    configuration = backend_pb2.GetConfigurationResponse(identifier="x").SerializeToString()
    assert published_min_name_length(configuration, PROFILE) is None
    assert published_min_name_length(configuration + b"\x52\x00", PROFILE) == 0
    assert published_min_name_length(configuration + b"\x52\x02\x08\x05", PROFILE) == 5
    assert published_min_name_length(configuration + b"\x52\x02\x08\x05\x52\x02\x08\x06", PROFILE) == 6
    elsewhere = replace(PROFILE, handles_field=11)
    assert published_min_name_length(configuration + b"\x5a\x03\x08\xac\x02", elsewhere) == 300
    with pytest.raises(WireError):
        published_min_name_length(b"\x52\x05", PROFILE)
