from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from conformance.craft import fixtures, real_client
from conformance.craft.fixtures import FixtureError, fixture
from conformance.craft.group_message import content_type_of
from conformance.craft.mls_framing import ContentType
from conformance.craft.real_client import real_client_lines, requests
from conformance.craft.topics import Kind, topic_of
from conformance.oracle import admission
from conformance.pb import backend_pb2

LINES = real_client_lines()


def test_the_vectors_are_whole() -> None:
    assert Counter(line.kind for line in LINES) == {
        Kind.GROUP_MESSAGE: 137,
        Kind.COMMIT_LOG: 106,
        Kind.WELCOME: 43,
        Kind.KEY_PACKAGE: 34,
        Kind.IDENTITY_UPDATE: 24,
    }
    assert [line.number for line in LINES] == list(range(1, 345))
    assert [line for together in requests(LINES) for line in together] == list(LINES)
    assert all(len({line.batch for line in together}) == 1 for together in requests(LINES))


@pytest.mark.parametrize("line", LINES, ids=lambda line: str(line.number))
def test_the_suite_reads_a_real_envelope_as_the_vectors_say(line: real_client.Line) -> None:
    assert topic_of(line.envelope) == line.topic
    assert (content_type_of(line.envelope) in {ContentType.PROPOSAL, ContentType.COMMIT}) == line.is_commit_or_proposal
    earlier = [other.number for other in LINES[: line.number - 1] if other.envelope == line.envelope]
    assert earlier[:1] == ([] if line.duplicate_of is None else [line.duplicate_of])


def test_the_suite_expects_every_real_key_package_and_message_to_be_taken() -> None:
    for line in real_client_lines(Kind.KEY_PACKAGE, Kind.GROUP_MESSAGE):
        message = backend_pb2.ClientEnvelope.FromString(line.envelope)
        found = (
            admission.group_message(message.group_message.data)
            if line.kind is Kind.GROUP_MESSAGE
            else admission.key_package(message.key_package.key_package_tls_serialized, now_s=line.made_ns // 10**9)
        )
        expected = admission.Expectation(topic=line.topic, is_commit_or_proposal=line.is_commit_or_proposal)
        assert found == expected, line


def test_missing_or_broken_vectors_are_said_in_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(fixtures, "_PLACES", (tmp_path / "nowhere", tmp_path))
    with pytest.raises(FixtureError, match=r"real_client\.jsonl are missing: install the package again"):
        real_client_lines()
    for broken in ("{", '{"n": 1}', '{"n": "1", "kind": "welcome"}', "[]"):
        (tmp_path / real_client.FILE).write_text(broken)
        with pytest.raises(FixtureError, match="cannot be read"):
            real_client_lines()


def test_shipped_vectors_come_before_those_of_a_checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(fixtures, "_PLACES", (tmp_path / "shipped", tmp_path))
    (tmp_path / "shipped").mkdir()
    (tmp_path / "one").write_text("checkout")
    assert fixture("one") == tmp_path / "one"
    (tmp_path / "shipped" / "one").write_text("shipped")
    assert fixture("one") == tmp_path / "shipped" / "one"
