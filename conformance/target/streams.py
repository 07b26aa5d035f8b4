"""The verbs of a stream: send what a client sends, wait for what must come, and see how it ends.

A wait gives up after the patience of the stream. Then the endpoint is asked something else first: if it does not answer
that either, nothing is decided; if it does, what is owed is late, which is a failure of liveness with its time.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from conformance.target.errors import Undecided
from conformance.target.stream_ends import Late, UnexpectedFrame, ended_instead
from conformance.target.stream_frames import Applied, Index, Sign, Started, ping_nonce
from conformance.target.stream_requests import ping_frame, pong_frame, update_frame
from conformance.wire.transcript import Frame, Seen, Status, StreamCall

if TYPE_CHECKING:
    from conformance.target.node import Position
    from conformance.target.stream_pace import Pace

_Found = TypeVar("_Found")

# What had been on its way when the endpoint answered something else has this long to arrive, in seconds.
_LONGEST_S = 30.0  # from when on envelopes of a long delivery buy no more time
_GRACE_S = 0.5


class Carried(Protocol):
    """A running call, by the gRPC library or by raw HTTP/2."""

    def send(self, data: bytes) -> object:
        """Send one message."""

    def half_close(self) -> None:
        """End the requests."""

    def cancel(self) -> None:
        """Give the call up."""

    def close(self) -> None:
        """Give the call up and clean up."""

    def receive(self, timeout_s: float) -> Frame | None:
        """Return the next message."""

    @property
    def status(self) -> Status | None:
        """How the call ended."""

    @property
    def call(self) -> StreamCall:
        """The record."""


class Stream:
    """What both kinds of stream have. A context manager: leaving it cancels the call.

    `patience_s` is how long its waits last, in seconds. `alive` tells whether the endpoint answers another call.
    """

    static = True

    def __init__(
        self,
        carried: Carried,
        pace: Pace,
        *,
        alive: Callable[[], bool],
        answers_here: bool = False,
        closing: Callable[[], None] | None = None,
    ) -> None:
        self.carried = carried
        self.patience_s = pace.patience_s
        self._pace = pace
        self._alive = alive
        self._answers_here = answers_here
        self._closing = closing
        self._index = Index(static=self.static)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def call(self) -> StreamCall:
        """The record of the stream up to now, as an oracle judges it."""
        return self.carried.call

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The frames of both directions up to now."""
        return self.call.frames

    @property
    def rows(self) -> tuple[Seen, ...]:
        """The envelopes delivered up to now, in their order."""
        self._take_all()
        return tuple(self._index.rows)

    def rows_of(self, topic: bytes) -> tuple[Seen, ...]:
        """The envelopes delivered on one topic up to now."""
        return tuple(row for row in self.rows if row.meta.topic == topic)

    def started(self) -> Started:
        """Wait for Started and return it."""
        return self._await(lambda: self._index.started, "Started")

    def until(self, topic: bytes, sequence_id: int, *, times: int = 1) -> None:
        """Wait until an envelope of a topic was delivered, for the nth of `times` when it is registered anew."""
        row = topic, sequence_id
        self._await(lambda: self._index.times[row] >= times or None, f"id {sequence_id} of topic {topic.hex()}")

    def end(self) -> Status:
        """Wait for the end of the stream and return its status. Undecided when this side made the status up."""
        status = self._await(lambda: self.carried.status, "its end", silence_s=0.0)
        self._take_all()
        if status.local:
            ended_instead(self.call, "any status of the target")
        return status

    def watch(self, seconds: float) -> bool:
        """Take what comes for so many seconds; say whether the stream is still open then."""
        end = time.monotonic() + seconds
        while self._take(end - time.monotonic()):
            pass
        return self.carried.status is None

    def cancel(self) -> None:
        """Give the call up: the target sees a reset stream."""
        self.carried.cancel()

    def close(self) -> None:
        """Give the call up if it still runs. May be called again."""
        self.carried.close()
        if self._closing is not None:
            self._closing()

    def _sign(self, nth: int, name: str) -> Sign:
        """Wait for the nth sign of life that silence brings about, as long as that may take by the announced time."""
        signs, interval_ms = self._index.signs, self.started().interval_ms
        silence_s = 2 * interval_ms / 1000 * max(1, nth - len(signs))
        return self._await(
            lambda: signs[nth - 1] if len(signs) >= nth else None, f"{name} number {nth}", silence_s=silence_s
        )

    def _await(self, found: Callable[[], _Found | None], what: str, *, silence_s: float | None = None) -> _Found:
        """Wait for what `found` returns. With `silence_s` that comes after so many seconds without anything to send.

        The patience begins anew with every envelope that comes, up to a limit: a long delivery is no missing one.
        """
        begun, patience_s, asked = time.monotonic(), self.patience_s + (silence_s or 0.0), False
        end, rows = begun + patience_s, len(self._index.rows)
        while (hit := found()) is None:
            if self._take(end - time.monotonic()):
                if len(self._index.rows) > rows and not asked:
                    end, rows = max(end, min(time.monotonic(), begun + _LONGEST_S) + patience_s), len(self._index.rows)
                continue
            if self.carried.status is not None:
                self._take_all()
                if (hit := found()) is not None:
                    break
                ended_instead(self.call, what)
            if time.monotonic() < end:
                continue
            if asked:
                raise self._late(what, time.monotonic() - begun)
            if not self._alive():
                raise Undecided(
                    f"{self.call.rpc} has waited {time.monotonic() - begun:.1f} s for {what}, and "
                    f"{self.call.endpoint} answers no other call either."
                )
            asked, end = True, time.monotonic() + _GRACE_S
        if silence_s is None:
            self._pace.learn(time.monotonic() - begun)
        return hit

    def _late(self, what: str, waited_s: float) -> Late:
        call = self.call
        return Late(
            call,
            f"{call.rpc} at {call.endpoint} has waited {waited_s:.1f} s for {what}; the stream is open and the "
            "endpoint answers other calls.",
        )

    def _take(self, timeout_s: float) -> bool:
        """Take one frame; False when none came in time or the stream has ended."""
        frame = self.carried.receive(max(timeout_s, 0.0))
        if frame is None:
            return False
        try:
            self._index.take(frame)
        except ValueError as error:
            call = self.call
            raise UnexpectedFrame(call, f"{call.rpc} at {call.endpoint} sent {error}.") from None
        nonce = ping_nonce(frame.data) if self._answers_here and not self.static else None
        if nonce is not None:
            with suppress(RuntimeError):  # the requests have been ended: then no Pong is owed any more
                self.carried.send(pong_frame(nonce))
        return True

    def _take_all(self) -> None:
        while self._take(0.0):
            pass


class StaticSubscription(Stream):
    """A running SubscribeStatic."""

    def kept_alive(self, nth: int = 1) -> Sign:
        """Wait for the nth Keepalive of the stream, counted from 1, and return it."""
        return self._sign(nth, "Keepalive")


class Subscription(Stream):
    """A running Subscribe. Update ids rise from 1 and nonces from 1, unless they are given."""

    static = False

    def __init__(
        self,
        carried: Carried,
        pace: Pace,
        *,
        alive: Callable[[], bool],
        answers_here: bool = False,
        closing: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(carried, pace, alive=alive, answers_here=answers_here, closing=closing)
        self._last_id = 0
        self._nonces = itertools.count(1)

    def add(self, *topics: bytes | Position) -> int:
        """Send an Update that adds topics, each from its position; bare bytes carry no cursor. Return its id."""
        return self.update(adds=topics)

    def remove(self, *topics: bytes) -> int:
        """Send an Update that removes topics; return its id."""
        return self.update(removes=topics)

    def update(
        self,
        *,
        adds: Iterable[bytes | Position] = (),
        removes: Iterable[bytes] = (),
        id: int | None = None,  # noqa: A002 - the name of the field
    ) -> int:
        """Send one Update, with the next id or the one given; return its id."""
        number = self._last_id + 1 if id is None else id
        self._last_id = max(self._last_id, number)
        self.send(update_frame(number, adds, removes))
        return number

    def ping(self, nonce: int | None = None) -> int:
        """Send a Ping; return its nonce."""
        number = next(self._nonces) if nonce is None else nonce
        self.send(ping_frame(number))
        return number

    def pong(self, nonce: int) -> None:
        """Send a Pong, asked for or not."""
        self.send(pong_frame(nonce))

    def send(self, frame: bytes) -> None:
        """Send an encoded SubscribeRequest, or something that only looks like one, exactly as given."""
        self.carried.send(frame)

    def half_close(self) -> None:
        """End the requests and go on receiving."""
        self.carried.half_close()

    def applied(self, number: int) -> Applied:
        """Wait for the Applied of an Update by its id and return it."""
        return self._await(lambda: self._index.applied.get(number), f"Applied {number}")

    def ponged(self, nonce: int, *, times: int = 1) -> None:
        """Wait for the Pong that carries a nonce, for so many of them when it was used more than once."""
        self._await(lambda: self._index.pongs[nonce] >= times or None, f"the Pong {nonce}")

    def round_trip(self) -> None:
        """Send a Ping and wait for its Pong: what the backend had sent before is here then."""
        self.ponged(self.ping())

    def pinged(self, nth: int = 1) -> Sign:
        """Wait for the nth Ping of the backend, counted from 1, and return it."""
        return self._sign(nth, "Ping")
