"""How handles look is told, never guessed about a stranger: the option, the fixture `handles`, and what a run says."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from conformance.target.embedded import embedded

if TYPE_CHECKING:
    import pytest

    from tests.plugin.conftest import SuiteRunner

ASKS = """
@covers("API-296.a")
def test_asks(handles, notes):
    notes.add(f"arm {handles.action_field}")
"""
CLAIMS = """
from conformance.craft.identity.update import Inbox, identity_envelope
from conformance.craft.identity.wallet import Wallet
from conformance.pb import backend_pb2

@covers("API-296.a")
def test_claims(handles, node, draw):
    inbox = Inbox(Wallet.drawn(draw))
    name = handles.drawn(draw)
    for update in (inbox.create(), inbox.claim(name, handles)):
        assert len(node.publish(identity_envelope(update)).metas) == 1
    asked = backend_pb2.GetInboxIdsRequest()
    asked.requests.add(identifier=name, identifier_kind=handles.identifier_kind)
    assert [answer.inbox_id for answer in node.inbox_ids(asked).response.responses] == [inbox.id]
    raise AssertionError("so that there is a command to run it again")
"""
OTHER = """
[claim]
action_field = 17
handle_field = 4
signature_field = 9
[signed_text]
phrase = "Take name"
label = "Name"
[lookup]
identifier_kind = 8
[configuration]
handles_field = 21
min_name_length_field = 6
[grammar]
handle = '@(?P<name>[a-z]{5,9})'
form = "@{name}"
letters = "abcdefghij"
shortest_name = 5
longest_name = 9
"""


def write(pytester: pytest.Pytester, text: str, name: str = "mine.toml") -> str:
    (pytester.path / name).write_text(text, encoding="utf-8")
    return name


def test_the_embedded_backend_shares_the_shipped_profile(suite: SuiteRunner) -> None:
    ran = suite.run(ASKS)
    assert ran.cases["test_asks"]["notes"] == ["arm 5"]
    assert ran.results["run"]["handles_profile"] == "shipped"


def test_another_target_has_no_profile_unless_one_is_given(suite: SuiteRunner, pytester: pytest.Pytester) -> None:
    command = ", ".join(f'"{word}"' for word in embedded())
    deployment = f"--conformance-deployment={write(pytester, f'[adapter]{chr(10)}command = [{command}]', 'd.toml')}"
    ran = suite.run(ASKS, deployment)
    assert ran.cases["test_asks"]["missing"] == ["handles-profile"]
    assert "no handles profile given" in ran.cases["test_asks"]["message"]
    assert ran.results["clauses"]["API-296.a"]["verdict"] == "not-run"
    assert ran.results["run"]["handles_profile"] is None
    told = suite.run(ASKS, deployment, "--conformance-handles-profile=shipped")
    assert told.cases["test_asks"]["outcome"] == "held"
    assert told.results["run"]["handles_profile"] == "shipped"


def test_the_embedded_backend_serves_the_profile_that_is_given(suite: SuiteRunner, pytester: pytest.Pytester) -> None:
    ran = suite.run(CLAIMS, f"--conformance-handles-profile={write(pytester, OTHER)}")
    case = ran.cases["test_claims"]
    assert "so that there is a command" in case["message"], case["message"]
    assert shlex.split(case["repro"])[-2:] == ["--handles-profile", "mine.toml"]
    assert ran.results["run"]["handles_profile"] == "mine.toml"


def test_a_profile_that_cannot_be_used_is_one_sentence_and_code_2(
    suite: SuiteRunner, pytester: pytest.Pytester
) -> None:
    bad = {
        "absent.toml": None,
        "odd.toml": "[claim]\nactionfield = 5\n",
        "no.toml": "[",
        "low.toml": "[claim]\naction_field = 1",
    }
    for name, text in bad.items():
        if text is not None:
            write(pytester, text, name)
        ran = suite.run(ASKS, f"--conformance-handles-profile={name}")
        assert ran.code == 2
        assert name in ran.text
        assert "Traceback" not in ran.text
    assert suite.run(ASKS, "--conformance-handles-profile=").code == 2
