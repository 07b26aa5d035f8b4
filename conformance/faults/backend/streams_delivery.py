"""Faults in what a stream delivers: left out, repeated, out of order, or to some streams only (API-254, API-203)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from conformance.faults.backend.streams_parts import faults, named, streaming
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import TopicQuery
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.readers import QueryReader
from conformance.reference.backend.store import Stored, View
from conformance.reference.backend.streams.frames import Frames, MessagesFrame
from conformance.reference.backend.streams.pump import Pump, Targets
from conformance.reference.backend.streams.service import Streams
from conformance.reference.backend.streams.static import StaticStream
from conformance.reference.backend.streams.stream import Parts, Stream
from conformance.reference.backend.streams.subscribe import SubscribeStream
from conformance.reference.backend.streams.subscription import Registration, Subscription, Turn
from conformance.reference.backend.streams.tail import Arrival, Tail

MOST_HISTORY = 1000
LONG_ENOUGH_S = 1.0
SHARD = 32
SEAM_S = 0.005
CACHED_S = 0.5


class CappedHistory(Pump):
    """Delivers no more than so many rows of a topic at a time, and goes on behind the rest."""

    _served: dict[bytes, int]

    def fill(self, view: View, registration: Registration, frame: MessagesFrame) -> bool:
        """Skip to the head when there was enough."""
        self._served = getattr(self, "_served", {})
        before = len(frame.envelopes)
        more = super().fill(view, registration, frame)
        served = self._served.get(registration.topic, 0) + len(frame.envelopes) - before
        self._served[registration.topic] = served if more else 0
        newest = view.newest(registration.topic, payload=False)
        if more and served >= MOST_HISTORY and newest is not None:
            registration.cursor = newest.sequence_id
            return False
        return more


class HoleAtTheSeam(Pump):
    """Goes over to live envelopes from where the topic is a moment after its history was read."""

    def fill(self, view: View, registration: Registration, frame: MessagesFrame) -> bool:
        """Lose what comes in that moment."""
        is_history = registration.unfinished
        more = super().fill(view, registration, frame)
        if is_history and not more:
            time.sleep(SEAM_S)
            with self.store.database.connect() as connection:
                newest = self.store.view_type(connection).newest(registration.topic, payload=False)
            registration.cursor = max(registration.cursor, newest.sequence_id if newest else 0)
        return more


class RepeatsAtTheSeam(Pump):
    """Delivers the last envelope of a history once more when something live comes."""

    def fill(self, view: View, registration: Registration, frame: MessagesFrame) -> bool:
        """Go back by one when the history is through."""
        is_history = registration.unfinished
        more = super().fill(view, registration, frame)
        if is_history and not more:
            registration.cursor -= 1
        return more


class PassesGaps(Stream):
    """Takes whatever is not there when something higher is for something that is never coming."""

    patience_s = 0.0

    def arrived(self, arrival: Arrival) -> None:
        """Move on the other topics of the stream that have nothing to deliver."""
        super().arrived(arrival)
        if self.patience_s:
            timer = threading.Timer(self.patience_s, self.move_on, [arrival])
            timer.daemon = True
            timer.start()
        else:
            self.move_on(arrival)

    def move_on(self, arrival: Arrival) -> None:
        """Pass the ids below one that has arrived."""
        with self.changed:
            for registration in self.parts.subscription.registered.values():
                if registration.topic != arrival.topic and registration.turn is Turn.IDLE:
                    registration.cursor = max(registration.cursor, arrival.sequence_id)


class PassingSubscribe(PassesGaps, SubscribeStream):
    """A Subscribe stream that passes gaps."""


class PassingStatic(PassesGaps, StaticStream):
    """A static stream that passes gaps."""


class ImpatientSubscribe(PassingSubscribe):
    """A Subscribe stream that passes gaps after a while."""

    patience_s = LONG_ENOUGH_S


class ImpatientStatic(PassingStatic):
    """A static stream that passes gaps after a while."""

    patience_s = LONG_ENOUGH_S


class CursorAtMostHead(Targets):
    """Takes a cursor beyond the head of its topic for the head."""

    def head(self, view: View, registration: Registration) -> int:
        """Lower the cursor."""
        head = super().head(view, registration)
        registration.cursor = min(registration.cursor, head)
        return head


class FirstShard(Tail):
    """Tells only some of the streams on a topic what has come."""

    def dispatch(self, arrivals: Iterable[Arrival]) -> None:
        """Leave out all beyond a number."""
        for arrival in arrivals:
            with self._changed:
                watchers = list(self._watchers.get(arrival.topic, ()))
            for stream in watchers[:SHARD]:
                stream.arrived(arrival)


class Forgetful(Tail):
    """Wakes the streams of the first row only when several are committed at once."""

    def arrivals(self, view: View) -> Sequence[Arrival]:
        """Return the first one."""
        return super().arrivals(view)[:1]


class Aborts(SubscribeStream):
    """Ends a stream that is not read with a code the status table has not."""

    def overflow(self) -> None:
        """Fail."""
        self.fail(Failure(Code.ABORTED, "the client does not read"))


class LastFirst(Pump):
    """Delivers the envelopes of one publish from the last to the first."""

    def fill(self, view: View, registration: Registration, frame: MessagesFrame) -> bool:
        """Turn each run of rows of one publish around, once they are in the frame."""
        before = len(frame.envelopes)
        more = super().fill(view, registration, frame)
        runs = groupby(frame.envelopes[before:], key=lambda envelope: envelope.meta.server_ns)
        frame.envelopes[before:] = [envelope for _, run in runs for envelope in reversed(list(run))]
        return more


class LiveWithoutCursor(Subscription):
    """Marks registrations whose entry has no cursor."""

    def add_all(self, adds: Iterable[TopicQuery]) -> list[Registration]:
        """Register them below every id."""
        absent = {query.topic.topic for query in adds if not query.HasField("cursor")}
        added = super().add_all(adds)
        for registration in added:
            registration.cursor = -1 if registration.topic in absent else registration.cursor
        return added


class HeadWithoutCursor(Targets):
    """Starts marked registrations at the head."""

    def head(self, view: View, registration: Registration) -> int:
        """Move the cursor there."""
        head = super().head(view, registration)
        registration.cursor = head if registration.cursor < 0 else registration.cursor
        return head


def static_only(pump: type[Pump]) -> type[Backend]:
    """Make a backend whose static streams are filled by `pump`."""

    class StaticOnly(Streams):
        def parts(self, frames: Frames, changed: threading.Condition) -> Parts:
            parts = super().parts(frames, changed)
            if frames is not self.static_frames:
                return parts
            other = pump(store=self.store, frames=frames, turns=parts.turns, output=parts.output, changed=changed)
            return replace(parts, pump=other)

    return type("OtherStatic", (Backend,), {"streams_class": StaticOnly})


class CachedQuery(QueryReader):
    """Answers a topic from what it had read of it a moment ago."""

    _read: dict[bytes, tuple[float, list[Stored]]]

    def select(self, view: View, positions: Mapping[bytes, int], limit: int) -> tuple[Sequence[Stored], bool]:
        """Keep each topic from its start for half a second."""
        self._read = getattr(self, "_read", {})
        rows = [
            row for topic, cursor in positions.items() for row in self._rows(view, topic) if row.sequence_id > cursor
        ]
        return rows[:limit], len(rows) > limit

    def _rows(self, view: View, topic: bytes) -> Iterator[Stored]:
        at, rows = self._read.get(topic, (float("-inf"), []))
        if time.monotonic() - at > CACHED_S:
            rows = view.after(topic, 0, 1 << 20)
            self._read[topic] = (time.monotonic(), rows)
        return iter(rows)


class CachingQuery(Backend):
    """B663."""

    query_class = CachedQuery


PASSING = streaming(subscribe_class=PassingSubscribe, static_class=PassingStatic)
IMPATIENT = streaming(subscribe_class=ImpatientSubscribe, static_class=ImpatientStatic)

VARIANTS: tuple[Variant, ...] = (
    *faults(
        ("B019", "a stream passes what is not there below what is", "254.c 203.a", PASSING),
        ("B020", "a stream passes a gap after a second", "254.c 203.a", IMPATIENT),
        ("B663", "Query shows a topic as it was half a second ago", "203.b", CachingQuery),
        ("B162", "a history is capped at 1,000 envelopes", "254.a 254.b 254.i", streaming(pump_class=CappedHistory)),
        ("B669", "of what is committed at once the first row wakes", "254.a", streaming(tail_class=Forgetful)),
        ("B661", "the last of a history is repeated", "254.b", streaming(pump_class=RepeatsAtTheSeam)),
        ("B164", "a cursor beyond the head is the head", "254.d 254.i", streaming(targets_class=CursorAtMostHead)),
        ("B165", "32 streams on a topic are told of it", "254.e 254.i", streaming(tail_class=FirstShard)),
        ("B658", "a client that does not read is cut off as ABORTED", "254.f", streaming(subscribe_class=Aborts)),
        ("B665", "envelopes of one publish come last first", "254.g 254.i 201.b", streaming(pump_class=LastFirst)),
        (
            "B666",
            "no cursor means the head",
            "254.h",
            streaming(subscription_class=LiveWithoutCursor, targets_class=HeadWithoutCursor),
        ),
        ("B667", "a static history is capped at 1,000 envelopes", "254.i", static_only(CappedHistory)),
        ("B668", "the last of a static history is repeated", "254.i", static_only(RepeatsAtTheSeam)),
    ),
    Variant(
        id="B163",
        says="what comes when a history ends is lost",
        clauses=named("254.b"),
        build=streaming(pump_class=HoleAtTheSeam),
        racy=True,
    ),
)
