"""Clients at work at the same time: each does what it was given, nobody stops for a status, and all is kept."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import pairwise

import grpc
import pytest

from conformance.pb import backend_pb2
from conformance.target.concurrent import AskedNewest, Queried, Reader, Writer, Wrote, play
from conformance.target.errors import Undecided
from conformance.target.node import Node
from conformance.target.refusals import UnexpectedAnswer
from conformance.wire.transcript import Code
from tests.target.test_node import TOPIC, page, receipts, row

MakeNode = Callable[..., Node]
ENVELOPE = b"\x0a\x00"


class Counting:
    """A backend that gives out ids one by one on one topic, and refuses each third publish."""

    def __init__(self) -> None:
        self.last, self.calls, self.lock = 0, 0, threading.Lock()

    def publish(self, request: bytes, context: grpc.ServicerContext) -> bytes:
        count = len(backend_pb2.PublishRequest.FromString(request).envelopes)
        with self.lock:
            self.calls += 1
            refused = self.calls % 3 == 0
            self.last += 0 if refused else count
            last = self.last
        if refused:
            context.abort(grpc.StatusCode.INTERNAL, "every third one")
        return receipts(*range(last - count + 1, last + 1))

    def query(self, request: bytes, _context: grpc.ServicerContext) -> bytes:
        query = backend_pb2.QueryRequest.FromString(request)
        above = query.queries[0].cursor.sequence_id
        with self.lock:
            eligible = [row(number) for number in range(above + 1, self.last + 1)]
        limit = query.limit or 100
        return page(*eligible[:limit], more=len(eligible) > limit)

    def newest(self, _request: bytes, _context: grpc.ServicerContext) -> bytes:
        return backend_pb2.QueryNewestResponse().SerializeToString()


@pytest.fixture
def node(node_over: MakeNode) -> Node:
    backend = Counting()
    return node_over({"Publish": backend.publish, "Query": backend.query, "QueryNewest": backend.newest})


def writers(node: Node, count: int, *, requests: int) -> list[Writer]:
    return [
        Writer(name=f"writer {number}", node=node, requests=[[ENVELOPE] * (1 + turn % 2) for turn in range(requests)])
        for number in range(count)
    ]


def readers(node: Node) -> list[Reader]:
    styles = ("follow", "whole", "newest", "newest-full")
    return [Reader(name=style, node=node, topics=[TOPIC], style=style, limits=(2, 5)) for style in styles]


def test_every_client_does_what_it_was_given_and_every_call_is_kept(node: Node) -> None:
    done = play(writers(node, 3, requests=4), readers(node), [TOPIC])
    for number in range(3):
        wrote = [each for each in done if isinstance(each, Wrote) and each.client == f"writer {number}"]
        assert [each.place for each in wrote] == [0, 1, 2, 3]
        assert [len(each.sent) for each in wrote] == [1, 2, 1, 2]
        ends = [(each.answer.call.started_ns, each.answer.call.ended_ns) for each in wrote]
        assert all(end < start for (_, end), (start, _) in pairwise(ends))
    last_publish = max(each.answer.call.ended_ns for each in done if isinstance(each, Wrote))
    for style in ("follow", "whole", "newest", "newest-full"):
        asked = [each for each in done if each.client == style]
        assert max(each.answer.call.started_ns for each in asked) > last_publish
        assert all(each.full == (style == "newest-full") for each in asked if isinstance(each, AskedNewest))
    codes = [each.answer.status.code for each in done if isinstance(each, Wrote)]
    assert codes.count(Code.INTERNAL) == 4


def test_a_follower_goes_on_from_where_it_stands_and_the_last_reads_show_everything(node: Node) -> None:
    done = play(writers(node, 2, requests=6), readers(node), [TOPIC])
    confirmed = {m.sequence_id for each in done if isinstance(each, Wrote) and _ok(each) for m in each.answer.metas}
    followed = [each for each in done if isinstance(each, Queried) and each.client == "follow"]
    assert [each.asked for each in followed[:4]] == [2, 5, 2, 5][: len(followed)]
    for page_before, page_after in pairwise(followed):
        ids = [meta.sequence_id for meta in page_before.answer.metas]
        assert page_after.positions[0].cursor == max(ids, default=page_before.positions[0].cursor)
    whole = [each for each in done if isinstance(each, Queried) and each.client == "whole"]
    assert {each.positions[0].cursor for each in whole} == {0}
    last = [each for each in done if isinstance(each, Queried) and each.client.startswith("last reader")]
    assert {meta.sequence_id for each in last for meta in each.answer.metas} == confirmed


def _ok(wrote: Wrote) -> bool:
    return wrote.answer.status.code is Code.OK


def test_writers_in_step_begin_a_request_when_all_have_ended_the_one_before(node: Node) -> None:
    uneven = [*writers(node, 3, requests=5), Writer(name="short", node=node, requests=[[ENVELOPE]] * 2)]
    done = [each for each in play(uneven, [], [TOPIC], in_step=True) if isinstance(each, Wrote)]
    assert len(done) == 17
    for place in range(4):
        ended = max(each.answer.call.ended_ns for each in done if each.place == place)
        assert all(each.answer.call.started_ns > ended for each in done if each.place == place + 1)


def test_writers_that_take_too_long_decide_nothing(node: Node) -> None:
    with pytest.raises(Undecided, match="had not ended after 0 s"):
        play(writers(node, 2, requests=3), readers(node), [TOPIC], patience_s=0)


def test_an_answer_that_cannot_be_read_is_reported_once_everybody_has_ended(node_over: MakeNode) -> None:
    backend = Counting()
    node = node_over({"Publish": backend.publish, "Query": b"\xff"})
    with pytest.raises(UnexpectedAnswer):
        play(writers(node, 3, requests=4), [Reader(name="r", node=node, topics=[TOPIC], style="follow")], [TOPIC])
    assert backend.calls == 12
