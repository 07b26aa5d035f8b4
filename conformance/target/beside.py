"""Reading beside busy writers: what each page showed, and what was confirmed before it was asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.target.node import Node, Position

if TYPE_CHECKING:
    from conformance.pb import backend_pb2
    from conformance.target.answers import Page
    from conformance.wire.transcript import Meta


class Confirmed:
    """The receipts that all writers hold so far. Its methods may be called from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._metas: list[Meta] = []

    def publish_each(self, node: Node, envelopes: Iterable[backend_pb2.ClientEnvelope]) -> None:
        """Be a writer: publish `envelopes` one after the other. Raises what a failed publish raises."""
        for envelope in envelopes:
            meta = node.publish(envelope).meta
            with self._lock:
                self._metas.append(meta)

    def ids_on(self, topics: Iterable[bytes]) -> Mapping[bytes, frozenset[int]]:
        """The ids of the receipts held at this moment, by topic."""
        with self._lock:
            metas = tuple(self._metas)
        return {topic: frozenset(meta.sequence_id for meta in metas if meta.topic == topic) for topic in topics}


@dataclass(frozen=True, kw_only=True)
class ReadBeside:
    """One page, the cursors and limit its Query asked with, and the ids, per topic, confirmed before it was sent."""

    page: Page
    cursors: Mapping[bytes, int]
    asked: int
    confirmed: Mapping[bytes, frozenset[int]]


class Reader:
    """Pages `topics` beside writers and keeps every page in `reads`. For one thread.

    `limit` tells the limit to ask with from the number of ids that are confirmed above the cursors.
    """

    def __init__(
        self, node: Node, topics: Sequence[bytes], confirmed: Confirmed, *, limit: Callable[[int], int]
    ) -> None:
        self.reads: list[ReadBeside] = []
        self._node = node
        self._confirmed = confirmed
        self._limit = limit
        self._cursors = dict.fromkeys(topics, 0)

    def read(self) -> None:
        """Read one page above the ids shown before. Raises what reading a failed page raises."""
        cursors, confirmed = dict(self._cursors), self._confirmed.ids_on(self._cursors)
        asked = self._limit(sum(i > cursors[topic] for topic, ids in confirmed.items() for i in ids))
        page = self._node.query(*(Position(*entry) for entry in cursors.items()), limit=asked)
        self.reads.append(ReadBeside(page=page, cursors=cursors, asked=asked, confirmed=confirmed))
        for seen in page.seen:
            if seen.meta.topic in cursors:
                self._cursors[seen.meta.topic] = max(self._cursors[seen.meta.topic], seen.meta.sequence_id)

    def finish(self) -> None:
        """Page on while has_more is true, for no more pages than there are receipts, since each shows an envelope."""
        for _ in range(sum(map(len, self._confirmed.ids_on(self._cursors).values()))):
            if not self.reads[-1].page.has_more:
                return
            self.read()
