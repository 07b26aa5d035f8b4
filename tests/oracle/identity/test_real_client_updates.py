"""What a real client signed: the model admits all of it, and lookups come out as they did."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from conformance.craft.fixtures import fixture
from conformance.craft.real_client import real_client_lines
from conformance.craft.topics import Kind, identity_topic
from conformance.oracle.identity.chain import ChainVerdict
from conformance.oracle.identity.directory import Directory
from conformance.oracle.identity.lookups import Request, Response, lookups, may_fail
from conformance.oracle.identity.reading import read
from conformance.pb import association_pb2
from tests.oracle.identity.people import admitted, chain_that, update_of

EXPECTED: dict[str, Any] = json.loads(fixture("identity_lookups.json").read_text(encoding="utf-8"))
LINES = real_client_lines(Kind.IDENTITY_UPDATE)


def test_every_update_of_a_real_client_is_admitted_and_all_its_signatures_verify() -> None:
    directory, kinds = Directory(), Counter[str | None]()
    for line in LINES:
        update = update_of(line.envelope)
        assert identity_topic(update.inbox_id) == line.topic
        admitted(directory.judge(update, chain=chain_that(ChainVerdict.VALID)))
        directory.store(update, sequence_id=line.number)
        for action in read(update).actions or ():
            kinds.update(signature.WhichOneof("signature") for signature in action.signatures if signature)
    assert len(LINES) == EXPECTED["updates"]
    assert kinds == EXPECTED["signatures"]
    assert len(directory.states) == 8


def test_lookups_after_all_of_them_are_the_expected_ones() -> None:
    directory = Directory()
    for line in LINES:
        directory.store(update_of(line.envelope), sequence_id=line.number)
    request, response = Request(), Response()
    for row in EXPECTED["lookups"]:
        kind = association_pb2.IdentifierKind.Value(row["kind"])
        request.requests.add(identifier=row["identifier"], identifier_kind=kind)
        response.responses.add(identifier=row["identifier"], identifier_kind=kind, inbox_id=row["inbox_id"])
    lookups(directory, request, response)
    assert not may_fail(directory, request)
    assert [answer.HasField("inbox_id") for answer in response.responses].count(False) == 2


def test_none_of_them_applies_twice_nor_before_the_one_it_builds_on() -> None:
    for start in range(len(LINES)):
        later = update_of(LINES[start].envelope)
        earlier = [update for line in LINES[:start] if (update := update_of(line.envelope)).inbox_id == later.inbox_id]
        directory = Directory()
        for number, update in enumerate([*earlier, later]):
            directory.store(update, sequence_id=number + 1)
        assert not directory.judge(later, chain=chain_that(ChainVerdict.VALID)).allows(None)
        if earlier:
            assert not Directory().judge(later, chain=chain_that(ChainVerdict.VALID)).allows(None)
