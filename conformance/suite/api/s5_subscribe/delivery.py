"""What either kind of stream must deliver, as scenes that end with a judgement by the clauses named."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain

from conformance.suite.api.s5_subscribe.kinds import StreamKind
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.target.deployment import Deployment
from conformance.target.node import Node, Position
from conformance.target.streams import Stream
from conformance.target.together import meanwhile

LAST_CURSOR = (1 << 63) - 1
_BYTES_OF_A_FRAME = 3 << 20  # longer than any frame that is known of
_LONG_BYTES = 300_000
_AHEAD = 5
_MOST_TO_GET_AHEAD = 40
_PER_CONNECTION = 25
_GLANCE_S = 0.01


def most_topics(node: Node, kind: StreamKind, wanted: int) -> int:
    """Give how many topics a stream of a kind may be opened with, up to `wanted`."""
    return min(wanted, kind.most_topics(node))


def whole_history(kind: StreamKind, traffic: Traffic, counts: Sequence[int], *about: str) -> None:
    """Deliver topics that hold so many envelopes each, from the start and from cursors between."""
    topics = [traffic.topic() for _ in counts[: most_topics(traffic.node, kind, len(counts))]]
    traffic.publish(*_mixed(traffic, topics, counts))
    for place in (0.0, 0.5):
        positions = [Position(topic, _cursor(traffic.ids_of(topic), place)) for topic in topics]
        with kind.open(traffic.node, *positions) as stream:
            traffic.arrive(topics, stream)
            traffic.judge(stream, *about)


def history_of_any_size(kind: StreamKind, traffic: Traffic, *about: str) -> None:
    """Deliver envelopes of the most and the least bytes, together more than a frame holds, and small ones between."""
    topic, other = traffic.topic(), traffic.stocked(3)
    longest = traffic.node.limits.max_envelope_bytes
    sizes = [longest, 1, 1, longest, *[_LONG_BYTES] * (_BYTES_OF_A_FRAME // _LONG_BYTES), 1, longest]
    traffic.publish(*(envelope for size in sizes for envelope in traffic.envelopes(topic, 1, size=size)))
    with kind.open(traffic.node, topic, other) as stream:
        traffic.arrive([other, topic], stream)
        traffic.judge(stream, *about)


def handed_over(
    kind: StreamKind, traffic: Traffic, *about: str, held: int = 300, each: int = 40, streams: int = 6
) -> None:
    """Begin streams on a topic that holds so many envelopes, one after another, while writers publish `each` more."""
    topic, other = traffic.stocked(held), traffic.stocked(held // 10)
    work = [traffic.envelopes(topic, each), traffic.one_each([topic, other] * (each // 2))]
    cursors = iter([0, *traffic.ids_of(topic)[:: held // streams]][:streams])
    with ExitStack() as opened:
        begun: list[Stream] = []

        def begin_next() -> None:
            for cursor in cursors:
                positions = (Position(topic, cursor), Position(other, cursor))
                begun.append(opened.enter_context(kind.begin(traffic.node, *positions)))
                break
            begun[-1].watch(_GLANCE_S)

        meanwhile(begin_next, *(partial(traffic.publish_one_by_one, envelopes) for envelopes in work))
        traffic.arrive([topic, other], *begun)
        for stream in begun:
            traffic.judge(stream, *about)


def beyond_the_head(kind: StreamKind, traffic: Traffic, *about: str) -> None:
    """Register topics above their heads, by a little and by all there is, and publish up to and past the cursors."""
    near, far, empty, live = traffic.stocked(3), traffic.stocked(3), traffic.topic(), traffic.topic()
    topics = [near, live, far, empty][: most_topics(traffic.node, kind, 4)]
    cursor = max(meta.sequence_id for meta in traffic.metas) + _AHEAD
    positions = {near: Position(near, cursor), live: Position(live), far: Position(far, LAST_CURSOR)}
    with kind.open(traffic.node, *(positions.get(topic, Position(topic, LAST_CURSOR)) for topic in topics)) as stream:
        for _ in range(_MOST_TO_GET_AHEAD):
            traffic.publish(*traffic.one_each([near, far, empty]))
            if traffic.last_of(near) > cursor:
                break
        reached = [near] * (traffic.last_of(near) > cursor)
        traffic.publish(*traffic.one_each([far, *reached, live]))
        stream.until(live, traffic.last_of(live))
        for topic in reached:
            stream.until(topic, traffic.last_of(topic))
        traffic.judge(stream, *about)


def fanned_out(kind: StreamKind, deployment: Deployment, traffic: Traffic, streams: int, *about: str) -> None:
    """Register one topic on so many streams, some with a history to come, and publish on it to all of them."""
    topic = traffic.stocked(3)
    nodes = [deployment.node(), *(deployment.fresh_node() for _ in range((streams - 1) // _PER_CONNECTION))]
    cursors = (0, traffic.last_of(topic))
    with ExitStack() as opened:
        begun = [
            opened.enter_context(
                kind.begin(nodes[number // _PER_CONNECTION], Position(topic, cursors[number % len(cursors)]))
            )
            for number in range(streams)
        ]
        for stream in begun:
            stream.started()
        traffic.publish_one_by_one(traffic.envelopes(topic, 5))
        traffic.arrive([topic], *begun)
        for stream in begun:
            traffic.judge(stream, *about)


def of_one_publish(kind: StreamKind, traffic: Traffic, *about: str) -> None:
    """Deliver requests that hold several envelopes of each of two topics, mixed, both as history and live."""
    topics = traffic.topics(2)

    def publish() -> None:
        for _ in range(3):
            mixed = list(chain(*(traffic.envelopes(topic, 7) for topic in topics)))
            traffic.publish(*traffic.draw.random.sample(mixed, len(mixed)))

    publish()
    with kind.open(traffic.node, *topics) as stream:
        publish()
        traffic.arrive(topics, stream)
        traffic.judge(stream, *about)


def _mixed(traffic: Traffic, topics: Sequence[bytes], counts: Sequence[int]) -> list[bytes]:
    """Make the envelopes of topics so that those of one lie between those of others."""
    named = [topic for topic, count in zip(topics, counts, strict=False) for _ in range(count)]
    return traffic.one_each(traffic.draw.random.sample(named, len(named)))


def _cursor(ids: Sequence[int], place: float) -> int | None:
    """Give the id at a place of a topic as a cursor, None for the start."""
    return ids[int(len(ids) * place)] if ids and place else None
