"""Faults in how Updates are acknowledged, and with which targets (API-252)."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from conformance.faults.backend.streams_parts import faults, named, streaming
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import SubscribeRequest
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.store import Stored, View
from conformance.reference.backend.streams.frames import Target
from conformance.reference.backend.streams.pump import Pump, Targets
from conformance.reference.backend.streams.subscribe import SubscribeStream
from conformance.reference.backend.streams.subscription import Change, Registration, Subscription
from conformance.reference.backend.streams.tail import Arrival

Update = SubscribeRequest.Update
ROUND_TRIP_S = 0.005
PAUSE_S = 0.03
AT_ONCE_S = 0.2


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """An Update that has been carried out and not acknowledged."""

    update: Update
    change: Change
    targets: Sequence[Target]


class Shares(SubscribeStream):
    """Acknowledges Updates that come in quick succession with one Applied for all."""

    waiting: list[Waiting]

    def acknowledge(self, update: Update, change: Change, targets: Sequence[Target]) -> None:
        """Wait a moment for more."""
        with self.changed:
            self.waiting = getattr(self, "waiting", [])
            self.waiting.append(Waiting(update=update, change=change, targets=targets))
            if len(self.waiting) == 1:
                threading.Timer(PAUSE_S, self.flush).start()

    def flush(self) -> None:
        """Acknowledge the last one with what all have registered."""
        with self.changed:
            waiting, self.waiting = self.waiting, []
            added = [registration for each in waiting for registration in each.change.added]
            targets = [target for each in waiting for target in each.targets]
        whole = Change(added=added, removed=())
        SubscribeStream.acknowledge(self, waiting[-1].update, whole, targets)


class Twice(SubscribeStream):
    """Acknowledges an Update that changes nothing twice."""

    def acknowledge(self, update: Update, change: Change, targets: Sequence[Target]) -> None:
        """Queue the same Applied again."""
        super().acknowledge(update, change, targets)
        if not change.added:
            super().acknowledge(update, change, targets)


class ListsKnown(SubscribeStream):
    """Lists every topic an Update adds, registered before or not."""

    def applied(self, update: Update, targets: Sequence[Target]) -> bytes:
        """Read the heads of all."""
        added = [self.parts.subscription.registered[query.topic.topic] for query in update.adds]
        heads = self.parts.targets.read(added)
        pairs = zip(added, heads, strict=True)
        return self.frames.applied(update.id, [(each.topic, head) for each, head in pairs])


class HashOrder(SubscribeStream):
    """Lists targets in the order a hash map has them in."""

    def applied(self, update: Update, targets: Sequence[Target]) -> bytes:
        """Order by a hash of the topics."""
        return super().applied(update, sorted(targets, key=lambda target: hashlib.sha256(target[0]).digest()))


class GlobalHead(Targets):
    """Gives the highest id there is for the head of any topic."""

    def head(self, view: View, registration: Registration) -> int:
        """Return the highest id of the store."""
        (highest,) = view.connection.execute("SELECT COALESCE(MAX(sequence_id), 0) FROM envelope").fetchone()
        return int(highest)


class CursorTargets(Targets):
    """Gives the cursor for the target."""

    def head(self, view: View, registration: Registration) -> int:
        """Return what the client has."""
        return registration.cursor


class StaleTargets(Targets):
    """Remembers the first head it read of a topic."""

    heads: ClassVar[dict[bytes, int]] = {}

    def head(self, view: View, registration: Registration) -> int:
        """Return what was found the first time."""
        return self.heads.setdefault(registration.topic, super().head(view, registration))


class Skipping(Registration):
    """A registration that leaves out a span of ids."""

    span = (0, 0)


class Spans(Subscription):
    """Registrations that can leave out a span."""

    def add(self, topic: bytes, cursor: int) -> Registration | None:
        """Register a topic."""
        if super().add(topic, cursor) is None:
            return None
        self.registered[topic] = Skipping(topic, cursor)
        return self.registered[topic]


class HeadFirst(SubscribeStream):
    """Reads the target, and watches the topic from a little later on."""

    def register(self, added: Sequence[Registration]) -> list[Target]:
        """Read the heads before and after, and lose what lies between."""
        heads = self.parts.targets.read(added)
        time.sleep(ROUND_TRIP_S)
        targets = super().register(added)
        for registration, head, (_, later) in zip(added, heads, targets, strict=True):
            if isinstance(registration, Skipping):
                registration.span = (head, later)
        return [(topic, head) for (topic, _), head in zip(targets, heads, strict=True)]


class SpanPump(Pump):
    """Leaves out the spans."""

    def rows(self, view: View, registration: Registration) -> Iterable[Stored]:  # type: ignore[override]  # no iterator is needed
        """Yield all other rows."""
        low, high = registration.span if isinstance(registration, Skipping) else (0, 0)
        return (row for row in super().rows(view, registration) if not low < row.sequence_id <= high)


class AheadOfApplied(SubscribeStream):
    """Lets registrations deliver, and then acknowledges them."""

    def acknowledge(self, update: Update, change: Change, targets: Sequence[Target]) -> None:
        """Wake first."""
        with self.changed:
            self.activate(change.added, targets)
            self.changed.notify_all()
        if change.added:
            time.sleep(PAUSE_S)
        super().acknowledge(update, change, targets)


class NoApplied(SubscribeStream):
    """Has nothing to say to an Update of nothing."""

    def acknowledge(self, update: Update, change: Change, targets: Sequence[Target]) -> None:
        """Acknowledge only what adds or removes."""
        if update.adds or update.removes:
            super().acknowledge(update, change, targets)


class AwaitsData(SubscribeStream):
    """Acknowledges empty topics once something comes on the stream."""

    def acknowledge(self, update: Update, change: Change, targets: Sequence[Target]) -> None:
        """Put it off when no target is above 0."""
        with self.changed:
            self.put_off: list[Waiting] = getattr(self, "put_off", [])
        if targets and not any(head for _, head in targets):
            self.put_off.append(Waiting(update=update, change=change, targets=targets))
        else:
            super().acknowledge(update, change, targets)

    def arrived(self, arrival: Arrival) -> None:
        """Acknowledge what was put off."""
        with self.changed:
            waiting, self.put_off = getattr(self, "put_off", []), []
        for each in waiting:
            super().acknowledge(each.update, each.change, each.targets)
        super().arrived(arrival)


class BreaksOff(SubscribeStream):
    """Takes a half-close just behind an Update for a client that broke off."""

    updated_at = float("-inf")

    def on_update(self, update: Update) -> None:
        """Note the time."""
        super().on_update(update)
        self.updated_at = self.clock()

    def on_half_close(self) -> None:
        """Fail when that was a moment ago."""
        if self.clock() - self.updated_at < AT_ONCE_S:
            self.fail(Failure(Code.CANCELLED, "the client went while its update was handled"))
        super().on_half_close()


VARIANTS: tuple[Variant, ...] = (
    *faults(
        ("B147", "Updates in quick succession share one Applied", "252.a", streaming(subscribe_class=Shares)),
        ("B652", "an Update that adds nothing gets two Applied", "252.a", streaming(subscribe_class=Twice)),
        ("B149", "registered topics are listed again", "252.b 253.a", streaming(subscribe_class=ListsKnown)),
        ("B150", "targets stand in the order of a hash", "252.b", streaming(subscribe_class=HashOrder)),
        ("B151", "every target is the highest id there is", "252.c", streaming(targets_class=GlobalHead)),
        ("B152", "the target is the cursor", "252.c", streaming(targets_class=CursorTargets)),
        ("B654", "a target is the first one read of its topic", "252.c", streaming(targets_class=StaleTargets)),
        ("B154", "history overtakes Applied", "252.e", streaming(subscribe_class=AheadOfApplied)),
        ("B155", "an Update of nothing gets no Applied", "252.f", streaming(subscribe_class=NoApplied)),
        ("B655", "an empty topic is acknowledged when data comes", "252.g", streaming(subscribe_class=AwaitsData)),
        ("B656", "a half-close just behind an Update is a failure", "252.h", streaming(subscribe_class=BreaksOff)),
    ),
    Variant(
        id="B153",
        says="the target is read before the topic is watched",
        clauses=named("252.d"),
        build=streaming(subscribe_class=HeadFirst, subscription_class=Spans, pump_class=SpanPump),
        racy=True,
    ),
)
