"""What one stream is registered for: topics, cursors, and the last update id. Pure state, no clock, no store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from conformance.pb.backend_pb2 import SubscribeRequest, TopicQuery


class Turn(Enum):
    """Where a registration stands with its turns."""

    UNACKNOWLEDGED = auto()
    IDLE = auto()
    WAITING = auto()
    SERVED = auto()
    REMOVED = auto()


class Registration:
    """One topic from one add to its removal; a later add of the topic is another registration (API-253)."""

    def __init__(self, topic: bytes, cursor: int) -> None:
        self.topic = topic
        self.cursor = cursor  # everything at or below it has been handed over, or was not asked for
        self.turn = Turn.UNACKNOWLEDGED
        self.woken_in: int | None = None  # the view that was the newest one when rows last arrived
        self.served_in: int | None = None  # the view of the last turn
        self.unfinished = False  # the last turn ended with rows left


@dataclass(frozen=True, kw_only=True)
class Change:
    """What an accepted update changed: the new registrations in add order, and those that ended."""

    added: Sequence[Registration]
    removed: Sequence[Registration]


class Subscription:
    """The registrations of one stream."""

    def __init__(self) -> None:
        self.last_id = 0
        self.registered: dict[bytes, Registration] = {}

    def apply(self, update: SubscribeRequest.Update) -> Change:
        """Take over an update that passed its checks; what is registered already, or not at all, stays as it is."""
        self.last_id = update.id
        removed = [self.remove(topic.topic) for topic in update.removes]
        return Change(
            added=self.add_all(update.adds), removed=[registration for registration in removed if registration]
        )

    def add_all(self, adds: Iterable[TopicQuery]) -> list[Registration]:
        """Register the topics that are not registered yet, in the order of the adds."""
        added = [self.add(query.topic.topic, query.cursor.sequence_id) for query in adds]
        return [registration for registration in added if registration]

    def add(self, topic: bytes, cursor: int) -> Registration | None:
        """Register a topic; None when it is registered, whatever the cursor (API-253)."""
        if topic in self.registered:
            return None
        registration = self.registered[topic] = Registration(topic, cursor)
        return registration

    def remove(self, topic: bytes) -> Registration | None:
        """End the registration of a topic; None when there is none (API-253)."""
        registration = self.registered.pop(topic, None)
        if registration is not None:
            registration.turn = Turn.REMOVED
        return registration
