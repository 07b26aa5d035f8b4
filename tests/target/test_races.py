"""What clients of a race do, what a reader beside them sees, and when what they saw proves nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import cast

import grpc
import pytest

from conformance.pb import backend_pb2
from conformance.target import settled
from conformance.target.deployment import Deployment
from conformance.target.errors import Undecided
from conformance.target.holding import held_publish
from conformance.target.limits import Limits
from conformance.target.node import Node
from conformance.target.refusals import UnexpectedStatus
from conformance.target.settled import settled_newest, sightings
from conformance.target.tail import Tail, TailPage
from conformance.target.together import meanwhile
from conformance.target.workload import publish_for, publish_in_turn, write_then_read
from tests.target.test_node import TOPIC, meta, page, receipts, refusing, row

MakeNode = Callable[..., Node]
ENVELOPE = b"\x0a\x00"


class Counting:
    """A backend that gives out ids one by one and shows all of them, none above `most` in one page."""

    def __init__(self, most: int = 1000) -> None:
        self.last, self.most, self.lock = 0, most, threading.Lock()

    def publish(self, request: bytes, _context: grpc.ServicerContext) -> bytes:
        count = len(backend_pb2.PublishRequest.FromString(request).envelopes)
        with self.lock:
            self.last += count
            return receipts(*range(self.last - count + 1, self.last + 1))

    def query(self, request: bytes, context: grpc.ServicerContext) -> bytes:
        query = backend_pb2.QueryRequest.FromString(request)
        if query.limit > self.most:
            context.abort(grpc.StatusCode.OUT_OF_RANGE, "too long")
        with self.lock:
            numbers = range(query.queries[0].cursor.sequence_id + 1, self.last + 1)[: query.limit or self.most]
            return page(*(row(number) for number in numbers))


@pytest.fixture
def counting(node_over: MakeNode) -> Node:
    backend = Counting(most=10)
    limits = Limits(max_query_limit=50)
    return node_over({"Publish": backend.publish, "Query": backend.query}, limits=limits)


def test_a_tail_reads_on_from_where_it_stands_and_asks_for_less_when_a_page_is_too_long(counting: Node) -> None:
    tail = Tail(counting, TOPIC)
    tail()
    counting.publish(*[ENVELOPE] * 8).confirmed()
    tail()
    tail()
    assert tail.pages == [
        TailPage(cursor=0, ids=()),
        TailPage(cursor=0, ids=(1, 2, 3, 4, 5, 6)),
        TailPage(cursor=6, ids=(7, 8)),
    ]


def test_a_reader_beside_writers_meets_all_they_wrote(counting: Node) -> None:
    tail = Tail(counting, TOPIC)
    written = meanwhile(tail, *(partial(publish_in_turn, counting, [[ENVELOPE] * 2] * 3) for _ in range(2)))
    tail()
    tail()
    assert sorted(meta.sequence_id for metas in written for meta in metas) == list(range(1, 13))
    assert [number for each in tail.pages for number in each.ids] == list(range(1, 13))


def test_what_goes_wrong_beside_writers_is_raised_after_they_have_ended(counting: Node) -> None:
    ended = threading.Event()

    def fail() -> None:
        raise ZeroDivisionError

    def write() -> None:
        counting.publish(ENVELOPE).confirmed()
        ended.set()

    with pytest.raises(ZeroDivisionError):
        meanwhile(fail, write)
    assert ended.is_set()


def test_a_writer_reads_after_every_receipt(counting: Node) -> None:
    reads = write_then_read(counting, counting, TOPIC, [ENVELOPE] * 3)
    assert [len(read.receipts) for read in reads] == [0, 1, 2, 3]
    assert [len(read.page.seen) for read in reads] == [0, 1, 2, 3]


def test_publishing_for_a_time_takes_two_publishes_at_least_and_ends(counting: Node) -> None:
    assert len(publish_for(0, counting, iter([ENVELOPE] * 9))) == 2
    assert len(publish_for(60, counting, [ENVELOPE] * 3)) == 3


class Lagging:
    """A QueryNewest that shows nothing for the first `misses` calls."""

    def __init__(self, misses: int) -> None:
        self.misses = misses

    def newest(self, request: bytes, _context: grpc.ServicerContext) -> bytes:
        self.misses -= 1
        if self.misses >= 0:
            return b""
        full = backend_pb2.QueryNewestRequest.FromString(request).include_full_envelope
        result = backend_pb2.QueryNewestResponse.Result(
            topic=backend_pb2.Topic(topic=TOPIC),
            meta=meta(1),
            envelope=backend_pb2.ClientEnvelope() if full else None,
        )
        return backend_pb2.QueryNewestResponse(results=[result]).SerializeToString()


def test_every_read_is_asked_and_a_lagging_one_is_awaited(node_over: MakeNode) -> None:
    node = node_over({"QueryNewest": Lagging(3).newest, "Query": page(row(1))})
    shown = sightings(node, TOPIC)
    assert [(seen.source, seen.envelope is not None) for seen in shown] == [
        ("Query", True),
        ("QueryNewest", False),
        ("QueryNewest", True),
    ]


def test_a_read_that_never_shows_anything_is_soon_given_up_on(
    node_over: MakeNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settled, "PATIENCE_S", 0.2)
    node = node_over({"QueryNewest": b""})
    for patience in ("0.2 s", "0.1 s"):
        with pytest.raises(Undecided, match=patience):
            settled_newest(node, TOPIC)


class HoldingDeployment:
    """A deployment with a hold: `catches` whether it stops a publish, `lets_go` whether it lets go of it by itself."""

    def __init__(self, node: Node, *, catches: bool = True, lets_go: bool = False) -> None:
        self._node, self.catches, self.lets_go = node, catches, lets_go
        self.released = threading.Event()
        if not catches:
            self.released.set()

    def node(self) -> Node:
        return self._node

    def store_hold(self) -> None:
        pass

    def store_is_holding(self) -> bool:
        return self.catches

    def store_release(self) -> bool:
        self.released.set()
        return not self.lets_go


@pytest.fixture
def holding(node_over: MakeNode) -> Iterator[Callable[..., HoldingDeployment]]:
    made: list[HoldingDeployment] = []

    def make(*, fails: bool = False, **manners: bool) -> HoldingDeployment:
        def publish(request: bytes, context: grpc.ServicerContext) -> bytes:
            made[0].released.wait(10)
            return refusing(grpc.StatusCode.INTERNAL)(request, context) if fails else receipts(1)

        made.append(HoldingDeployment(node_over({"Publish": publish}), **manners))
        return made[0]

    yield make
    for deployment in made:
        deployment.released.set()


def test_a_held_publish_is_answered_after_the_block_and_so_is_what_waited_for_it(
    holding: Callable[..., HoldingDeployment],
) -> None:
    deployment = holding()
    with held_publish(cast("Deployment", deployment), ENVELOPE) as held:
        later = held.beside(lambda: deployment.node().publish(ENVELOPE))
        assert not held.answer.done()
    assert held.answer.result().meta.sequence_id == later.result().meta.sequence_id == 1


def test_a_publish_that_was_not_held_proves_nothing(holding: Callable[..., HoldingDeployment]) -> None:
    with (
        pytest.raises(Undecided, match="did not stop"),
        held_publish(cast("Deployment", holding(catches=False)), ENVELOPE),
    ):
        pytest.fail("the block must not run")


def test_a_publish_that_failed_instead_of_being_held_is_a_finding(holding: Callable[..., HoldingDeployment]) -> None:
    deployment = holding(catches=False, fails=True)
    with pytest.raises(UnexpectedStatus), held_publish(cast("Deployment", deployment), ENVELOPE):
        pytest.fail("the block must not run")


def test_a_hold_that_ended_by_itself_proves_nothing(holding: Callable[..., HoldingDeployment]) -> None:
    deployment = holding(lets_go=True)
    with (
        pytest.raises(Undecided, match="before it was rel"),
        held_publish(cast("Deployment", deployment), ENVELOPE),
    ):
        pass


def test_what_a_block_found_is_raised_and_the_publish_is_let_go(holding: Callable[..., HoldingDeployment]) -> None:
    deployment = holding(lets_go=True)
    with pytest.raises(ZeroDivisionError), held_publish(cast("Deployment", deployment), ENVELOPE):
        raise ZeroDivisionError
    assert deployment.released.is_set()
