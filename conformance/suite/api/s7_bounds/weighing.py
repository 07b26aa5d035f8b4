"""Topics whose answers have a wanted length, found by measuring: an answer about several is as long as all together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from conformance.craft.identity.wallet import Wallet
from conformance.craft.sizes import envelope_of
from conformance.craft.topics import Kind, group_topic
from conformance.oracle.completeness import complete_or_too_long
from conformance.oracle.status import ENVIRONMENT, succeeded
from conformance.suite.api.s6_identity.inboxes import asked, entry
from conformance.suite.api.s7_bounds.calls import OUTAGES, RPCS, Rpc, beside_a_served_one
from conformance.target.errors import Undecided
from conformance.target.patience import until
from conformance.target.settled import settled_newest
from conformance.wire.transcript import Code

if TYPE_CHECKING:
    from conformance.craft.draw import Draw
    from conformance.target.node import Node
    from conformance.wire.transcript import Call

_TRIES = 6


@dataclass(frozen=True, kw_only=True)
class Told:
    """An answer, and a count of its rows that is made only where it is OK."""

    call: Call
    rows: Callable[[], int]


@dataclass(frozen=True, kw_only=True)
class Read:
    """A read that answers a row for each topic. `outer_bytes` is the most that stands around the rows."""

    rpc: Rpc
    ask: Callable[[Node, Sequence[bytes]], Told]
    outer_bytes: int = 0


def _page(node: Node, topics: Sequence[bytes]) -> Told:
    page = node.query(*topics, limit=len(topics))
    return Told(call=page.call, rows=lambda: len({meta.topic for meta in page.metas}))


def _newest(node: Node, topics: Sequence[bytes], *, full: bool) -> Told:
    """Ask until every topic has a row or the call fails: a copy that lags lacks some for a while (API section 1)."""

    def told() -> Told:
        newest = node.newest(*topics, full=full)
        return Told(call=newest.call, rows=lambda: len({seen.meta.topic for seen in newest.results}))

    return until(told, lambda each: each.call.status.code is not Code.OK or each.rows() >= len(topics))


def looked_up(node: Node, wallets: Sequence[Wallet]) -> Told:
    """Look wallets up."""
    found = node.inbox_ids(asked(*map(entry, wallets)))
    return Told(call=found.call, rows=lambda: len(found.response.responses))


QUERY = Read(rpc=RPCS["query"], ask=_page, outer_bytes=8)
NEWEST = Read(rpc=RPCS["newest"], ask=lambda node, topics: _newest(node, topics, full=True))
NEWEST_METADATA = Read(rpc=RPCS["newest"], ask=lambda node, topics: _newest(node, topics, full=False))
each_full_read = pytest.mark.parametrize("read", [QUERY, NEWEST], ids=["query", "newest"])


def bytes_of(told: Told) -> int:
    """Measure an answer, which must be OK."""
    succeeded(told.call)
    return len(told.call.response or b"")


def weighing(node: Node, draw: Draw, read: Read, wanted_bytes: int) -> bytes:
    """Publish one message to a topic of its own such that its answer has the wanted length; return the topic.

    Raises Undecided when the answers come out longer or shorter than what is published explains.
    """
    size = wanted_bytes // 2
    for _ in range(_TRIES):
        group_id = draw.group_id()
        topic = group_topic(group_id)
        node.publish(envelope_of(draw, Kind.GROUP_MESSAGE, group_id, size)).ok()
        settled_newest(node, topic, full=True)
        found = bytes_of(read.ask(node, [topic]))
        if found == wanted_bytes:
            return topic
        size += wanted_bytes - found
    raise Undecided(f"No envelope was found whose answer has {wanted_bytes} bytes.")


def whole(told: Told, rows: int, node: Node) -> None:
    """Judge that an answer that fits is given, whole."""
    succeeded(told.call)
    complete(told, rows, node)


def too_long(node: Node, draw: Draw, rpc: Rpc, ask: Callable[[], Told], rows: int) -> None:
    """Judge that an answer that does not fit fails, and that it is whole and fits if it is given after all."""
    found: list[Told] = []

    def call() -> Call:
        found.append(ask())
        return found[-1].call

    beside_a_served_one(node, draw, rpc, call)
    complete(found[-1], rows, node)


def complete(told: Told, rows: int, node: Node) -> None:
    """Judge that an answer is whole and within max_response_bytes, or that the call ended OUT_OF_RANGE."""
    complete_or_too_long(
        told.call,
        told.rows,
        wanted=rows,
        max_response_bytes=node.limits.max_response_bytes,
        environment=ENVIRONMENT - OUTAGES,
    )


def up_to(bound_bytes: int, length: Callable[[int], int]) -> int:
    """Count how many rows fit: the lengths of rows 0, 1, 2 and so on are asked for until they exceed the bound."""
    total = count = 0
    while total <= bound_bytes:
        total += length(count)
        count += 1
    return count - 1


def wallets_of(draw: Draw, count: int) -> list[Wallet]:
    """Make wallets that are in no inbox."""
    return [Wallet.drawn(draw) for _ in range(count)]
