"""What makes an Update or a SubscribeStatic request invalid (API-251, API-260, the bounds of API section 7)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from google.protobuf.message import DecodeError

from conformance.pb.backend_pb2 import SubscribeRequest, SubscribeStaticRequest, TopicQuery
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.streams.subscription import Subscription
from conformance.reference.backend.topics import Topics


class RequestChecks:
    """Raises a Failure for a request that is refused; changes nothing."""

    def __init__(self, *, bounds: Bounds, topics: Topics) -> None:
        self.bounds = bounds
        self.topics = topics

    def frame(self, request: bytes) -> SubscribeRequest:
        """Decode one request frame, within the wire length of any request."""
        self.bounds.wire(request)
        try:
            frame = SubscribeRequest.FromString(request)
        except DecodeError as error:
            raise self.invalid("a request frame is not a SubscribeRequest") from error
        self.is_set(frame)
        return frame

    def is_set(self, frame: SubscribeRequest) -> None:
        """Refuse a frame that carries nothing."""
        if frame.WhichOneof("request") is None:
            raise self.invalid("a request frame has neither an update nor a ping nor a pong")

    def update(self, update: SubscribeRequest.Update, subscription: Subscription) -> None:
        """Refuse an update that breaks a rule or a bound."""
        self.update_id(update.id, subscription.last_id)
        self.count(len(update.adds), self.bounds.limits.max_update_adds, "max_update_adds")
        self.count(len(update.removes), self.bounds.limits.max_update_removes, "max_update_removes")
        self.named(self.added(update))
        self.named(self.removed(update))
        self.cursors(update.adds)
        self.distinct([*self.added(update), *self.removed(update)])
        self.total(update, subscription)

    def static(self, request: bytes) -> SubscribeStaticRequest:
        """Decode a static request; refuse one that breaks a rule or a bound."""
        self.bounds.wire(request)
        try:
            message = SubscribeStaticRequest.FromString(request)
        except DecodeError as error:
            raise self.invalid("the request is not a SubscribeStaticRequest") from error
        topics = [query.topic.topic for query in message.topics]
        self.not_empty(topics)
        self.count(len(topics), self.bounds.limits.max_static_topics, "max_static_topics")
        self.named(topics)
        self.cursors(message.topics)
        self.distinct(topics)
        return message

    def update_id(self, number: int, last_id: int) -> None:
        """Refuse an id of 0, and one that does not rise on its stream."""
        if number == 0 or number <= last_id:
            raise self.invalid(f"update id {number} is not above {last_id}")

    def count(self, count: int, bound: int, name: str) -> None:
        """Refuse more entries than a bound allows, counted as sent."""
        if self.bounds.exceeds(count, bound):
            raise self.invalid(f"{count} entries where {name} is {bound}")

    def named(self, topics: Iterable[bytes]) -> None:
        """Refuse a malformed topic, in adds and removes alike (TOPIC-003)."""
        for topic in topics:
            self.topics.check_named(topic)

    def cursors(self, queries: Iterable[TopicQuery]) -> None:
        """Refuse a cursor out of range."""
        for query in queries:
            self.bounds.cursor(query.cursor.sequence_id)

    def distinct(self, topics: Sequence[bytes]) -> None:
        """Refuse a topic that is named more than once."""
        if len(set(topics)) != len(topics):
            raise self.invalid("a topic is named more than once")

    def total(self, update: SubscribeRequest.Update, subscription: Subscription) -> None:
        """Refuse more topics on the stream after the update than max_stream_topics."""
        after = self.registered_after(update, subscription.registered.keys())
        self.count(after, self.bounds.limits.max_stream_topics, "max_stream_topics")

    def registered_after(self, update: SubscribeRequest.Update, registered: Collection[bytes]) -> int:
        """Return how many topics would be registered after an update."""
        removed = sum(topic in registered for topic in self.removed(update))
        return len(registered) - removed + sum(topic not in registered for topic in self.added(update))

    def not_empty(self, topics: Sequence[bytes]) -> None:
        """Refuse a static stream without topics."""
        if not topics:
            raise self.invalid("a static stream needs a topic")

    def added(self, update: SubscribeRequest.Update) -> list[bytes]:
        """Return the topics an update adds."""
        return [query.topic.topic for query in update.adds]

    def removed(self, update: SubscribeRequest.Update) -> list[bytes]:
        """Return the topics an update removes."""
        return [topic.topic for topic in update.removes]

    def invalid(self, message: str) -> Failure:
        """Return the failure of an invalid request."""
        return Failure(Code.INVALID_ARGUMENT, message)
