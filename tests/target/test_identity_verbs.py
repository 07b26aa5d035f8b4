"""Lookups and verifications go out as they were asked and come back as the target told them."""

from __future__ import annotations

from collections.abc import Callable

import grpc
import pytest

from conformance.pb import backend_pb2
from conformance.target.node import Node
from conformance.target.refusals import UnexpectedAnswer

MakeNode = Callable[..., Node]
LOOKUP = backend_pb2.GetInboxIdsRequest
QUESTION = backend_pb2.VerifySmartContractWalletSignaturesRequest
ASKED = LOOKUP(
    requests=[
        LOOKUP.Request(identifier="0xAB", identifier_kind="IDENTIFIER_KIND_ETHEREUM"),
        LOOKUP.Request(identifier="é"),
    ]
)
VERDICTS = backend_pb2.VerifySmartContractWalletSignaturesResponse
TOLD = VERDICTS(responses=[VERDICTS.Response(is_valid=True, block_number=0), VERDICTS.Response(error="no")])


def test_lookups_are_sent_and_answered_with_nothing_left_out(node_over: MakeNode) -> None:
    def echoed(request: bytes, _: grpc.ServicerContext) -> bytes:
        entries = LOOKUP.FromString(request).requests
        found = backend_pb2.GetInboxIdsResponse()
        for entry in entries:
            found.responses.add(identifier=entry.identifier, identifier_kind=entry.identifier_kind)
        return found.SerializeToString()

    told = node_over({"GetInboxIds": echoed}).inbox_ids(ASKED).response.responses
    assert [(entry.identifier, entry.identifier_kind) for entry in told] == [("0xAB", 1), ("é", 0)]
    assert not any(entry.HasField("inbox_id") for entry in told)


def test_verdicts_keep_what_is_present(node_over: MakeNode) -> None:
    node = node_over({"VerifySmartContractWalletSignatures": TOLD.SerializeToString()})
    assert node.verify_wallets(QUESTION()).response == TOLD


def test_an_answer_that_is_none_is_blamed_on_the_target(node_over: MakeNode) -> None:
    node = node_over({"GetInboxIds": b"\xff", "VerifySmartContractWalletSignatures": b"\xff"})
    for answer in (node.inbox_ids(ASKED), node.verify_wallets(QUESTION())):
        with pytest.raises(UnexpectedAnswer):
            _ = answer.response
