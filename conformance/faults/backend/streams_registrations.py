"""Faults in what becomes of registrations that are added again or removed (API-253)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial

from conformance.faults.backend.streams_parts import faults, streaming
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import SubscribeRequest
from conformance.reference.backend.streams.checks import RequestChecks
from conformance.reference.backend.streams.frames import Target
from conformance.reference.backend.streams.subscribe import SubscribeStream
from conformance.reference.backend.streams.subscription import Change, Registration, Subscription, Turn

Update = SubscribeRequest.Update
LATER_S = 0.2
PAGE = 16


class LaterCursors(Subscription):
    """Moves a registration on when it is added again from higher up."""

    def add(self, topic: bytes, cursor: int) -> Registration | None:
        """Skip what lies below the new cursor."""
        registration = super().add(topic, cursor)
        if registration is None:
            self.registered[topic].cursor = max(cursor, self.registered[topic].cursor)
        return registration


class EarlierCursors(Subscription):
    """Moves a registration back when it is added again from lower down."""

    def add(self, topic: bytes, cursor: int) -> Registration | None:
        """Deliver again what lies above the new cursor."""
        registration = super().add(topic, cursor)
        if registration is None:
            self.registered[topic].cursor = min(cursor, self.registered[topic].cursor)
        return registration


class KnownRemovesOnly(RequestChecks):
    """Refuses to remove what is not registered."""

    def update(self, update: Update, subscription: Subscription) -> None:
        """Look at the removes as well."""
        super().update(update, subscription)
        if any(topic.topic not in subscription.registered for topic in update.removes):
            raise self.invalid("a topic to remove is not registered")


class PageBehindRemoval(SubscribeStream):
    """Sends the page it had read for a topic although the topic is removed."""

    def acknowledge(self, update: Update, change: Change, targets: Sequence[Target]) -> None:
        """Send Applied, and behind it the page."""
        super().acknowledge(update, change, targets)
        frame = self.frames.begin_messages()
        with self.parts.pump.view() as view:
            for registration in change.removed:
                for row in view.after(registration.topic, registration.cursor, PAGE):
                    frame.add(self.frames.envelope(row))
        if frame.envelopes:
            with self.changed:
                self.parts.output.push(self.frames.messages(frame))
                self.changed.notify_all()


class RemovesLater(Subscription):
    """Carries a removal out a moment after it was acknowledged."""

    def remove(self, topic: bytes) -> Registration | None:
        """Put it off."""
        timer = threading.Timer(LATER_S, partial(super().remove, topic))
        timer.daemon = True
        timer.start()
        return None


class Resumes(Subscription):
    """Goes on where a topic had been when it was removed."""

    def __init__(self) -> None:
        super().__init__()
        self.left: dict[bytes, int] = {}

    def remove(self, topic: bytes) -> Registration | None:
        """Remember the place."""
        registration = super().remove(topic)
        if registration is not None:
            self.left[topic] = registration.cursor
        return registration

    def add(self, topic: bytes, cursor: int) -> Registration | None:
        """Register from that place."""
        return super().add(topic, self.left.get(topic, cursor))


class ResumesInHaste(Resumes):
    """Goes on where a topic had been when that was in the midst of its history."""

    def remove(self, topic: bytes) -> Registration | None:
        """Remember the place of a registration that was not through."""
        before = self.registered.get(topic)
        through = before is None or before.turn in (Turn.IDLE, Turn.UNACKNOWLEDGED)
        registration = super().remove(topic)
        if through:
            self.left.pop(topic, None)
        return registration


VARIANTS: tuple[Variant, ...] = tuple(
    faults(
        ("B157", "a repeated add with a higher cursor skips", "253.a", streaming(subscription_class=LaterCursors)),
        ("B657", "a repeated add with a lower cursor rewinds", "253.a", streaming(subscription_class=EarlierCursors)),
        ("B158", "removing an unknown topic is refused", "253.b", streaming(checks_class=KnownRemovesOnly)),
        ("B159", "a page read before comes behind a removal", "253.c", streaming(subscribe_class=PageBehindRemoval)),
        ("B659", "a removal takes effect later", "253.c", streaming(subscription_class=RemovesLater)),
        ("B660", "a topic added again goes on where it was", "253.d", streaming(subscription_class=Resumes)),
        ("B662", "a page of the old registration leaks", "253.e", streaming(subscription_class=ResumesInHaste)),
    )
)
