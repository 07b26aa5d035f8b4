"""What happened on one stream, in order: filled by the thread that reads it, waited on by the one that uses it."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from conformance.wire.transcript import Frame, Status, StreamCall

HEAD_BYTES = 1024


class Kept:
    """The record of a stream for the transcript: within a budget of memory, and alive as long as its recorder.

    `spend` takes the length of a message and says whether there is room left to keep it whole.
    """

    def __init__(self, opened: StreamCall, spend: Callable[[int], bool]) -> None:
        self._lock = threading.Lock()
        self._spend = spend
        self._state = opened
        self._frames: list[Frame] = []

    def frame(self, frame: Frame) -> None:
        """Keep a message, or only its head, length and digest when the budget is spent."""
        if not self._spend(len(frame.data)):
            whole = len(frame.data), hashlib.sha256(frame.data).hexdigest()
            frame = replace(frame, data=frame.data[:HEAD_BYTES], whole=whole)
        with self._lock:
            self._frames.append(frame)

    def state(self, state: StreamCall) -> None:
        """Keep what else is known of the call."""
        with self._lock:
            self._state = state

    @property
    def call(self) -> StreamCall:
        """The record as it is now."""
        with self._lock:
            return replace(self._state, frames=tuple(self._frames))


class Keeper(Protocol):
    """Whoever keeps the records of streams: a recorder."""

    def open_stream(self, opened: StreamCall, *, secret: str | None) -> Kept:
        """Begin the record of a stream."""


class StreamLog:
    """A thread-safe log of one stream with a place up to which its user has read it."""

    def __init__(self, opened: StreamCall, *, keeper: Keeper | None = None, secret: str | None = None) -> None:
        self._changed = threading.Condition()
        self._state = opened
        self._frames: list[Frame] = []
        self._taken = 0
        self._kept = keeper.open_stream(opened, secret=secret) if keeper else None

    def sent(self, data: bytes) -> None:
        """Log a message that is about to be handed over."""
        self._add(data, sent=True)

    def received(self, data: bytes) -> None:
        """Log a message that came."""
        self._add(data, sent=False)

    def half_closed(self) -> None:
        """Log that this side ends its requests."""
        with self._changed:
            if self._state.half_closed_at is None:
                self._set(half_closed_at=len(self._frames), half_closed_ns=time.monotonic_ns())

    def cancelled(self) -> None:
        """Log that this side gives the call up."""
        with self._changed:
            if self._state.cancelled_at is None and self._state.status is None:
                self._set(cancelled_at=len(self._frames), cancelled_ns=time.monotonic_ns())

    def ended(
        self,
        status: Status,
        *,
        how: str = "",
        initial_metadata: tuple[tuple[str, str], ...] = (),
        trailing_metadata: tuple[tuple[str, str], ...] = (),
    ) -> None:
        """Log how the call ended; only the first end counts."""
        with self._changed:
            if self._state.status is None:
                self._set(
                    status=status,
                    how=how,
                    initial_metadata=initial_metadata,
                    trailing_metadata=trailing_metadata,
                    ended_ns=time.monotonic_ns(),
                )

    def receive(self, timeout_s: float) -> Frame | None:
        """Return the next message that came and was not returned before, waiting at most `timeout_s` seconds.

        None when there is none in that time, or when the call ended and all were returned.
        """
        end = time.monotonic() + timeout_s
        with self._changed:
            while True:
                while self._taken < len(self._frames):
                    frame = self._frames[self._taken]
                    self._taken += 1
                    if not frame.sent:
                        return frame
                left = end - time.monotonic()
                if self._state.status is not None or left <= 0:
                    return None
                self._changed.wait(left)

    def wait_ended(self, timeout_s: float) -> bool:
        """Wait at most `timeout_s` seconds for the end of the call; say whether it has ended."""
        with self._changed:
            return self._changed.wait_for(lambda: self._state.status is not None, timeout_s)

    @property
    def status(self) -> Status | None:
        """How the call ended, None while it runs."""
        with self._changed:
            return self._state.status

    @property
    def call(self) -> StreamCall:
        """Everything up to now."""
        with self._changed:
            return replace(self._state, frames=tuple(self._frames))

    def _add(self, data: bytes, *, sent: bool) -> None:
        with self._changed:
            frame = Frame(sent=sent, at_ns=time.monotonic_ns(), data=data)
            self._frames.append(frame)
            if self._kept:
                self._kept.frame(frame)
            self._changed.notify_all()

    def _set(self, **changes: object) -> None:
        self._state = replace(self._state, **changes)  # type: ignore[arg-type]  # the names are those of this class
        if self._kept:
            self._kept.state(self._state)
        self._changed.notify_all()
