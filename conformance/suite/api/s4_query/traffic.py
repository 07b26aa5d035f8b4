"""Busy topics: several writers publish one envelope after the other while a reader queries all of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import cycle, islice

from conformance.craft.any_kind import new_envelope
from conformance.craft.draw import Draw
from conformance.craft.topics import IDENTIFIER_BYTES, topic_of
from conformance.suite.api.each import PAGED_KINDS
from conformance.target.beside import Confirmed, Reader
from conformance.target.node import Node
from conformance.target.together import meanwhile

WRITERS = 4
EACH = 12
TOTAL = WRITERS * EACH


def reader_beside_writers(node: Node, draw: Draw, *, limits: Sequence[int], advance: bool) -> Reader:
    """Query the topics of all writers while these write; return the reader, whose last page came after their end.

    Each writer publishes `EACH` envelopes to a topic of its own. Raises what a failed publish or page raises.
    """
    writers = min(WRITERS, node.limits.max_query_topics)
    owners = [(kind, draw.identifier(IDENTIFIER_BYTES[kind])) for kind in islice(cycle(PAGED_KINDS), writers)]
    batches = [[new_envelope(draw, *owner) for _ in range(EACH)] for owner in owners]
    confirmed = Confirmed()
    topics = [topic_of(batch[0]) for batch in batches]
    reader = Reader(node, topics, confirmed, limits=limits, advance=advance)
    meanwhile(reader.read, *(partial(confirmed.publish_each, node, batch) for batch in batches))
    return reader
