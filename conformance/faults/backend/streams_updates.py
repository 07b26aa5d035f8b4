"""Faults in how a stream begins and in which Updates it takes (API-250, API-251)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import ClassVar

from conformance.faults.backend.streams_parts import faults, streaming
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import SubscribeRequest, TopicQuery
from conformance.reference.backend.failure import Failure
from conformance.reference.backend.streams.checks import RequestChecks
from conformance.reference.backend.streams.frames import SubscribeFrames, Target
from conformance.reference.backend.streams.keepalive import Idle
from conformance.reference.backend.streams.subscribe import SubscribeStream
from conformance.reference.backend.streams.subscription import Change, Registration, Subscription

LAST_CURSOR = (1 << 63) - 1
TOPIC_BYTES = (17, 33)
LONG_ENOUGH_TO_DELIVER_S = 0.05


class SaysNothingFirst(SubscribeStream):
    """Waits for the first request before it sends Started."""

    def opening(self) -> bytes:
        """Take the first request, and leave it to be handled."""
        first = [request for request, _ in zip(self.requests, range(1), strict=False)]
        self.requests = chain(first, self.requests)
        return super().opening()


class PingsFirst(SubscribeStream):
    """Begins with a Ping."""

    def opening(self) -> bytes:
        """Queue Started behind a Ping."""
        self.parts.output.push(super().opening())
        return self.sign_of_life()


class StartsAgain(SubscribeStream):
    """Sends Started behind every Applied."""

    def acknowledge(self, update: SubscribeRequest.Update, change: Change, targets: Sequence[Target]) -> None:
        """Queue another Started as well."""
        super().acknowledge(update, change, targets)
        with self.changed:
            self.parts.output.push(self.frames.started())
            self.changed.notify_all()


class InSeconds(SubscribeFrames):
    """Announces its interval in seconds."""

    def interval_ms(self) -> int:
        """Return whole seconds."""
        return super().interval_ms() // 1000


class TakesItsTime(Idle):
    """Waits ten times the interval that is announced."""

    def __init__(self, interval_s: float, now: float) -> None:
        super().__init__(10 * interval_s, now)


class ZeroIds(RequestChecks):
    """Takes 0 for an id."""

    def update_id(self, number: int, last_id: int) -> None:
        """Look at other ids only."""
        if number:
            super().update_id(number, last_id)


class RepeatedIds(RequestChecks):
    """Takes the id of the Update before once more."""

    def update_id(self, number: int, last_id: int) -> None:
        """Let an equal id pass."""
        if number != last_id or not number:
            super().update_id(number, last_id)


class FallingIds(RequestChecks):
    """Looks only whether the id was the last one's."""

    def update_id(self, number: int, last_id: int) -> None:
        """Let a lower id pass."""
        super().update_id(number, last_id if number == last_id else 0)


class ConsecutiveIds(RequestChecks):
    """Demands ids without a gap."""

    def update_id(self, number: int, last_id: int) -> None:
        """Refuse all but the next id."""
        super().update_id(number, last_id)
        if number != last_id + 1:
            raise self.invalid(f"update id {number} does not follow {last_id}")


class SignedIds(RequestChecks):
    """Reads ids as signed numbers."""

    def update_id(self, number: int, last_id: int) -> None:
        """Refuse what would be negative."""
        super().update_id(number if number <= LAST_CURSOR else 0, last_id)


class SharedIds(Subscription):
    """Keeps the last id of all streams together."""

    shared: ClassVar[dict[str, int]] = {"last": 0}

    def __init__(self) -> None:
        self.registered = {}

    @property
    def last_id(self) -> int:
        """The last id that any stream accepted."""
        return self.shared["last"]

    @last_id.setter
    def last_id(self, number: int) -> None:
        self.shared["last"] = number


class ListsApart(RequestChecks):
    """Looks for a topic named twice in each list for itself."""

    def removed(self, update: SubscribeRequest.Update) -> list[bytes]:
        """Leave out what is added as well."""
        added = self.added(update)
        return [topic for topic in super().removed(update) if topic not in added]


class AddsMerged(RequestChecks):
    """Takes a topic added twice for one add."""

    def added(self, update: SubscribeRequest.Update) -> list[bytes]:
        """Return each topic once."""
        return list(dict.fromkeys(super().added(update)))


class AnyRemoves(RequestChecks):
    """Does not look at the topics of removes."""

    def removed(self, update: SubscribeRequest.Update) -> list[bytes]:
        """Leave out what has no length of a topic."""
        return [topic for topic in super().removed(update) if len(topic) in TOPIC_BYTES]


class AnyLength(RequestChecks):
    """Looks at the kind of an added topic and not at its length."""

    def added(self, update: SubscribeRequest.Update) -> list[bytes]:
        """Leave out what is of a known kind."""
        return [topic for topic in super().added(update) if not topic or topic[0] > 4]  # noqa: PLR2004 - kinds 0 to 4


class SkipsNameless(RequestChecks):
    """Passes over entries without a topic."""

    def added(self, update: SubscribeRequest.Update) -> list[bytes]:
        """Return the topics that are there."""
        return [query.topic.topic for query in update.adds if query.HasField("topic")]


class NamedOnly(Subscription):
    """Registers entries with a topic."""

    def add_all(self, adds: Iterable[TopicQuery]) -> list[Registration]:
        """Pass over the others."""
        return super().add_all(query for query in adds if query.HasField("topic"))


class AnyCursor(RequestChecks):
    """Takes every cursor."""

    def cursors(self, queries: Iterable[TopicQuery]) -> None:
        """Refuse none."""


class CutCursors(Subscription):
    """Takes a cursor beyond the range for the last one of it."""

    def add(self, topic: bytes, cursor: int) -> Registration | None:
        """Register above no more than the last id there can be."""
        return super().add(topic, min(cursor, LAST_CURSOR))


class AnyMember(RequestChecks):
    """Ignores a frame that carries nothing."""

    def is_set(self, frame: SubscribeRequest) -> None:
        """Refuse none; what follows takes it for a Pong nobody waits for."""


class AppliesFirst(SubscribeStream):
    """Carries out what it can of an invalid Update before the stream fails."""

    def on_update(self, update: SubscribeRequest.Update) -> None:
        """Register its topics, let them deliver, and fail."""
        try:
            super().on_update(update)
        except Failure:
            if all(query.cursor.sequence_id <= LAST_CURSOR for query in update.adds):
                with self.changed:
                    added = self.parts.subscription.add_all(update.adds)
                targets = self.register(added)
                with self.changed:
                    self.activate(added, targets)
                    self.changed.notify_all()
                time.sleep(LONG_ENOUGH_TO_DELIVER_S)
            raise


VARIANTS: tuple[Variant, ...] = tuple(
    faults(
        ("B139", "Started waits for the first request", "250.a", streaming(subscribe_class=SaysNothingFirst)),
        ("B640", "Started comes once more behind each Applied", "250.c", streaming(subscribe_class=StartsAgain)),
        ("B641", "a Ping comes before Started", "250.a", streaming(subscribe_class=PingsFirst)),
        ("B140", "the interval is announced in seconds", "250.b", streaming(subscribe_frames_class=InSeconds)),
        ("B642", "the interval in use is ten times the announced one", "250.b", streaming(idle_class=TakesItsTime)),
        ("B141", "an Update with the id 0 is accepted", "251.a", streaming(checks_class=ZeroIds)),
        ("B142", "an Update with the last id again is accepted", "251.b", streaming(checks_class=RepeatedIds)),
        ("B643", "an Update with a lower id is accepted", "251.b", streaming(checks_class=FallingIds)),
        ("B143", "a topic both added and removed is accepted", "251.c", streaming(checks_class=ListsApart)),
        ("B644", "a topic added twice counts once", "251.c", streaming(checks_class=AddsMerged)),
        ("B645", "malformed topics of removes are accepted", "251.d", streaming(checks_class=AnyRemoves)),
        ("B649", "added topics of any length are accepted", "251.d", streaming(checks_class=AnyLength)),
        (
            "B646",
            "entries without a topic are passed over",
            "251.e",
            streaming(checks_class=SkipsNameless, subscription_class=NamedOnly),
        ),
        (
            "B647",
            "a cursor above 2^63-1 counts as that",
            "251.f",
            streaming(checks_class=AnyCursor, subscription_class=CutCursors),
        ),
        ("B144", "a request frame with nothing set is ignored", "251.g", streaming(checks_class=AnyMember)),
        ("B648", "an invalid Update is carried out before it fails", "251.h", streaming(subscribe_class=AppliesFirst)),
        ("B146", "Update ids must be consecutive", "251.i", streaming(checks_class=ConsecutiveIds)),
        ("B650", "Update ids are read as signed numbers", "251.i", streaming(checks_class=SignedIds)),
        ("B651", "all streams share one last Update id", "251.j", streaming(subscription_class=SharedIds)),
    )
)
