"""Reading one topic on and on from where the last page ended, as a client that keeps its cursor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.target.node import Position
from conformance.wire.transcript import Code

if TYPE_CHECKING:
    from conformance.target.node import Node


@dataclass(frozen=True, kw_only=True)
class TailPage:
    """One page: the cursor it was asked for (0 is the start), and the ids it showed in their order."""

    cursor: int
    ids: tuple[int, ...]


class Tail:
    """A position on `topic` that every call moves to the highest id shown. For one thread at a time."""

    def __init__(self, node: Node, topic: bytes) -> None:
        self.pages: list[TailPage] = []
        self._node = node
        self._topic = topic
        self._cursor = 0
        self._limit = node.limits.max_query_limit

    def __call__(self) -> None:
        """Read one page above the cursor. Raises what reading a page raises."""
        page = self._node.query(Position(self._topic, self._cursor), limit=self._limit)
        while page.status.code is Code.OUT_OF_RANGE and self._limit > 1:
            # Lawful: a page longer than max_response_bytes fails as a whole (API-283). Ask for less.
            self._limit //= 2
            page = self._node.query(Position(self._topic, self._cursor), limit=self._limit)
        ids = tuple(seen.meta.sequence_id for seen in page.of(self._topic))
        self.pages.append(TailPage(cursor=self._cursor, ids=ids))
        self._cursor = max(self._cursor, *ids, 0)
