"""One client on one stream at a time: Updates, publishes, Pings and half-closes in any order, judged by the oracle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from conformance.craft.draw import Draw
from conformance.oracle.violation import Violation
from conformance.suite.api.machines import driven
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.target.node import Node, Position
from conformance.target.streams import Subscription
from conformance.wire.transcript import Code

SLOTS = 4
STEPS = 30
_LAST_CURSOR = (1 << 63) - 1

slots = st.integers(0, SLOTS - 1)
# a cursor by where it lies among the ids of its topic: none, the start, some place, the head, above it, above all
places = st.one_of(st.none(), st.sampled_from([0.0, 1.0, 1.5, 2.0]), st.floats(0.0, 1.0))
adds = st.lists(st.tuples(slots, places), max_size=3, unique_by=lambda add: add[0])


class Machine(RuleBasedStateMachine):
    """Drives a stream, and judges it by the clauses `about` whenever all that was asked for has been answered."""

    def __init__(self, node: Node, draw: Draw, about: Sequence[str], found: list[AssertionError]) -> None:
        super().__init__()
        self.found = found
        self.about = about
        # bytes that are the same whenever hypothesis plays an example again, identifiers that never are
        self.traffic = Traffic(node, Draw(0, draw.identifier(16)))
        self.topics = self.traffic.topics(SLOTS)
        self.sound = True
        self.open_stream()

    def open_stream(self) -> None:
        """Go on with a new stream that is registered for nothing."""
        self.stream: Subscription = self.traffic.node.subscribe()
        self.cursors: dict[bytes, int] = {}
        self.last_id = 0
        limits = self.traffic.node.limits
        self.updates, self.pings = limits.max_update_burst, limits.max_ping_burst

    @initialize(held=st.lists(st.integers(0, 30), min_size=SLOTS, max_size=SLOTS))
    def stock(self, held: list[int]) -> None:
        """Fill the topics, each with more or less."""
        with self.judging():
            named = [topic for topic, count in zip(self.topics, held, strict=True) for _ in range(count)]
            self.traffic.publish(*self.traffic.one_each(named))

    @rule(adds=adds, removes=st.lists(slots, max_size=2, unique=True), step=st.sampled_from([1, 1, 1, 2, 1000]))
    def update(self, adds: list[tuple[int, float | None]], removes: list[int], step: int) -> None:
        """Send an Update and wait for nothing."""
        added = {slot for slot, _ in adds}
        positions = [Position(self.topics[slot], self._cursor(self.topics[slot], place)) for slot, place in adds]
        removed = [self.topics[slot] for slot in removes if slot not in added]
        if self.updates == 0:
            return
        self.updates -= 1
        self.last_id += step
        with self.judging():
            self.stream.update(adds=positions, removes=removed, id=self.last_id)
        for topic in removed:
            self.cursors.pop(topic, None)
        for position in positions:
            self.cursors.setdefault(position.topic or b"", position.cursor or 0)

    @rule(slots=st.lists(slots, min_size=1, max_size=6))
    def publish(self, slots: list[int]) -> None:
        """Publish one request of envelopes, some of them on the same topic."""
        with self.judging():
            self.traffic.publish(*self.traffic.one_each(self.topics[slot] for slot in slots))

    @rule()
    def round_trip(self) -> None:
        """Send a Ping and wait for its Pong, then judge what has come by then."""
        if self.pings:
            self.pings -= 1
            with self.judging():
                self.stream.round_trip()
                self.traffic.judge(self.stream, *self.about)

    @rule()
    def half_close(self) -> None:
        """End the requests, wait for the end, and go on with another stream."""
        with self.judging():
            self.stream.half_close()
            status = self.stream.end()
            self.traffic.judge(self.stream, *self.about)
            if status.code is not Code.OK:
                raise Violation("wrong-code", f"Behind a half-close a stream ended {status.code.name}, not OK.")
        self.stream.close()
        self.open_stream()

    @rule()
    def catch_up(self) -> None:
        """Wait until every Update is acknowledged and everything delivered, and judge the stream."""
        with self.judging():
            self._settle()

    def teardown(self) -> None:
        """Judge the stream a last time, unless something was found or broke off."""
        try:
            if self.sound:
                with self.judging():
                    self._settle()
        finally:
            self.stream.close()

    @contextmanager
    def judging(self) -> Iterator[None]:
        """Keep the violation that is found in the block."""
        self.sound = False
        try:
            yield
        except AssertionError as violation:
            self.found.append(violation)
            raise
        self.sound = True

    def _settle(self) -> None:
        last = self.traffic.publish(*self.traffic.one_each(self.topics))
        if self.last_id:
            self.stream.applied(self.last_id)
        for meta in last:
            if self.cursors.get(meta.topic, _LAST_CURSOR) < meta.sequence_id:
                self.stream.until(meta.topic, meta.sequence_id)
        self.traffic.judge(self.stream, *self.about)

    def _cursor(self, topic: bytes, place: float | None) -> int | None:
        ids = self.traffic.ids_of(topic)
        if place is None or place == 0.0 or not ids:
            return None if place is None else 0
        if place > 1:
            return _LAST_CURSOR if place == 2 else ids[-1] + 3
        return ids[min(len(ids) - 1, int(place * len(ids)))]


def follows_the_rules(node: Node, draw: Draw, *about: str) -> None:
    """Drive streams through sequences of frames and publishes; a few examples, each of many calls.

    Raises the first thing found about the clauses named, or what a wait raises.
    """
    found: list[AssertionError] = []

    class Bound(Machine):
        def __init__(self) -> None:
            super().__init__(node, draw, about, found)

    driven(Bound, draw, found, steps=STEPS)
