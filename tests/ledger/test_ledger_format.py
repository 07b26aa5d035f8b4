"""A ledger file that breaks the format is refused in one sentence that names the file and the id."""

from __future__ import annotations

import pytest

from conformance.ledger.load import parse
from conformance.ledger.model import Clause, LedgerError

HEAD = f'[API-222]\ntitle = "T"\nsection = "3.1 Admission"\ndigest = "{"a" * 64}"\n'
SEEN = 'says = "It is so."\nsees = "full"\nstate = "planned"\n'
UNSEEN = 'says = "It is so."\nsees = "none"\nwhy_not = "Nobody looks."\n'
GOOD = f"{HEAD}[API-222.a]\n{SEEN}"


def _clause(text: str) -> Clause:
    return parse(text, contract="API", name="api.toml")["API-222"].clauses[0]


def test_a_requirement_is_read_with_what_its_clauses_leave_out() -> None:
    requirement = parse(f"{GOOD}[API-222.a.ident]\n{UNSEEN}", contract="API", name="api.toml")["API-222"]
    assert (requirement.contract, requirement.section_number, requirement.binds) == ("API", "3.1", ())
    assert [clause.id for clause in requirement.clauses] == ["API-222.a", "API-222.a.ident"]
    first = requirement.clauses[0]
    assert (first.party, first.level, first.needs, first.owner, first.note) == ("backend", "must", (), None, None)


def test_the_party_of_a_clause_is_its_contracts_own_unless_given() -> None:
    text = GOOD.replace("API-", "SEND-")
    assert parse(text, contract="SEND", name="send.toml")["SEND-222"].clauses[0].party == "client"
    assert _clause(f'{GOOD}party = "sdk"\n').party == "sdk"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (f"{GOOD}[API-222.a]\n{SEEN}", "API-222"),
        (f"{GOOD}= 1\n", "TOML"),
        ('API-222 = "x"\n', "API-222"),
        (GOOD.replace("API-222", "API-22"), "API-22"),
        (GOOD.replace("API-222", "SEND-222"), "SEND-222"),
        (GOOD.replace("title", "titel"), "titel"),
        (GOOD.replace('"T"', '" "'), "title"),
        (GOOD.replace("3.1 Admission", "Admission"), "Admission"),
        (GOOD.replace("aaa", "AAA"), "digest"),
        (GOOD.replace("digest", 'binds = ["proto"]\ndigest'), "proto"),
        (GOOD.replace("digest", 'binds = ["why", "why"]\ndigest'), "binds"),
        (GOOD.replace("digest", 'binds = "why"\ndigest'), "binds"),
        (HEAD, "clause"),
        (GOOD.replace("222.a", "222.A"), "API-222.A"),
        (GOOD.replace("222.a", "222.a1b2"), "API-222.a1b2"),
        (f"{GOOD}[API-222.a.b.c]\n{SEEN}", "API-222.a.b"),
        (GOOD.replace("says", "sais"), "sais"),
        (GOOD.replace('"full"', '"fully"'), "fully"),
        (GOOD.replace('"planned"', '"done"'), "done"),
        (GOOD.replace('state = "planned"\n', ""), "state"),
        (f'{GOOD}party = "server"\n', "server"),
        (f'{GOOD}level = "may"\n', "may"),
        (f'{GOOD}needs = ["luck"]\n', "luck"),
        (f'{GOOD}needs = ["kill|luck"]\n', "luck"),
        (f'{GOOD}needs = ["capability:luck"]\n', "luck"),
        (f'{GOOD}owner = "some team"\n', "some team"),
        (f'{GOOD}why_not = "Nobody looks."\n', "why_not"),
        (GOOD.replace('"full"', '"none"'), "why_not"),
        (f'{HEAD}[API-222.a]\n{UNSEEN}state = "planned"\n', "state"),
        (f'{HEAD}[API-222.a]\n{UNSEEN}needs = ["kill"]\n', "needs"),
    ],
)
def test_a_broken_file_is_refused_in_one_sentence(text: str, named: str) -> None:
    with pytest.raises(LedgerError) as caught:
        parse(text, contract="API", name="api.toml")
    message = str(caught.value)
    assert message.startswith("api.toml: ")
    assert named in message
    assert "\n" not in message
