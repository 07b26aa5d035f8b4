"""One open stream: what is sent next, what it waits for, why it ends. The two kinds are in modules of their own."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.streams.frames import Frames, Target
from conformance.reference.backend.streams.keepalive import Idle
from conformance.reference.backend.streams.output import Output
from conformance.reference.backend.streams.pump import Pump, Targets
from conformance.reference.backend.streams.subscription import Registration, Subscription
from conformance.reference.backend.streams.tail import Arrival, Tail
from conformance.reference.backend.streams.turns import Turns

LONGEST_WAIT_S = 3600.0  # a stream without an alarm still waits for a time that a lock can wait


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What every stream is made of: the first two are the endpoint's, the others belong to the stream alone."""

    tail: Tail
    targets: Targets
    subscription: Subscription
    turns: Turns
    output: Output
    pump: Pump
    idle: Idle


class EndOfStream(Exception):  # noqa: N818 - the orderly end, not an error
    """Nothing more is sent; the status is OK."""


class Stream(ABC):
    """Everything that both kinds of stream do. `changed` guards the state that the threads of a stream share."""

    clock = staticmethod(time.monotonic)

    def __init__(self, *, parts: Parts, changed: threading.Condition) -> None:
        self.parts = parts
        self.changed = changed
        self._is_gone = False
        self._failed: Failure | None = None
        self._end: Failure | EndOfStream | None = None

    @property
    @abstractmethod
    def frames(self) -> Frames:
        """The frames of this kind of stream."""

    @abstractmethod
    def opening(self) -> bytes:
        """Return the first frame."""

    @abstractmethod
    def sign_of_life(self) -> bytes:
        """Return the frame that an idle stream sends (API-255); called with `changed` held."""

    def run(self) -> Iterator[bytes]:
        """Yield the frames in order until the client goes or is done; raises the Failure that ends the stream.

        The caller asks for a frame only when the transport has taken the one before.
        """
        self.parts.tail.join(self)
        try:
            yield from self.send(self.opening())
            self.opened()
            while True:
                yield from self.send(self.next_frame())
        except EndOfStream:
            return
        finally:
            self.close()

    def send(self, frame: bytes) -> Iterator[bytes]:
        """Hand over one frame and keep the account of it."""
        with self.changed:
            self.parts.output.handed(len(frame), self.clock())
        yield frame
        with self.changed:
            self.taken(self.clock())

    def taken(self, now: float) -> None:
        """Note that the transport has taken the frame handed over; called with `changed` held."""
        self.parts.output.taken()
        self.parts.idle.sent(now)

    def opened(self) -> None:  # noqa: B027 - a static stream has no requests to read
        """Do what comes after the first frame."""

    def next_frame(self) -> bytes:
        """Return what to send next: what is pending, then envelopes; waits while there is neither."""
        while True:
            with self.changed:
                frame = self.pending_frame(self.clock())
                if frame is not None:
                    return frame
                if not self.parts.turns:
                    self.changed.wait(min(LONGEST_WAIT_S, max(0.0, min(self.alarms()) - self.clock())))
                    continue
            batch = self.parts.pump.next_batch()
            if batch.envelopes:
                return self.frames.messages(batch)

    def pending_frame(self, now: float) -> bytes | None:
        """Return the frame that goes before envelopes, None when there is none; raises when the stream ends.

        A failure that was not caused by a request ends the stream at once. The end that a request caused, its failure
        or the half-close, comes after the answers to the requests before it. Called with `changed` held.
        """
        if self._is_gone:
            raise EndOfStream
        if self._failed is not None:
            raise self._failed
        answer = self.parts.output.pop()
        if answer is not None:
            return answer
        if self._end is not None:
            raise self._end
        self.check_client(now)
        return self.sign_of_life() if now >= self.sign_of_life_at() else None

    def alarms(self) -> Iterable[float]:
        """Return the instants at which an idle stream has something to do."""
        return [self.sign_of_life_at()]

    def sign_of_life_at(self) -> float:
        """Return the instant of the next sign of life."""
        return self.parts.idle.due_at()

    def check_client(self, now: float) -> None:  # noqa: B027 - a static stream cannot ask its client
        """Raise the Failure for a client that has not shown that it lives."""

    def register(self, added: Sequence[Registration]) -> list[Target]:
        """Watch the topics, and only then read their heads, so that nothing is missed between (API-252)."""
        self.parts.tail.watch(self, [registration.topic for registration in added])
        heads = self.parts.targets.read(added)
        return [(registration.topic, head) for registration, head in zip(added, heads, strict=True)]

    def activate(self, added: Sequence[Registration], targets: Sequence[Target]) -> None:
        """Let registrations deliver; called with `changed` held, when the frame with their targets goes first."""
        for registration, (_, head) in zip(added, targets, strict=True):
            self.parts.turns.begin(registration, has_rows=head > registration.cursor)

    def arrived(self, arrival: Arrival) -> None:
        """Take note of a row that has become visible on a watched topic."""
        with self.changed:
            registration = self.parts.subscription.registered.get(arrival.topic)
            if registration is not None and arrival.sequence_id > registration.cursor:
                self.parts.turns.wake(registration)
                self.parts.output.arrived(arrival.length)
                self.changed.notify_all()

    def check_reader(self, now: float) -> None:
        """Fail the stream when its client has stopped reading and its output cannot be held (API section 5)."""
        with self.changed:
            is_over = self._failed is None and self.parts.output.is_over(now)
        if is_over:
            self.overflow()

    def overflow(self) -> None:
        """End the stream because its output cannot be queued; what it owes is not sent."""
        self.fail(Failure(Code.RESOURCE_EXHAUSTED, "the client does not read and the output is past its bound"))

    def fail(self, failure: Failure) -> None:
        """End the stream at once, with the status of the failure."""
        with self.changed:
            self._failed = self._failed or failure
            self.changed.notify_all()

    def end_after_answers(self, end: Failure | EndOfStream) -> None:
        """End the stream when the answers that are queued have been sent."""
        with self.changed:
            self._end = self._end or end
            self.changed.notify_all()

    def gone(self) -> None:
        """Note that the call is over, whatever the reason."""
        with self.changed:
            self._is_gone = True
            self.changed.notify_all()

    def close(self) -> None:
        """Give up the registrations."""
        with self.changed:
            self._is_gone = True
        self.parts.tail.leave(self)
