"""The topics of one case, what was published on them, and streams held against that by the oracle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from conformance.craft.encodings import encoded
from conformance.craft.group_message import new_message
from conformance.craft.topics import group_topic, topic_of
from conformance.oracle.frames import Known, Receipt, judge, notes

if TYPE_CHECKING:
    from conformance.craft.draw import Draw
    from conformance.suite import Notes
    from conformance.target.answers import Published
    from conformance.target.node import Node
    from conformance.target.streams import Stream
    from conformance.wire.transcript import Meta

# What stands around the payload of a message, in an answer or a request.
_AROUND_BYTES = 1000
_MOST_PER_REQUEST = 200
_RECEIPT_BYTES = 300


class Traffic:
    """Topics that belong to one case, with the receipts of everything on them.

    `publish` and what calls it may be used from several threads once the envelopes are made; making them may not.
    """

    def __init__(self, node: Node, draw: Draw) -> None:
        self.node = node
        self.draw = draw
        self._groups: dict[bytes, bytes] = {}
        self._answers: list[Published] = []

    def topic(self) -> bytes:
        """Make a new topic, on which nothing is."""
        group_id = self.draw.group_id()
        topic = group_topic(group_id)
        self._groups[topic] = group_id
        return topic

    def topics(self, count: int) -> list[bytes]:
        """Make so many new topics."""
        return [self.topic() for _ in range(count)]

    def stocked(self, count: int, *, size: int = 32) -> bytes:
        """Make a topic that holds so many envelopes."""
        topic = self.topic()
        self.publish(*self.envelopes(topic, count, size=size))
        return topic

    def envelopes(self, topic: bytes, count: int, *, size: int = 32) -> list[bytes]:
        """Make envelopes for a topic of this case, with about `size` bytes each or what the target takes and shows."""
        limits = self.node.limits
        most = min(limits.max_envelope_bytes, limits.max_request_bytes, limits.max_response_bytes) - _AROUND_BYTES
        size = max(1, min(size, most))
        return [encoded(new_message(self.draw, self._groups[topic], size=size)) for _ in range(count)]

    def one_each(self, topics: Iterable[bytes]) -> list[bytes]:
        """Make one envelope for each topic."""
        return [envelope for topic in topics for envelope in self.envelopes(topic, 1)]

    def publish(self, *envelopes: bytes) -> tuple[Meta, ...]:
        """Publish envelopes in their order, in as few requests as the limits allow, and return their receipts.

        Raises what a publish that failed raises.
        """
        return tuple(meta for request in self._requests(envelopes) for meta in self._publish(request))

    def publish_in_turn(self, requests: Iterable[Sequence[bytes]]) -> tuple[Meta, ...]:
        """Be a writer: publish lists of envelopes one after the other, each in a request of its own where it fits."""
        return tuple(meta for request in requests for meta in self.publish(*request))

    def publish_one_by_one(self, envelopes: Iterable[bytes]) -> tuple[Meta, ...]:
        """Be a writer: publish each envelope in a request of its own."""
        return self.publish_in_turn([envelope] for envelope in envelopes)

    def last_of(self, topic: bytes) -> int:
        """Give the highest id confirmed on a topic, 0 when there is none."""
        return max((meta.sequence_id for meta in self.metas if meta.topic == topic), default=0)

    def ids_of(self, topic: bytes) -> list[int]:
        """Give the ids confirmed on a topic, ascending."""
        return sorted(meta.sequence_id for meta in self.metas if meta.topic == topic)

    @property
    def metas(self) -> tuple[Meta, ...]:
        """Every receipt held."""
        return tuple(meta for answer in self._answers for meta in answer.metas)

    def add(self, answer: Published) -> None:
        """Take over a publish that was made elsewhere. Raises what a publish that failed raises."""
        self._answers.append(answer.confirmed())

    def known(self) -> Known:
        """Say what is known of the topics; every publish on them must have been answered by now."""
        receipts = tuple(
            Receipt(meta=meta, received_ns=answer.call.ended_ns) for answer in self._answers for meta in answer.metas
        )
        return Known(receipts=receipts, closed=frozenset(self._groups))

    def arrive(self, topics: Iterable[bytes], *streams: Stream) -> None:
        """Publish one more envelope on each topic and wait for all of them on every stream.

        Whatever a stream had not delivered on a topic before, it has left out (API-254). Raises what a wait raises.
        """
        last = self.publish(*self.one_each(topics))
        for stream in streams:
            for meta in last:
                stream.until(meta.topic, meta.sequence_id)

    def judge(self, stream: Stream, *about: str, into: Notes | None = None) -> None:
        """Judge a stream by the clauses named, beside what is known of the topics; leave its notes in `into`."""
        known = self.known()
        judge(stream.call, known, *about)
        for sentence in notes(stream.call, known) if into is not None else ():
            if into is not None:
                into.add(sentence)

    def _publish(self, request: Sequence[bytes]) -> tuple[Meta, ...]:
        answer = self.node.publish(*request)
        metas = answer.metas
        self._answers.append(answer)
        return metas

    def _requests(self, envelopes: Iterable[bytes]) -> Iterator[list[bytes]]:
        limits = self.node.limits
        most = max(1, min(_MOST_PER_REQUEST, limits.max_response_bytes // _RECEIPT_BYTES))
        request: list[bytes] = []
        topics: set[bytes] = set()
        room = limits.max_request_bytes
        for envelope in envelopes:
            topic, length = topic_of(envelope), len(envelope) + _AROUND_BYTES
            full = len(request) == most or length > room
            if request and (full or len(topics | {topic}) > limits.max_publish_topics):
                yield request
                request, topics, room = [], set(), limits.max_request_bytes
            request.append(envelope)
            topics.add(topic)
            room -= length
        if request:
            yield request
