"""The catalogues of updates: every entry decodes, is new each time, and differs from its twin."""

from __future__ import annotations

import re

import pytest

from conformance.craft.draw import Draw
from conformance.craft.identity.entry import BACKEND, IDENT, INVALID_SIGNATURE, MALFORMED_PAYLOAD, TOPIC, WrongUpdate
from conformance.craft.identity.updates import ODD_UPDATES, OPEN_UPDATES, WRONG_UPDATES
from conformance.craft.topics import topic_of
from conformance.pb import backend_pb2

Envelope = backend_pb2.ClientEnvelope
WRONG = [*WRONG_UPDATES.values(), *OPEN_UPDATES.values()]


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_a_wrong_update_stands_beside_a_twin_at_the_end_of_the_same_log(wrong: WrongUpdate) -> None:
    made = wrong.build(Draw(7, b"wrong"))
    log = {topic_of(envelope) for envelope in (*made.before, made.twin)}
    assert len(log) == 1
    assert made.broken not in {*made.before, made.twin}
    broken = Envelope.FromString(made.broken)
    assert broken.WhichOneof("payload") == "identity_update"
    if wrong.clause == TOPIC:
        assert wrong.reasons == {MALFORMED_PAYLOAD}
        with pytest.raises(ValueError, match=r"inbox id|hexadecimal"):
            topic_of(broken)
    elif made.before:
        assert topic_of(broken) in log


def test_every_entry_is_new_at_every_build_and_the_same_for_the_same_case() -> None:
    for entry in (*WRONG, *ODD_UPDATES.values()):
        draw = Draw(7, b"new")
        one, other = entry.build(draw), entry.build(draw)
        assert one != other
        assert one == entry.build(Draw(7, b"new"))


def test_entries_name_their_rule_and_a_clause_and_few_are_decided_by_the_backend_contract_alone() -> None:
    for entry in (*WRONG, *ODD_UPDATES.values()):
        assert re.fullmatch(r"(IDENT|TOPIC)-\d{3}", entry.rule)
        assert entry.clause in {BACKEND, IDENT, TOPIC}
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]*)*", entry.name)
    alone = [entry for entry in WRONG if entry.clause == BACKEND]
    assert all(len(entry.reasons) == 1 for entry in alone)
    assert {INVALID_SIGNATURE} in [entry.reasons for entry in alone]
    assert all(entry.may_be_taken == (entry.name in OPEN_UPDATES) for entry in WRONG)


def test_only_entries_about_contract_wallets_need_a_chain() -> None:
    for entry in WRONG:
        made = entry.build(Draw(7, b"chain"))
        asks = any(b"eip155" in envelope for envelope in (*made.before, made.twin))
        assert asks <= bool(entry.chains), entry
        assert bool(made.rejected) == entry.name.startswith("contract-rejected")
    for odd in ODD_UPDATES.values():
        assert any(b"eip155" in envelope for envelope in odd.build(Draw(7, b"chain")).envelopes) == bool(odd.chains)
