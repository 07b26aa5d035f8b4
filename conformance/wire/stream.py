"""A stream over a connection, through the gRPC library: bytes in, bytes out, and its requests end only when told.

The library reads ahead of its user without a way to stop it; `http2` has a client that can leave a stream unread.
"""

from __future__ import annotations

import itertools
import math
import queue
import threading
import time
from collections.abc import Callable, Iterator

import grpc

from conformance.wire.channel import Connection
from conformance.wire.recorder import current_recorder
from conformance.wire.stream_log import StreamLog
from conformance.wire.transcript import Frame, Status, StreamCall

# Given a message that came, what to send at once (None: nothing). Called on the thread that reads the stream.
Respond = Callable[[bytes], bytes | None]

_CLOSING_S = 5.0

_numbers = itertools.count(1)


class _Requests(Iterator[bytes]):
    """The requests as the library takes them: it waits here for the next one, and its stop is the half-close."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

    def put(self, data: bytes) -> None:
        self._waiting.put(data)

    def end(self) -> None:
        self._waiting.put(None)

    def __next__(self) -> bytes:
        data = self._waiting.get()
        if data is None:
            raise StopIteration
        return data


class Stream:
    """A running streaming call; made by `open_stream`. Safe to use from several threads, one of which receives."""

    def __init__(
        self, connection: Connection, method: str, *, deadline_s: float | None = None, respond: Respond | None = None
    ) -> None:
        recorder = connection.recorder or current_recorder()
        self._connection = connection
        self._deadline_s = deadline_s
        self._respond = respond
        self._requests = _Requests()
        self._lock = threading.Lock()
        self._closed_to_requests = False
        started_ns = time.monotonic_ns()
        begun = connection.begin_stream(method, self._requests, deadline_s=deadline_s)
        self._running = begun.running
        self._log = StreamLog(
            StreamCall(
                number=recorder.next_number() if recorder else next(_numbers),
                endpoint=begun.address,
                method=method,
                request_metadata=begun.request_metadata,
                started_ns=started_ns,
            ),
            keeper=recorder,
            secret=connection.secret,
        )
        self._reader = threading.Thread(target=self._read, name=f"reader of {method}", daemon=True)
        self._reader.start()

    def send(self, data: bytes) -> None:
        """Send one message. Raises RuntimeError after `half_close`; on a stream that has ended it goes nowhere."""
        with self._lock:
            if self._closed_to_requests:
                raise RuntimeError("the requests of this stream have been ended; nothing can be sent on it any more")
            self._log.sent(data)
            self._requests.put(data)

    def half_close(self) -> None:
        """End the requests and go on receiving. May be called again."""
        with self._lock:
            if not self._closed_to_requests:
                self._closed_to_requests = True
                self._log.half_closed()
                self._requests.end()

    def cancel(self) -> None:
        """Give the call up: the target sees a reset stream. Does nothing when the call has ended."""
        self._log.cancelled()
        self._running.cancel()

    def close(self) -> None:
        """Cancel the call if it runs, and wait until its threads are done with it. May be called again."""
        if self._log.status is None:
            self.cancel()
        self._reader.join(_CLOSING_S)

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

    def _read(self) -> None:
        try:
            for data in self._running:
                self._log.received(data)
                self._answer(data)
        except grpc.RpcError:
            pass  # the status is read from the call, whatever it is
        elapsed_s = (time.monotonic_ns() - self._log.call.started_ns) / 1e9
        deadline_s = math.inf if self._deadline_s is None else self._deadline_s
        end = self._connection.end_of(self._running, elapsed_s=elapsed_s, deadline_s=deadline_s)
        self._log.ended(end.status, initial_metadata=end.initial_metadata, trailing_metadata=end.trailing_metadata)
        self._requests.end()  # lets the thread of the library go that waits for the next request

    def _answer(self, data: bytes) -> None:
        answer = None if self._respond is None else self._respond(data)
        if answer is None:
            return
        with self._lock:
            if not self._closed_to_requests:
                self._log.sent(answer)
                self._requests.put(answer)


def open_stream(
    connection: Connection,
    method: str,
    *,
    request: bytes | None = None,
    deadline_s: float | None = None,
    respond: Respond | None = None,
) -> Stream:
    """Open a streaming call to `method`; with a `request`, one whose only request that is (a server stream).

    Without `deadline_s` (seconds) no time limit travels with the call, so that a DEADLINE_EXCEEDED can only have been
    received. `respond` answers messages as they come. Raises RuntimeError when the connection has been closed.
    """
    stream = Stream(connection, method, deadline_s=deadline_s, respond=respond)
    if request is not None:
        stream.send(request)
        stream.half_close()
    return stream
