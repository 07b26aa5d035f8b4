"""API-283: a response near max_response_bytes is whole where it fits, and fails where it does not."""

from __future__ import annotations

import pytest

from conformance.craft.any_kind import new_envelope
from conformance.craft.draw import Draw
from conformance.craft.tiny import SHORTEST_ENTRY_BYTES
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.completeness import frames_within_the_bound
from conformance.pb import backend_pb2
from conformance.suite import Notes, covers
from conformance.suite.api.s3_publish.judging import works
from conformance.suite.api.s5_subscribe.kinds import StreamKind, each_stream_kind
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.suite.api.s7_bounds.calls import RPCS
from conformance.suite.api.s7_bounds.weighing import (
    NEWEST_METADATA,
    Read,
    Told,
    bytes_of,
    each_full_read,
    looked_up,
    too_long,
    up_to,
    wallets_of,
    weighing,
    whole,
)
from conformance.target.errors import Missing
from conformance.target.node import Node
from conformance.target.pool import Pool
from conformance.target.settled import settled_newest

ROW_BYTES = 200
FRAMES = 3


@pytest.fixture
def short(pool: Pool, draw: Draw) -> Node:
    """An endpoint with room for few rows in its answers."""
    node = pool.deployment("short-answers").node()
    works(node, draw)
    return node


def needs_room(node: Node, count: int) -> None:
    """Raise Missing where one request may not bring about so many rows."""
    limits = node.limits
    if min(limits.max_newest_metadata_topics, limits.max_publish_topics, limits.max_lookup_identifiers) < count:
        raise Missing("limits", f"no request may bring about {count} rows")


@covers("API-283.a")
@each_full_read
def test_envelopes_fit_one_answer_or_fail_it(short: Node, draw: Draw, read: Read) -> None:
    """API-283.a: envelopes that just fit one page, or one newest read, are all shown; just too long ones fail it."""
    limit = short.limits.max_response_bytes
    one = weighing(short, draw, read, limit // 2)
    fitting = weighing(short, draw, read, limit - limit // 2)
    above = weighing(short, draw, read, limit - limit // 2 + 1 + read.outer_bytes)
    whole(read.ask(short, [one, fitting]), 2, short)
    too_long(short, draw, read.rpc, lambda: read.ask(short, [one, above]), 2)
    too_long(short, draw, read.rpc, lambda: read.ask(short, [above, one]), 2)


@covers("API-283.a")
def test_metadata_fits_one_answer_or_fails_it(short: Node, draw: Draw) -> None:
    """API-283.a: the metadata of as many topics as fit is answered for each; of one topic more it fails."""
    most, read = short.limits.max_response_bytes // SHORTEST_ENTRY_BYTES + 1, NEWEST_METADATA
    needs_room(short, most)
    sent = [new_envelope(draw, Kind.GROUP_MESSAGE) for _ in range(most)]
    topics = [topic_of(each) for each in sent]
    for envelope, topic in zip(sent, topics, strict=True):
        short.publish(envelope).ok()
        settled_newest(short, topic)
    fit = up_to(short.limits.max_response_bytes, lambda row: bytes_of(read.ask(short, [topics[row]])))
    whole(read.ask(short, topics[:fit]), fit, short)
    too_long(short, draw, read.rpc, lambda: read.ask(short, topics[: fit + 1]), fit + 1)


@covers("API-283.a")
def test_inboxes_fit_one_answer_or_fail_it(short: Node, draw: Draw) -> None:
    """API-283.a: a lookup of as many wallets as fit has an entry for each; of one more it fails."""
    each = bytes_of(looked_up(short, wallets_of(draw, 1)))
    fit = short.limits.max_response_bytes // max(1, each)
    needs_room(short, fit + 1)
    wallets = wallets_of(draw, fit + 1)
    whole(looked_up(short, wallets[:fit]), fit, short)
    too_long(short, draw, RPCS["lookup"], lambda: looked_up(short, wallets), fit + 1)


@covers("API-283.a")
def test_receipts_fit_one_answer_or_fail_it(short: Node, draw: Draw) -> None:
    """API-283.a: a publish has a receipt for each place of its request, or fails when those are too long."""
    sent = new_envelope(draw, Kind.GROUP_MESSAGE)
    fit = short.limits.max_response_bytes // bytes_of(published(short, sent, 1))
    whole(published(short, sent, fit), fit, short)
    too_long(short, draw, RPCS["publish"], lambda: published(short, sent, fit + 1), fit + 1)


@covers("API-283.a")
@each_stream_kind
def test_no_frame_is_longer_than_an_answer_may_be(short: Node, draw: Draw, notes: Notes, kind: StreamKind) -> None:
    """API-283.a: what takes several frames comes whole in frames that are short enough, as history and live."""
    limit, traffic = short.limits.max_response_bytes, Traffic(short, draw)
    rows = FRAMES * limit // ROW_BYTES
    topic = traffic.stocked(rows, size=ROW_BYTES)
    with kind.open(short, topic) as stream:
        traffic.publish(*traffic.envelopes(topic, rows, size=ROW_BYTES))
        traffic.arrive([topic], stream)
        traffic.judge(stream, "API-254")
        for sentence in frames_within_the_bound(stream.call, max_response_bytes=limit):
            notes.add(sentence)


def published(node: Node, envelope: backend_pb2.ClientEnvelope, times: int) -> Told:
    """Publish one envelope, so many times in one request: each place gets the one receipt."""
    answer = node.publish(*[envelope] * times)
    return Told(
        call=answer.call,
        rows=lambda: len(backend_pb2.PublishResponse.FromString(answer.call.response or b"").envelope_metas),
    )
