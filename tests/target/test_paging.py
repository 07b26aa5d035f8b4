"""A topic is read to its end through pages of any size, and paging that cannot end is a finding."""

from __future__ import annotations

from collections.abc import Callable

import grpc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.pb import backend_pb2
from conformance.target.limits import Limits
from conformance.target.node import MOST_PAGES, Node
from conformance.target.refusals import UnexpectedAnswer, UnexpectedStatus

MakeNode = Callable[..., Node]
TOPIC = b"\x00" + b"g" * 16
OTHER = b"\x00" + b"h" * 16


def meta(number: int, topic: bytes) -> backend_pb2.EnvelopeMeta:
    return backend_pb2.EnvelopeMeta(cursor=backend_pb2.Cursor(sequence_id=number), topic=backend_pb2.Topic(topic=topic))


def row(number: int, topic: bytes = TOPIC) -> backend_pb2.ServerEnvelope:
    return backend_pb2.ServerEnvelope(meta=meta(number, topic), envelope=backend_pb2.ClientEnvelope())


def page(*rows: backend_pb2.ServerEnvelope, more: bool = False) -> bytes:
    continuation = backend_pb2.Continuation(has_more=more)
    return backend_pb2.QueryResponse(envelopes=rows, continuation=continuation).SerializeToString()


class Store:
    """Pages like a lawful backend, with a limit on the rows that fit a response."""

    def __init__(self, numbers: list[int], *, fits: int, clamp: int) -> None:
        self.numbers, self.fits, self.clamp = numbers, fits, clamp
        self.queries = 0

    def query(self, request: bytes, context: grpc.ServicerContext) -> bytes:
        self.queries += 1
        asked = backend_pb2.QueryRequest.FromString(request)
        cursor = asked.queries[0].cursor.sequence_id
        limit = min(asked.limit or 3, self.clamp)
        eligible = [number for number in self.numbers if number > cursor]
        if min(limit, len(eligible)) > self.fits:
            context.abort(grpc.StatusCode.OUT_OF_RANGE, "too long")
        return page(*(row(number) for number in eligible[:limit]), more=len(eligible) > limit)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    numbers=st.lists(st.integers(1, 10_000), unique=True, max_size=40).map(sorted),
    fits=st.integers(1, 20),
    clamp=st.integers(1, 20),
)
def test_a_topic_is_read_to_its_end_whatever_the_page_size(
    node_over: MakeNode, numbers: list[int], fits: int, clamp: int
) -> None:
    store = Store(numbers, fits=fits, clamp=clamp)
    node = node_over({"Query": store.query}, limits=Limits(max_query_limit=16))
    assert [seen.meta.sequence_id for seen in node.read_all(TOPIC)] == numbers


def test_several_topics_are_read_one_after_the_other_and_key_packages_through_newest(node_over: MakeNode) -> None:
    key_packages = b"\x03" + b"k" * 32

    def query(request: bytes, context: grpc.ServicerContext) -> bytes:
        del context
        (entry,) = backend_pb2.QueryRequest.FromString(request).queries
        return page(row(1 if entry.topic.topic == TOPIC else 2, entry.topic.topic))

    def newest(request: bytes, context: grpc.ServicerContext) -> bytes:
        del context
        assert backend_pb2.QueryNewestRequest.FromString(request).include_full_envelope
        result = backend_pb2.QueryNewestResponse.Result(
            topic=backend_pb2.Topic(topic=key_packages), meta=meta(3, key_packages)
        )
        return backend_pb2.QueryNewestResponse(results=[result]).SerializeToString()

    seen = node_over({"Query": query, "QueryNewest": newest}).envelopes_on(TOPIC, OTHER, key_packages, TOPIC)
    assert [(item.meta.sequence_id, item.source) for item in seen] == [(1, "Query"), (2, "Query"), (3, "QueryNewest")]


@pytest.mark.parametrize(
    ("response", "sentence"),
    [
        (page(more=True), "did not end: has_more, but nothing at its start was answered."),
        (page(row(5, OTHER), more=True), "did not end: has_more, but nothing at its start was answered."),
        (page(row(5), more=True), "did not end: has_more, but nothing above 5 was answered."),
    ],
)
def test_paging_that_makes_no_progress_ends_with_a_finding(node_over: MakeNode, response: bytes, sentence: str) -> None:
    with pytest.raises(UnexpectedAnswer) as raised:
        node_over({"Query": response}).read_all(TOPIC)
    assert str(raised.value) == f"Paging topic {TOPIC.hex()} {sentence}"


def test_paging_without_an_end_ends_with_a_finding(node_over: MakeNode) -> None:
    def query(request: bytes, context: grpc.ServicerContext) -> bytes:
        del context
        return page(row(backend_pb2.QueryRequest.FromString(request).queries[0].cursor.sequence_id + 1), more=True)

    with pytest.raises(UnexpectedAnswer, match=rf"did not end after {MOST_PAGES} pages\.$"):
        node_over({"Query": query}).read_all(TOPIC)


def test_a_page_of_one_that_is_still_too_long_is_a_finding(node_over: MakeNode) -> None:
    def refuse(request: bytes, context: grpc.ServicerContext) -> bytes:
        context.abort(grpc.StatusCode.OUT_OF_RANGE, "too long")
        return request

    with pytest.raises(UnexpectedStatus, match="answered OUT_OF_RANGE"):
        node_over({"Query": refuse}).read_all(TOPIC)
