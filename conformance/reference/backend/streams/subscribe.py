"""Subscribe: the client adds and removes topics, and both sides ask each other for a Pong."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator, Sequence

from conformance.pb.backend_pb2 import SubscribeRequest
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.streams.buckets import Buckets
from conformance.reference.backend.streams.checks import RequestChecks
from conformance.reference.backend.streams.frames import SubscribeFrames, Target
from conformance.reference.backend.streams.keepalive import Challenge
from conformance.reference.backend.streams.stream import EndOfStream, Parts, Stream
from conformance.reference.backend.streams.subscription import Change

_log = logging.getLogger(__name__)


class SubscribeStream(Stream):
    """One Subscribe call. Its requests are handled one after the other by a thread of their own."""

    def __init__(
        self,
        *,
        parts: Parts,
        changed: threading.Condition,
        frames: SubscribeFrames,
        checks: RequestChecks,
        buckets: Buckets,
        challenge: Challenge,
        requests: Iterator[bytes],
    ) -> None:
        super().__init__(parts=parts, changed=changed)
        self._frames = frames
        self.checks = checks
        self.buckets = buckets
        self.challenge = challenge
        self.requests = requests

    @property
    def frames(self) -> SubscribeFrames:
        """The frames of this kind of stream."""
        return self._frames

    def opening(self) -> bytes:
        """Return Started (API-250)."""
        return self.frames.started()

    def opened(self) -> None:
        """Read requests only now that Started is out (API-250)."""
        threading.Thread(target=self.read_requests, name="requests of a stream", daemon=True).start()

    def read_requests(self) -> None:
        """Handle the request frames in order, until the client ends them, one fails, or the call is over."""
        try:
            for request in self.requests:
                self.on_request(request)
            self.on_half_close()
        except Failure as failure:
            self.end_after_answers(failure)
        except Exception:  # noqa: BLE001 - whatever it was, the client gets a status and the log the traceback
            _log.exception("a request frame failed unexpectedly")
            self.fail(Failure(Code.INTERNAL, "the backend failed"))

    def on_request(self, request: bytes) -> None:
        """Handle one request frame; raises the Failure that ends the stream."""
        frame = self.checks.frame(request)
        if frame.HasField("update"):
            self.on_update(frame.update)
        elif frame.HasField("ping"):
            self.on_ping(frame.ping.nonce)
        else:
            self.on_pong(frame.pong.nonce)

    def on_update(self, update: SubscribeRequest.Update) -> None:
        """Apply an update as a whole and acknowledge it, or refuse it as a whole (API-251, API-252)."""
        self.buckets.update(self.clock())
        self.checks.update(update, self.parts.subscription)
        with self.changed:
            change = self.parts.subscription.apply(update)
        self.parts.tail.unwatch(self, [registration.topic for registration in change.removed])
        self.acknowledge(update, change, self.register(change.added))

    def acknowledge(self, update: SubscribeRequest.Update, change: Change, targets: Sequence[Target]) -> None:
        """Queue Applied, and from then on deliver the new registrations (API-252)."""
        applied = self.applied(update, targets)
        with self.changed:
            self.parts.output.push(applied)
            self.activate(change.added, targets)
            self.changed.notify_all()

    def applied(self, update: SubscribeRequest.Update, targets: Sequence[Target]) -> bytes:
        """Return the Applied of an update: the new registrations only, in add order."""
        return self.frames.applied(update.id, targets)

    def on_ping(self, nonce: int) -> None:
        """Answer a Ping with its nonce (API-256)."""
        self.buckets.ping(self.clock())
        with self.changed:
            self.parts.output.push(self.frames.pong(nonce))
            self.changed.notify_all()

    def on_pong(self, nonce: int) -> None:
        """Take the answer to a Ping; one that answers nothing is ignored."""
        with self.changed:
            self.challenge.answer(nonce)
            self.changed.notify_all()

    def on_half_close(self) -> None:
        """End OK once the updates and Pings received are answered, whatever else is going on (API-259)."""
        self.end_after_answers(EndOfStream())

    def taken(self, now: float) -> None:
        """Note that the transport has taken a frame, which may be the Ping."""
        super().taken(now)
        self.challenge.taken(now)

    def sign_of_life(self) -> bytes:
        """Return a Ping and open its challenge."""
        return self.frames.ping(self.challenge.ask())

    def sign_of_life_at(self) -> float:
        """Return the instant of the next Ping: never while one is unanswered (API-257)."""
        return float("inf") if self.challenge.is_open else super().sign_of_life_at()

    def alarms(self) -> Iterable[float]:
        """Return the instants of the next Ping and of the missed Pong, one of which exists."""
        deadline = self.challenge.due_at()
        return [self.sign_of_life_at()] if deadline is None else [self.sign_of_life_at(), deadline]

    def check_client(self, now: float) -> None:
        """Fail the stream when its Ping was not answered in time (API-257)."""
        self.check_pong(now)

    def check_pong(self, now: float) -> None:
        """Raise DEADLINE_EXCEEDED when the Pong is missed."""
        if self.challenge.is_missed(now):
            raise Failure(Code.DEADLINE_EXCEEDED, "no Pong arrived in time")
