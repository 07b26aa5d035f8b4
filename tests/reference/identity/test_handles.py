from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.identity.actions import ClaimHandle
from conformance.craft.identity.handles import claim_action
from conformance.craft.identity.installation import Installation
from conformance.craft.identity.update import Inbox, identity_envelope
from conformance.craft.identity.wallet import Wallet
from conformance.pb import backend_pb2 as pb
from conformance.pb.association_pb2 import IdentityUpdate
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.failure import Code, Failure, PublishFailure
from conformance.reference.backend.identity.handles import PAUSE_NS, HandlePolicy
from conformance.reference.backend.identity.handles_wire import HandlesTable
from conformance.reference.backend.settings import Handles, Settings, SettingsError
from tests.reference.harness import CONFIGURATION, PUBLISH, InProcess, field, query, read_all, running
from tests.reference.identity.calls import (
    HANDLE,
    IDU,
    NOT_ALLOWED,
    PROFILE,
    SIG,
    TAKEN,
    TOO_SOON,
    draw,
    found,
    lookup,
    refusal,
    take,
    topic,
)

DAYS_7_MS = 7 * 86_400_000


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    handles = {"min_name_length": 4, "reserved": ["keeper"]}
    with running(tmp_path_factory.mktemp("handles"), handles=handles) as made:
        yield made


@pytest.fixture(scope="module")
def call(backend: Backend) -> InProcess:
    return InProcess(backend)


@pytest.fixture(autouse=True)
def clock(backend: Backend) -> Iterator[None]:
    yield
    backend.clock.move(0)


def opened(call: InProcess) -> Inbox:
    inbox = Inbox(Wallet.drawn(draw()))
    take(call, inbox.create())
    return inbox


def drawn(length: int | None = None) -> str:
    return PROFILE.drawn(draw(), length=length)


def claim(inbox: Inbox, handle: str) -> IdentityUpdate:
    return inbox.claim(handle, PROFILE)


def test_the_assumption_about_handles_is_that_of_the_suite() -> None:
    table, profile = asdict(HandlesTable()), asdict(PROFILE)
    assert {name: profile[name] for name in table} == table


def test_a_claim_survives_storing_and_decides_the_hash(call: InProcess) -> None:
    inbox, handle = opened(call), drawn()
    update = claim(inbox, handle)
    first = b"y" if handle[0] == "x" else b"x"
    other = IdentityUpdate.FromString(update.SerializeToString().replace(handle.encode(), first + handle.encode()[1:]))
    (meta,) = take(call, update)
    assert refusal(call, other) == (IDU, 0), "another value, which nobody with a voice has signed"
    stored = query(call, topic(inbox.id)).envelopes[-1].envelope
    assert stored.SerializeToString(deterministic=True) == identity_envelope(update).SerializeToString()
    padded = IdentityUpdate.FromString(update.SerializeToString())
    padded.actions[0].MergeFromString(b"\xfa\x3e\x01x")
    assert take(call, padded) == [meta]


def test_of_two_arms_of_one_action_the_last_on_the_wire_stands(call: InProcess) -> None:
    inbox, handle = opened(call), drawn()
    time_ns = inbox.at_next_second()
    action = ClaimHandle(handle=handle, by=inbox.owner, profile=PROFILE)
    right = inbox.update(action, client_timestamp_ns=time_ns)
    claimed, stray = right.actions[0].SerializeToString(), inbox.create().actions[0].SerializeToString()
    rest = IdentityUpdate(client_timestamp_ns=time_ns, inbox_id=inbox.id).SerializeToString()

    def of(*arms: bytes) -> bytes:
        return field(1, field(4, field(1, b"".join(arms)) + rest))

    with pytest.raises(PublishFailure) as caught:
        call(PUBLISH, of(claimed, stray))
    assert caught.value.reason in (IDU, SIG)
    assert found(call, HANDLE, handle) is None
    stored = call(PUBLISH, of(stray, claimed))
    assert found(call, HANDLE, handle) == inbox.id
    assert call(PUBLISH, of(claimed)) == stored


def test_another_inbox_cannot_have_a_handle_now_or_ever(call: InProcess, backend: Backend) -> None:
    mine, yours, handle, later = opened(call), opened(call), drawn(), drawn()
    take(call, claim(mine, handle))
    assert refusal(call, opened_claim := claim(yours, handle)) == (TAKEN, 0)
    assert len(read_all(call, topic(yours.id))) == 1
    backend.clock.move(DAYS_7_MS * 1_000_000)
    take(call, claim(mine, later))
    assert refusal(call, opened_claim) == (TAKEN, 0)
    assert [found(call, HANDLE, each) for each in (handle, later)] == [mine.id, mine.id]
    backend.clock.move(2 * DAYS_7_MS * 1_000_000)
    take(call, claim(mine, handle))
    assert found(call, HANDLE, handle) == mine.id


def test_within_a_request_the_lower_index_has_the_handle(call: InProcess) -> None:
    first, second, handle = opened(call), opened(call), drawn()
    assert refusal(call, claim(first, handle), claim(second, handle)) == (TAKEN, 1)
    assert found(call, HANDLE, handle) is None
    take(call, claim(first, handle), claim(second, drawn()))


def test_short_and_reserved_names_are_refused_also_to_their_holder(tmp_path: Path) -> None:
    short, least = drawn(3), drawn(4)
    with running(tmp_path, handles={"min_name_length": 3, "reserved": []}) as backend:
        call = InProcess(backend)
        inbox, other = opened(call), opened(call)
        update = claim(inbox, short)
        metas = take(call, update)
        take(call, claim(other, least))
        assert refusal(call, claim(opened(call), drawn(2))) == (NOT_ALLOWED, 0)
    with running(tmp_path, handles={"min_name_length": 4, "reserved": [least.split(".")[0]]}) as backend:
        call = InProcess(backend)
        backend.clock.move(DAYS_7_MS * 1_000_000)
        assert refusal(call, claim(inbox, short)) == (NOT_ALLOWED, 0)
        assert refusal(call, claim(other, least)) == (NOT_ALLOWED, 0)
        assert take(call, update) == metas
        assert found(call, HANDLE, short) == inbox.id
        assert found(call, HANDLE, least) == other.id
        take(call, inbox.add(Installation.drawn(draw())))


def test_a_claim_waits_seven_days_after_the_last_claim_of_its_inbox(call: InProcess, backend: Backend) -> None:
    inbox, other, handle = opened(call), opened(call), drawn()
    (meta,) = take(call, claim(inbox, handle))
    take(call, claim(other, drawn()))
    assert refusal(call, claim(inbox, handle)) == (TOO_SOON, 0)
    assert refusal(call, claim(inbox, drawn())) == (TOO_SOON, 0)
    backend.clock.move(DAYS_7_MS * 1_000_000 - 60 * 1_000_000_000)
    assert refusal(call, claim(inbox, drawn())) == (TOO_SOON, 0)
    take(call, inbox.add(Installation.drawn(draw())))
    backend.clock.move(DAYS_7_MS * 1_000_000)
    take(call, claim(inbox, drawn()))
    assert meta.server_ns > 0


def test_exactly_seven_days_are_enough() -> None:
    policy = HandlePolicy(HandlesTable(), Handles())
    assert not policy.is_too_soon(5, 5 + PAUSE_NS)
    assert policy.is_too_soon(6, 5 + PAUSE_NS)


@pytest.mark.parametrize(
    "handle", ["", "test", ".test", "Name.test", "na-me.test", "name.", "name.test ", "kname.tesK"]
)
def test_what_the_grammar_does_not_allow_cannot_be_claimed(call: InProcess, handle: str) -> None:
    assert refusal(call, claim(opened(call), handle)) == (IDU, 0)


def test_a_claim_needs_a_signature_of_someone_with_a_voice(call: InProcess) -> None:
    inbox = opened(call)
    assert refusal(call, inbox.claim(drawn(), PROFILE, by=Wallet.drawn(draw()))) == (IDU, 0)
    update = claim(inbox, drawn())
    unsigned = IdentityUpdate(
        actions=[claim_action(PROFILE, drawn(), None)],
        client_timestamp_ns=update.client_timestamp_ns,
        inbox_id=inbox.id,
    )
    assert refusal(call, unsigned) == (IDU, 0)


def test_an_inbox_makes_at_most_64_claims(tmp_path: Path) -> None:
    with running(tmp_path) as backend:
        call = InProcess(backend)
        inbox, handle = Inbox(Wallet.drawn(draw())), drawn()
        action = ClaimHandle(handle=handle, by=inbox.owner, profile=PROFILE)
        take(call, inbox.update(inbox.creation(), *[action] * 63))
        backend.clock.move(DAYS_7_MS * 1_000_000)
        assert refusal(call, inbox.update(action, action)) == (IDU, 0)
        take(call, inbox.update(action))
        backend.clock.move(2 * DAYS_7_MS * 1_000_000)
        assert refusal(call, inbox.update(action)) == (IDU, 0)


def test_a_lookup_folds_ascii_letters_only_and_fails_whole_on_what_is_no_handle(call: InProcess) -> None:
    inbox, handle = opened(call), drawn()
    take(call, claim(inbox, handle))
    answers = lookup(call, (HANDLE, handle.upper()), (HANDLE, drawn(1)), (HANDLE, "keeper.test"), (HANDLE, handle))
    assert [answer.identifier for answer in answers] == [handle.upper(), answers[1].identifier, "keeper.test", handle]
    assert [answer.HasField("inbox_id") for answer in answers] == [True, False, False, True]
    assert answers[0].inbox_id == answers[3].inbox_id == inbox.id
    for wrong in ("", "name", "\u212aeeper.test", "name.tes\u0131", "na me.test", handle + "\n"):
        with pytest.raises(Failure) as caught:
            lookup(call, (HANDLE, handle), (HANDLE, wrong))
        assert caught.value.code == Code.INVALID_ARGUMENT


@given(st.text())
def test_folding_changes_nothing_but_ascii_capitals(text: str) -> None:
    folded = HandlePolicy(HandlesTable(), Handles()).folded(text)
    assert len(folded) == len(text)
    for before, after in zip(text, folded, strict=True):
        assert after == (before.lower() if before.isascii() else before)


def test_the_configuration_tells_the_least_length_and_the_chains(tmp_path: Path) -> None:
    chains = {f"eip155:{number}": "http://127.0.0.1:1" for number in (31337, 10)}
    with running(tmp_path, handles={"min_name_length": 300}, chains=chains) as backend:
        answer = InProcess(backend)(CONFIGURATION, b"")
    response = pb.GetConfigurationResponse.FromString(answer)
    assert list(response.smart_contract_wallet_chains) == ["eip155:10", "eip155:31337"]
    assert answer.endswith(b"\x52\x03\x08\xac\x02")


@pytest.mark.parametrize(
    "wire",
    [{"arm": 5}, {"action_field": 0}, {"phrase": ""}, {"grammar": "("}, {"grammar": "[a-z]+"}, {"label": 3}, [5]],
    ids=str,
)
def test_a_table_that_cannot_be_read_is_one_sentence_that_names_it(wire: object) -> None:
    with pytest.raises(SettingsError, match=r"handles\.wire"):
        Settings().changed({"handles": {"wire": wire}})


def test_a_table_survives_the_way_to_an_endpoint_and_a_restart() -> None:
    given = Settings().changed({"handles": {"wire": {"action_field": 17, "label": "Name"}}})
    there = Settings().changed(json.loads(given.to_json())).changed({"handles": {"min_name_length": 9}})
    assert there.handles.wire == HandlesTable(action_field=17, label="Name")
