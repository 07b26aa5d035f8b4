"""Recorded calls become the history they are, and a history that shows too little decides nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.craft.encodings import FORMS, encoded
from conformance.craft.group_message import new_message
from conformance.craft.topics import topic_of
from conformance.craft.traffic import Played, Request, Shape, traffic_plan
from conformance.oracle.history.digest import value_digest
from conformance.oracle.history.events import Newest, Outcome, Publish, Query, ReadFrom, Sent, Shown
from conformance.pb import backend_pb2
from conformance.suite.api.histories.recording import Recording, within
from conformance.target.answers import Newest as NewestAnswer
from conformance.target.answers import Page, Published, meta_of
from conformance.target.concurrent import AskedNewest, Done, Queried, Wrote
from conformance.target.errors import Undecided
from conformance.target.limits import Limits
from conformance.target.node import Position
from conformance.target.refusals import UnexpectedStatus
from conformance.wire.transcript import Call, Code, Status

DRAW = Draw(3, b"recording")
MESSAGE = new_message(DRAW, DRAW.group_id())
WIRE, OTHER_FORM = encoded(MESSAGE), encoded(MESSAGE, FORMS["everything-at-once"])
TOPIC = topic_of(MESSAGE)
META = backend_pb2.EnvelopeMeta(
    cursor=backend_pb2.Cursor(sequence_id=7),
    server_ns=5,
    message_hash=backend_pb2.MessageHash(sha256=b"\x01" * 32),
    topic=backend_pb2.Topic(topic=TOPIC),
)
RECEIPT = backend_pb2.PublishResponse(envelope_metas=[META]).SerializeToString()
LIMITS = Limits(default_query_limit=3, max_query_limit=9)


def call(code: Code, response: bytes | None, *, local: bool = False) -> Call:
    return Call(
        number=1,
        endpoint="host:1",
        method="/x/y",
        request=b"",
        response=response,
        status=Status(code=code, local=local),
        started_ns=10,
        ended_ns=20,
    )


def wrote(code: Code, response: bytes | None = None, *, local: bool = False) -> Wrote:
    answer = Published(call=call(code, response, local=local), sent=1)
    return Wrote(client="writer", place=0, sent=(OTHER_FORM,), answer=answer)


def recording(*done: Done, topics: Sequence[bytes | None] = (TOPIC,)) -> Recording:
    return Recording(done, {"writer": [Request(envelopes=(OTHER_FORM,), topics=tuple(topics))]}, LIMITS)


def test_a_publish_is_recorded_by_value_and_by_what_its_status_settles() -> None:
    for code, local, outcome in (
        (Code.OK, False, Outcome.STORED),
        (Code.INVALID_ARGUMENT, False, Outcome.REFUSED),
        (Code.ABORTED, False, Outcome.REFUSED),
        (Code.OUT_OF_RANGE, False, Outcome.UNKNOWN),
        (Code.INTERNAL, False, Outcome.UNKNOWN),
        (Code.DEADLINE_EXCEEDED, True, Outcome.UNKNOWN),
    ):
        (publish,) = recording(wrote(code, RECEIPT if code is Code.OK else None, local=local)).history
        assert isinstance(publish, Publish)
        assert (publish.client, publish.endpoint, publish.status) == ("writer", "host:1", code)
        assert (publish.invoked_ns, publish.completed_ns) == (10, 20)
        assert publish.sent == (Sent(topic=TOPIC, digest=value_digest(WIRE)),)
        assert publish.outcome is outcome
        assert publish.metas == ((meta_of(META),) if code is Code.OK else ())


def test_reads_are_recorded_with_positions_limits_and_payload_digests() -> None:
    row = backend_pb2.ServerEnvelope(meta=META, envelope=MESSAGE)
    response = backend_pb2.QueryResponse(envelopes=[row], continuation=backend_pb2.Continuation(has_more=True))
    positions = (Position(TOPIC, 9), Position(TOPIC, 4))
    for asked, limit in ((0, 3), (5, 5), (1000, 9)):
        page = Page(call=call(Code.OK, response.SerializeToString()))
        (query,) = recording(Queried(client="reader", positions=positions, asked=asked, answer=page)).history
        assert isinstance(query, Query)
        assert query.positions == (ReadFrom(topic=TOPIC, cursor=4),)
        assert (query.limit, query.has_more) == (limit, True)
        assert query.page == (Shown(meta=meta_of(META), digest=value_digest(WIRE)),)
    result = backend_pb2.QueryNewestResponse.Result(topic=META.topic, meta=META)
    newest = backend_pb2.QueryNewestResponse(results=[result]).SerializeToString()
    asked_newest = AskedNewest(
        client="reader", topics=(TOPIC,), full=False, answer=NewestAnswer(call=call(Code.OK, newest))
    )
    (read,) = recording(asked_newest).history
    assert isinstance(read, Newest)
    assert read.results == (Shown(meta=meta_of(META), digest=None),)


def test_a_history_in_which_most_publishes_or_any_read_failed_decides_nothing() -> None:
    recording(wrote(Code.OK, RECEIPT)).judge()
    recording(wrote(Code.OK, RECEIPT), wrote(Code.INTERNAL)).judge()
    with pytest.raises(Undecided, match="2 of 3 publishes failed"):
        recording(wrote(Code.OK, RECEIPT), wrote(Code.INTERNAL), wrote(Code.UNAVAILABLE)).judge()
    failed = Queried(
        client="reader", positions=(Position(TOPIC),), asked=0, answer=Page(call=call(Code.UNAVAILABLE, None))
    )
    with pytest.raises(Undecided, match="UNAVAILABLE"):
        recording(wrote(Code.OK, RECEIPT), failed).judge()
    # a request that has to fail is no failure
    recording(wrote(Code.INVALID_ARGUMENT), topics=[None]).judge(every_publish_succeeds=True)


def test_where_every_publish_has_to_succeed_a_sent_failure_outweighs_a_lost_answer() -> None:
    lost = wrote(Code.DEADLINE_EXCEEDED, local=True)
    with pytest.raises(UnexpectedStatus):
        recording(lost, wrote(Code.INTERNAL)).judge(every_publish_succeeds=True)
    with pytest.raises(Undecided):
        recording(lost, wrote(Code.OK, RECEIPT)).judge(every_publish_succeeds=True)


@given(
    limits=st.builds(
        Limits,
        max_envelope_bytes=st.integers(1500, 1 << 20),
        max_request_bytes=st.integers(10_000, 1 << 22),
        max_response_bytes=st.integers(20_000, 1 << 22),
        max_publish_topics=st.integers(1, 9),
        max_query_topics=st.integers(1, 9),
        max_newest_full_topics=st.integers(1, 9),
        max_newest_metadata_topics=st.integers(1, 9),
        max_query_limit=st.integers(1, 12),
        default_query_limit=st.integers(1, 12),
    ),
    seed=st.integers(0, 99),
)
def test_traffic_stays_within_the_published_limits(limits: Limits, seed: int) -> None:
    draw = Draw(seed, b"within")
    shape = within(Shape(largest=20, long=0.5, long_bytes=16_384, topics=8), limits)
    played = Played(traffic_plan(draw.random, shape), draw)
    longest = 0
    for request in (request for requests in played.requests for request in requests):
        assert sum(len(envelope) + 10 for envelope in request.envelopes) <= limits.max_request_bytes
        assert len(set(request.topics) - {None}) <= limits.max_publish_topics
        longest = max(longest, *map(len, request.envelopes))
    assert longest <= limits.max_envelope_bytes
    assert longest * limits.max_query_limit <= limits.max_response_bytes
    for reader in played.plan.readers:
        assert len(reader.topics) <= min(limits.max_query_topics, limits.max_newest_full_topics)
