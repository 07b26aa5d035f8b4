"""Queries beside publishes: a reader that pages the topics of busy writers, and a Query that races one publish."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import cycle, islice

from conformance.craft.any_kind import new_envelope
from conformance.craft.draw import Draw
from conformance.craft.topics import IDENTIFIER_BYTES, topic_of
from conformance.suite.api.each import PAGED_KINDS
from conformance.suite.api.s4_query.stock import needs_room_for
from conformance.target.beside import Confirmed, Reader
from conformance.target.node import Node
from conformance.target.together import meanwhile, together

_WRITERS = 4
_ENVELOPES_EACH = 12
ARRIVALS = 3


def reader_beside_writers(node: Node, draw: Draw, *, limit: Callable[[int], int]) -> Reader:
    """Page the topics of several writers while these write; return the reader, whose last page came after their end.

    `limit` as for a `Reader`. Raises what a failed publish or page raises.
    """
    kinds = islice(cycle(PAGED_KINDS), min(_WRITERS, node.limits.max_query_topics))
    owners = [(kind, draw.identifier(IDENTIFIER_BYTES[kind])) for kind in kinds]
    batches = [[new_envelope(draw, *owner) for _ in range(_ENVELOPES_EACH)] for owner in owners]
    confirmed = Confirmed()
    reader = Reader(node, [topic_of(batch[0]) for batch in batches], confirmed, limit=limit)
    meanwhile(reader.read, *(partial(confirmed.publish_each, node, batch) for batch in batches))
    return reader


def race(node: Node, draw: Draw, *, limit: int, growing: int) -> Reader:
    """Query two new topics of one kind with `limit` while `ARRIVALS` envelopes come in on one, the `growing`.

    The other one holds a confirmed envelope. Raises what a failed publish or page raises, and Missing where one Query
    may not name two topics.
    """
    needs_room_for(node, 2)
    kind = draw.random.choice(PAGED_KINDS)
    held, identifier = new_envelope(draw, kind), draw.identifier(IDENTIFIER_BYTES[kind])
    arriving = [new_envelope(draw, kind, identifier) for _ in range(ARRIVALS)]
    confirmed = Confirmed()
    confirmed.publish_each(node, [held])
    topics = [topic_of(held)]
    topics.insert(growing, topic_of(arriving[0]))
    reader = Reader(node, topics, confirmed, limit=lambda _known: limit)
    together(reader.read, partial(confirmed.publish_each, node, arriving))
    return reader
