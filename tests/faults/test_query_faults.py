"""The variants of Query and QueryNewest, and the peers, fail as they say and never by falling over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest
from google.protobuf.message import Message

from conformance.craft.any_kind import KINDS, new_envelope
from conformance.craft.draw import Draw
from conformance.craft.topics import Kind, malformed_topics, topic_of
from conformance.faults.backend import peers, query, query_newest, query_requests
from conformance.faults.registry import Variant
from conformance.pb import backend_pb2
from conformance.pb.backend_pb2 import QueryNewestRequest, QueryRequest, Topic
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.failure import Failure
from conformance.reference.backend.settings import Settings
from conformance.wire import methods
from conformance.wire.channel import Connection
from conformance.wire.errors import publish_failure
from conformance.wire.transcript import Code

VARIANTS = (*query.VARIANTS, *query_requests.VARIANTS, *query_newest.VARIANTS)


def served(backend: Backend) -> Iterator[str]:
    """Ask everything a test of section 4 asks; gives how each request ended."""
    draw = Draw(1, b"faults")
    envelopes = [new_envelope(draw, kind) for kind in KINDS if kind is not Kind.KEY_PACKAGE]
    topics = [topic_of(envelope) for envelope in envelopes for _ in range(2)]
    yield attempt(backend.publisher.answer, backend_pb2.PublishRequest(envelopes=envelopes))
    for limit, cursor in product((0, 1, 3, 1001, (1 << 32) - 1), (None, 0, 2, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)):
        request = QueryRequest(limit=limit)
        for topic in topics:
            entry = request.queries.add(topic=Topic(topic=topic))
            if cursor is not None:
                entry.cursor.sequence_id = cursor
        yield attempt(backend.query.answer, request)
    for named in ([], topics, [b"\x03" + bytes(32)], *([each] for each in malformed_topics(draw).values())):
        queries = [backend_pb2.TopicQuery(topic=Topic(topic=topic)) for topic in named]
        yield attempt(backend.query.answer, QueryRequest(queries=queries))
        for full in (False, True):
            newest = QueryNewestRequest(topics=[entry.topic for entry in queries], include_full_envelope=full)
            yield attempt(backend.newest.answer, newest)


def attempt(answer: Callable[[bytes], bytes], request: Message) -> str:
    try:
        answer(request.SerializeToString())
    except Failure as failure:
        return failure.code.name
    return "OK"


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.id)
def test_a_variant_answers_or_refuses_and_never_falls_over(variant: Variant, tmp_path: Path) -> None:
    backend = variant.build(Settings(), tmp_path)
    try:
        ended = set(served(backend))
    finally:
        backend.close()
    assert {"OK", "INVALID_ARGUMENT"} <= ended <= {"OK", "INVALID_ARGUMENT", "FAILED_PRECONDITION"}


@pytest.fixture(params=peers.VARIANTS, ids=lambda variant: variant.id)
def peer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Connection]]:
    """A peer that listens, and its id."""
    backend = request.param.build(Settings(), tmp_path)
    server = backend.server()
    connection = Connection(f"127.0.0.1:{server.start('127.0.0.1:0')}", fresh=True)
    yield request.param.id, connection
    connection.close()
    server.stop(0.0)
    backend.close()


def test_a_peer_gives_one_answer_to_every_call(peer: tuple[str, Connection]) -> None:
    name, connection = peer
    code = {"PEER-ACCEPTS": Code.OK, "PEER-REFUSES": Code.INVALID_ARGUMENT, "PEER-UNIMPLEMENTED": Code.UNIMPLEMENTED}
    for method in (methods.PUBLISH, methods.QUERY, methods.QUERY_NEWEST, methods.GET_CONFIGURATION, "/no.Service/None"):
        call = connection.unary(method, b"")
        assert call.status.code is code[name]
        assert call.response == (b"" if name == "PEER-ACCEPTS" else None)
        failure = publish_failure(call.status)
        assert (failure is not None and failure.index == 0) == (name == "PEER-REFUSES" and method == methods.PUBLISH)
    health = connection.unary(methods.HEALTH_CHECK, b"").status.code
    assert health is (Code.UNIMPLEMENTED if name == "PEER-UNIMPLEMENTED" else Code.OK)
