from __future__ import annotations

import json
from pathlib import Path

from conformance.craft.fixtures import fixture
from conformance.craft.real_client import real_client_lines
from conformance.craft.topics import Kind
from conformance.pb import backend_pb2 as pb
from tests.reference.harness import InProcess, publish, query, running
from tests.reference.identity.calls import found, lookup
from tests.reference.identity.evm import World
from tests.reference.identity.node import running_node

KINDS = {"IDENTIFIER_KIND_ETHEREUM": 1, "IDENTIFIER_KIND_PASSKEY": 2}


def test_every_update_of_a_real_client_is_taken_and_lookups_find_its_inboxes(tmp_path: Path) -> None:
    lines = real_client_lines(Kind.IDENTITY_UPDATE)
    assert len(lines) == 24
    expected = json.loads(fixture("identity_lookups.json").read_text(encoding="utf-8"))["lookups"]
    assert len(expected) == 11
    with running_node(World()) as url, running(tmp_path, chains={"eip155:31337": url}) as backend:
        call = InProcess(backend)
        for line in lines:
            (meta,) = publish(call, pb.ClientEnvelope.FromString(line.envelope))
            assert (meta.topic.topic, meta.is_commit_or_proposal, meta.expiry_ns) == (line.topic, False, 0), line
        for entry in expected:
            assert found(call, KINDS[entry["kind"]], entry["identifier"]) == entry["inbox_id"], entry
        answers = lookup(call, *[(KINDS[entry["kind"]], entry["identifier"].upper()) for entry in expected])
        assert [answer.inbox_id or None for answer in answers] == [entry["inbox_id"] for entry in expected]
        for line in {line.topic: line for line in lines}.values():
            stored = [each.envelope.SerializeToString() for each in query(call, line.topic, limit=1000).envelopes]
            assert stored == [each.envelope for each in lines if each.topic == line.topic]
        again = publish(call, *[pb.ClientEnvelope.FromString(line.envelope) for line in lines])
        assert len({meta.cursor.sequence_id for meta in again}) == 24
