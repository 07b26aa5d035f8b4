"""One stream of a raw HTTP/2 connection: gRPC messages both ways, and the exact form in which it ended."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from conformance.wire.http2_grpc import Deframer, FramingError, framed, status_of
from conformance.wire.secrets import metadata_text
from conformance.wire.stream_log import StreamLog
from conformance.wire.transcript import Code, Frame, Status, StreamCall

CANCEL = 8
_SENDING_S = 10.0


class Ended(Enum):
    """In what form a stream ended, and by whom."""

    TRAILERS = "trailers behind an answer"
    TRAILERS_ONLY = "trailers only"
    NO_STATUS = "end of the stream without a status"
    RESET = "reset by the target"
    GOING_AWAY = "not taken: the target is going away"
    CONNECTION_LOST = "connection lost"
    BAD_FRAMING = "no gRPC messages"
    HERE = "given up on this side"


@dataclass(frozen=True, kw_only=True)
class Happened:
    """Something of HTTP/2 on a stream, in monotonic nanoseconds: `headers`, `data` of so many bytes, `reset`, ..."""

    at_ns: int
    what: str
    value: int = 0


class Carrier(Protocol):
    """The connection of a stream."""

    def send_data(self, number: int, data: bytes, *, timeout_s: float) -> bool:
        """Send bytes on a stream."""

    def end_requests(self, number: int) -> None:
        """End the requests of a stream."""

    def reset(self, number: int, error_code: int, *, how: Ended, why: str) -> None:
        """Reset a stream, which ends its call."""

    def open_window(self, number: int, count: int) -> None:
        """Let the target send more on a stream."""


class Http2Stream:
    """A running call; made by `Http2Connection.open`. The second half of its methods is for that connection only."""

    def __init__(self, carrier: Carrier, number: int, log: StreamLog, *, secret: str | None) -> None:
        self._carrier = carrier
        self._number = number
        self._log = log
        self._secret = secret
        self._deframer = Deframer()
        self._initial: list[tuple[str, str]] = []
        self._trailing: list[tuple[str, str]] = []
        self._answered = False
        self._half_closed = False
        self._happened: list[Happened] = []
        self.how: Ended | None = None
        self.error_code: int | None = None

    def send(self, data: bytes, *, timeout_s: float = _SENDING_S, compressed: bool = False) -> bool:
        """Send one message; False when the windows of the target did not let all of it out in `timeout_s` seconds.

        `compressed` says so to the target, of bytes that are. Raises RuntimeError after `half_close`.
        """
        if self._half_closed:
            raise RuntimeError("the requests of this stream have been ended; nothing can be sent on it any more")
        self._log.sent(data)
        return self._carrier.send_data(self._number, framed(data, compressed=compressed), timeout_s=timeout_s)

    def half_close(self) -> None:
        """End the requests and go on receiving. May be called again."""
        if not self._half_closed:
            self._half_closed = True
            self._log.half_closed()
            self._carrier.end_requests(self._number)

    def cancel(self, error_code: int = CANCEL) -> None:
        """Reset the stream with an HTTP/2 error code. Does nothing when the call has ended."""
        self._log.cancelled()
        self._carrier.reset(self._number, error_code, how=Ended.HERE, why="reset on this side")

    def close(self) -> None:
        """Cancel the call if it runs. May be called again."""
        if not self.has_ended:
            self.cancel()

    def open_window(self, count: int) -> None:
        """Let the target send `count` more bytes of framed messages on this stream."""
        self._carrier.open_window(self._number, count)

    def receive(self, timeout_s: float) -> Frame | None:
        """Return the next message, waiting at most `timeout_s` seconds; None when none came in time or the call ended.

        Messages that came before the end are returned before the end shows.
        """
        return self._log.receive(timeout_s)

    def wait_ended(self, timeout_s: float) -> bool:
        """Wait at most `timeout_s` seconds for the end of the call; say whether it has ended."""
        return self._log.wait_ended(timeout_s)

    @property
    def status(self) -> Status | None:
        """How the call ended, None while it runs."""
        return self._log.status

    @property
    def call(self) -> StreamCall:
        """The record of this stream as it is now."""
        return self._log.call

    @property
    def happened(self) -> tuple[Happened, ...]:
        """What happened on this stream in terms of HTTP/2, in order."""
        return tuple(self._happened)

    @property
    def has_ended(self) -> bool:
        """Whether the call has ended."""
        return self.how is not None

    def headers(self, headers: list[tuple[str, str]]) -> None:
        """Take the headers of the answer."""
        self._note("headers")
        self._initial = headers

    def data(self, data: bytes) -> None:
        """Take bytes of messages."""
        self._note("data", len(data))
        self._answered = True
        if self.has_ended:
            return
        try:
            for message in self._deframer.feed(data):
                self._log.received(message)
        except FramingError as error:
            self._carrier.reset(self._number, CANCEL, how=Ended.BAD_FRAMING, why=str(error))

    def trailers(self, headers: list[tuple[str, str]]) -> None:
        """Take the trailers behind an answer."""
        self._note("trailers")
        self._answered = True
        self._trailing = headers

    def closed_by_peer(self) -> None:
        """Take the end of the stream from the target."""
        self._note("end")
        only = not self._answered
        trailing = self._initial if only else self._trailing
        status = status_of(trailing, secret=self._secret)
        if self._deframer.unfinished:
            self.lost(
                Ended.BAD_FRAMING, f"the stream ended inside a message, {self._deframer.unfinished} bytes into it"
            )
        elif status is None:
            self.lost(Ended.NO_STATUS, Ended.NO_STATUS.value)
        else:
            self._end(Ended.TRAILERS_ONLY if only else Ended.TRAILERS, status)

    def reset_by_peer(self, error_code: int) -> None:
        """Take a reset from the target."""
        self._note("reset", error_code)
        if not self.has_ended:
            self.error_code = error_code
            self.lost(Ended.RESET, f"reset by the target with error code {error_code}")

    def told_to_go_away(self, error_code: int, *, unseen: bool) -> None:
        """Take it that the target takes no more streams, and will not answer this one when it is `unseen` by it."""
        if not self.has_ended:
            self._note("going away", error_code)
            if unseen:
                self.lost(Ended.GOING_AWAY, Ended.GOING_AWAY.value)

    def lost(self, how: Ended, why: str) -> None:
        """End the call without a status of the target."""
        code = Code.CANCELLED if how is Ended.HERE else Code.UNAVAILABLE
        self._end(how, Status(code=code, message=why, local=True))

    def _end(self, how: Ended, status: Status) -> None:
        if self.how is None:
            self.how = how
            self._log.ended(
                status,
                how=how.value if self.error_code is None else f"{how.value}, error code {self.error_code}",
                initial_metadata=metadata_text(self._initial, self._secret),
                trailing_metadata=metadata_text(self._trailing, self._secret),
            )

    def _note(self, what: str, value: int = 0) -> None:
        self._happened.append(Happened(at_ns=time.monotonic_ns(), what=what, value=value))
