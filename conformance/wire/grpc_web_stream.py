"""One stream over gRPC-Web: one request, then messages as they come, read from a TCP connection of its own."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import httpx

from conformance.wire.grpc_web_frames import Outcome, WebReply
from conformance.wire.grpc_web_http import ends_by_itself, local_status, timeouts
from conformance.wire.transcript import Code, Frame, Status, StreamCall

if TYPE_CHECKING:
    from conformance.wire.stream_log import StreamLog

_CLOSING_S = 5.0
_CONNECTED = "connection.connect_tcp.complete"


class WebStream:
    """A running call; made by `WebConnection.open_stream`. Its only request has been sent with it."""

    def __init__(self, client: httpx.Client, post: httpx.Request, log: StreamLog, *, secret: str | None) -> None:
        self._client = client
        self._log = log
        self._secret = secret
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._given_up = False
        post.extensions["timeout"] = timeouts(None).as_dict()
        post.extensions["trace"] = self._traced
        self._reader = threading.Thread(target=self._read, args=(post,), name="reader of gRPC-Web", daemon=True)
        self._reader.start()

    def send(self, data: bytes) -> None:
        """Raise RuntimeError: a page can send no more than the one request."""
        raise RuntimeError(f"over gRPC-Web {len(data)} bytes more cannot be sent on a stream")

    def half_close(self) -> None:
        """Do nothing: the requests have been ended with the first."""

    def cancel(self) -> None:
        """Give the call up: the target sees a connection that breaks. Does nothing when the call has ended."""
        self._log.cancelled()
        with self._lock:
            self._given_up = True
            if self._socket is not None:
                with contextlib.suppress(OSError):
                    self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Cancel the call if it runs, and wait until its thread is done with it. May be called again."""
        if self._log.status is None:
            self.cancel()
        self._reader.join(_CLOSING_S)

    def receive(self, timeout_s: float) -> Frame | None:
        """Return the next message, waiting at most `timeout_s` seconds; None when none came in time or the call ended.

        Messages that came before the end are returned before the end shows.
        """
        return self._log.receive(timeout_s)

    @property
    def status(self) -> Status | None:
        """How the call ended, None while it runs."""
        return self._log.status

    @property
    def call(self) -> StreamCall:
        """The record of this stream as it is now."""
        return self._log.call

    def _traced(self, event: str, facts: Mapping[str, Any]) -> None:
        if event == _CONNECTED:
            with self._lock:
                self._socket = facts["return_value"].get_extra_info("socket")

    def _read(self, post: httpx.Request) -> None:
        with self._client:
            outcome = self._outcome(post)
        with self._lock:
            self._socket = None
            given_up = self._given_up
        if given_up and outcome.status.local:
            outcome = Outcome(
                status=Status(code=Code.CANCELLED, message="given up on this side", local=True), initial=outcome.initial
            )
        self._log.ended(outcome.status, initial_metadata=outcome.initial, trailing_metadata=outcome.trailing)

    def _outcome(self, post: httpx.Request) -> Outcome:
        reply: WebReply | None = None
        try:
            response = self._client.send(post, stream=True)
            reply = WebReply(response.status_code, response.headers.multi_items(), secret=self._secret)
            for piece in response.iter_raw():
                for message in reply.feed(piece):
                    self._log.received(message)
        except httpx.HTTPError as error:
            status = local_status(error)
            return reply.broken_off(status) if reply else Outcome(status=status)
        outcome = reply.end()
        if outcome.spoke_grpc or ends_by_itself(response):
            return outcome
        return reply.broken_off(Status(code=Code.UNAVAILABLE, message="the reply may have been cut", local=True))
