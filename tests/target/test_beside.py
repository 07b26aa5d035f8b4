"""A reader beside writers: what it asks, what it keeps, and that its waiting has an end."""

from __future__ import annotations

from collections.abc import Callable

import grpc
import pytest

from conformance.pb import backend_pb2
from conformance.target.beside import Confirmed, Reader
from conformance.target.node import Node
from conformance.target.patience import until
from conformance.target.refusals import UnexpectedAnswer
from tests.target.test_node import OTHER, TOPIC, page, receipts, row

MakeNode = Callable[..., Node]


@pytest.fixture
def node(node_over: MakeNode) -> Node:
    """A backend that stores one envelope after the other on `TOPIC` and never says anything else."""
    stored: list[int] = []

    def publish(request: bytes, context: grpc.ServicerContext) -> bytes:
        del request, context
        stored.append(len(stored) + 1)
        return receipts(stored[-1])

    def query(request: bytes, context: grpc.ServicerContext) -> bytes:
        del context
        asked = backend_pb2.QueryRequest.FromString(request)
        cursor = max(entry.cursor.sequence_id for entry in asked.queries if entry.topic.topic == TOPIC)
        above = [number for number in stored if number > cursor]
        return page(*(row(number) for number in above[: asked.limit]), more=len(above) > asked.limit)

    return node_over({"Publish": publish, "Query": query})


def test_a_reader_moves_on_and_remembers_what_was_confirmed_before_each_page(node: Node) -> None:
    confirmed = Confirmed()
    reader = Reader(node, [TOPIC, OTHER], confirmed, limit=lambda known: known - 1 or 1)
    for count in (3, 2):
        confirmed.publish_each(node, [backend_pb2.ClientEnvelope()] * count)
        reader.read()
    reader.finish()
    assert [read.asked for read in reader.reads] == [2, 2, 1]
    assert [read.cursors for read in reader.reads] == [{TOPIC: 0, OTHER: 0}, {TOPIC: 2, OTHER: 0}, {TOPIC: 4, OTHER: 0}]
    assert [max(read.confirmed[TOPIC]) for read in reader.reads] == [3, 5, 5]
    assert [seen.meta.sequence_id for read in reader.reads for seen in read.page.seen] == [1, 2, 3, 4, 5]
    assert not reader.reads[-1].page.has_more


def test_paging_that_makes_no_end_is_given_up(node_over: MakeNode) -> None:
    node = node_over({"Publish": receipts(1), "Query": page(more=True)})
    confirmed = Confirmed()
    confirmed.publish_each(node, [backend_pb2.ClientEnvelope()] * 3)
    reader = Reader(node, [TOPIC], confirmed, limit=lambda known: known)
    reader.read()
    reader.finish()
    assert reader.reads[-1].page.has_more


def test_a_writer_whose_publish_is_answered_unlawfully_says_so(node_over: MakeNode) -> None:
    with pytest.raises(UnexpectedAnswer):
        Confirmed().publish_each(node_over({"Publish": b""}), [backend_pb2.ClientEnvelope()])


def test_the_first_satisfying_answer_is_taken_and_the_last_one_when_patience_ends() -> None:
    answers = iter(range(10))
    assert until(lambda: next(answers), lambda answer: answer == 2) == 2
    assert until(lambda: next(answers), lambda answer: False, patience_s=0.0) == 3
