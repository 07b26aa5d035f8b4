"""Faults in what SubscribeStatic takes and begins with (API-260)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from conformance.faults.backend.streams_parts import faults, streaming
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import SubscribeStaticRequest, TopicQuery
from conformance.reference.backend.store import View
from conformance.reference.backend.streams.checks import RequestChecks
from conformance.reference.backend.streams.frames import Target
from conformance.reference.backend.streams.pump import Targets
from conformance.reference.backend.streams.static import StaticStream
from conformance.reference.backend.streams.subscription import Registration


class TakesNothing(RequestChecks):
    """Opens a static stream for nothing."""

    def not_empty(self, topics: Sequence[bytes]) -> None:
        """Let it pass."""


class TakesEveryTopicOnce(RequestChecks):
    """Merges what a static request repeats."""

    def static(self, request: bytes) -> SubscribeStaticRequest:
        """Drop repeated topics, whatever their cursors."""
        message = SubscribeStaticRequest.FromString(request)
        once = {query.topic.topic: query for query in reversed(message.topics)}
        merged = [query for query in message.topics if once.get(query.topic.topic) == query]
        del message.topics[:]
        message.topics.extend({query.topic.topic: query for query in merged}.values())
        return super().static(message.SerializeToString())


class ComparesCursorsToo(RequestChecks):
    """Takes a topic with two cursors for two."""

    def static(self, request: bytes) -> SubscribeStaticRequest:
        """Refuse equal entries only."""
        message = SubscribeStaticRequest.FromString(request)
        entries = [query.SerializeToString() for query in message.topics]
        if len(set(entries)) != len(entries):
            raise self.invalid("an entry stands twice")
        return super().static(request)

    def distinct(self, topics: Sequence[bytes]) -> None:
        """Leave it to the entries."""


class AnyCursor(RequestChecks):
    """Knows no highest cursor."""

    def cursors(self, queries: Iterable[TopicQuery]) -> None:
        """Let every cursor pass."""


class AnyTopic(RequestChecks):
    """Takes a malformed topic for one on which nothing is."""

    def named(self, topics: Iterable[bytes]) -> None:
        """Let every topic pass that is one at all."""
        super().named(topic for topic in topics if not topic)


class AbsentTopic(RequestChecks):
    """Passes over entries without a topic."""

    def static(self, request: bytes) -> SubscribeStaticRequest:
        """Leave them out unless there is nothing else."""
        message = SubscribeStaticRequest.FromString(request)
        named = [query for query in message.topics if query.HasField("topic")]
        if named:
            del message.topics[:]
            message.topics.extend(named)
        return super().static(message.SerializeToString())


class Sorted(StaticStream):
    """Lists its targets by name."""

    def register(self, added: Sequence[Registration]) -> list[Target]:
        """Sort them."""
        return sorted(super().register(added))


class OnlyFull(StaticStream):
    """Lists the targets of topics with history only."""

    def opening(self) -> bytes:
        """Build Started from those."""
        super().opening()
        heads = self.parts.targets.read([*self.parts.subscription.registered.values()])
        named = zip(self.parts.subscription.registered, heads, strict=True)
        return self.frames.started([(topic, head) for topic, head in named if head])


class HeadOfAll(Targets):
    """Takes the head of the whole log for that of a topic."""

    def head(self, view: View, registration: Registration) -> int:
        """Return the highest id of the deployment unless the topic is empty."""
        own = super().head(view, registration)
        (highest,) = view.connection.execute("SELECT MAX(sequence_id) FROM envelope").fetchone()
        return int(highest) if own else 0


class Overtaking(StaticStream):
    """Sends what it has before its Started."""

    def run(self) -> Iterator[bytes]:
        """Put the first frame of history first."""
        frames = super().run()
        started, first = next(frames), next(frames)
        yield first
        yield started
        yield from frames


VARIANTS: tuple[Variant, ...] = (
    *faults(
        ("B185", "a static stream of nothing is opened", "260.a", streaming(checks_class=TakesNothing)),
        ("B698", "a topic named twice is taken once", "260.a", streaming(checks_class=TakesEveryTopicOnce)),
        ("B699", "a topic with two cursors is two", "260.a", streaming(checks_class=ComparesCursorsToo)),
        ("B186", "targets are sorted", "260.b", streaming(static_class=Sorted)),
        ("B700", "empty topics have no target", "260.b", streaming(static_class=OnlyFull)),
        ("B701", "a target is the head of the whole log", "260.b", streaming(targets_class=HeadOfAll)),
        ("B702", "the first frame of history overtakes Started", "260.b 260.c", streaming(static_class=Overtaking)),
        ("B703", "streams know no highest cursor", "260.d", streaming(checks_class=AnyCursor)),
        ("B704", "streams take a malformed topic for an empty one", "260.d", streaming(checks_class=AnyTopic)),
        ("B705", "an entry without a topic is passed over", "260.d", streaming(checks_class=AbsentTopic)),
    ),
)
