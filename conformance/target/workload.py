"""What one client of a race does: a series of calls one after the other, for `together` to run beside others."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.pb import backend_pb2
    from conformance.target.answers import Page, Published
    from conformance.target.node import Node
    from conformance.wire.transcript import Meta


@dataclass(frozen=True, kw_only=True)
class OwnRead:
    """One page of a topic, and the receipts for that topic held before it was asked for."""

    receipts: tuple[Meta, ...]
    page: Page


def publish_in_turn(node: Node, requests: Sequence[Sequence[backend_pb2.ClientEnvelope | bytes]]) -> tuple[Meta, ...]:
    """Publish `requests`, each a request of one or more envelopes, one after the other; all receipts in order."""
    return tuple(meta for envelopes in requests for meta in node.publish(*envelopes).metas)


def publish_for(
    seconds: float, node: Node, envelopes: Iterable[backend_pb2.ClientEnvelope | bytes]
) -> tuple[Published, ...]:
    """Publish `envelopes` one after the other until they end or `seconds` are over; at least two of them."""
    answers: list[Published] = []
    end = time.monotonic() + seconds
    for envelope in envelopes:
        answers.append(node.publish(envelope))
        if len(answers) > 1 and time.monotonic() >= end:
            break
    return tuple(answers)


def write_then_read(
    writer: Node, reader: Node, topic: bytes, envelopes: Sequence[backend_pb2.ClientEnvelope | bytes]
) -> tuple[OwnRead, ...]:
    """Publish `envelopes` to `topic` through `writer`, each in a request of its own, and read it through `reader`.

    A page from the start is asked for before the first publish and at once after each receipt.
    """
    reads = [OwnRead(receipts=(), page=reader.query(topic))]
    for envelope in envelopes:
        receipts = (*reads[-1].receipts, writer.publish(envelope).meta)
        reads.append(OwnRead(receipts=receipts, page=reader.query(topic)))
    return tuple(reads)
