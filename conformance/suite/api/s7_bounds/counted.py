"""Reads whose entries are counted as sent (API-281), each as a list of entries that may repeat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pytest

from conformance.craft.draw import Draw
from conformance.craft.identity.wallet import Wallet
from conformance.craft.topics import group_topic
from conformance.suite.api.s6_identity.inboxes import asked, entry
from conformance.suite.api.s7_bounds.calls import RPCS, Rpc
from conformance.target.errors import Missing
from conformance.target.limits import Limits
from conformance.target.node import Node, Position
from conformance.wire.transcript import Call

# what goes beyond this is no test but a load
MOST_ENTRIES = 2000


@dataclass(frozen=True, kw_only=True)
class Counted:
    """A read with a published bound on its entries: what an entry may be named by, and the call with such entries."""

    rpc: Rpc
    bound: Callable[[Limits], int]
    ask: Callable[[Node, Sequence[bytes]], Call]

    def most(self, node: Node) -> int:
        """Tell how many entries one request may have; raise Missing when that is more than a test can send."""
        most = self.bound(node.limits)
        if most > MOST_ENTRIES:
            raise Missing("limits", f"one request may have {most} entries here")
        return most


def _wallet(name: bytes) -> tuple[str, int]:
    """Make an entry for a wallet that nobody has: its key is made from the name."""
    return entry(Wallet.drawn(Draw(0, name)))


COUNTED: Mapping[str, Counted] = {
    "query": Counted(
        rpc=RPCS["query"],
        bound=lambda limits: limits.max_query_topics,
        ask=lambda node, topics: node.query(*map(Position, topics)).call,
    ),
    "newest-metadata": Counted(
        rpc=RPCS["newest"],
        bound=lambda limits: limits.max_newest_metadata_topics,
        ask=lambda node, topics: node.newest(*topics).call,
    ),
    "newest-full": Counted(
        rpc=RPCS["newest"],
        bound=lambda limits: limits.max_newest_full_topics,
        ask=lambda node, topics: node.newest(*topics, full=True).call,
    ),
    "lookup": Counted(
        rpc=RPCS["lookup"],
        bound=lambda limits: limits.max_lookup_identifiers,
        ask=lambda node, names: node.inbox_ids(asked(*map(_wallet, names))).call,
    ),
}
each_counted = pytest.mark.parametrize("counted", COUNTED.values(), ids=COUNTED)


def entries(draw: Draw, count: int) -> list[bytes]:
    """Make topics of groups, which name wallets as well."""
    return [group_topic(draw.group_id()) for _ in range(count)]
