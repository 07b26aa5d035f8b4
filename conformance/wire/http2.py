"""A raw HTTP/2 client for what the gRPC library hides: windows that stay closed, resets, and who ended what.

Plaintext only. Messages are framed as gRPC does it; the status of a stream is one that was received, or else local.
"""

from __future__ import annotations

import contextlib
import itertools
import socket
import struct
import threading
import time
from typing import TYPE_CHECKING

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import h2.settings

from conformance.wire.http2_going_away import FrameTooLongError, GoawayFilter, GoingAway
from conformance.wire.http2_stream import Ended, Http2Stream
from conformance.wire.recorder import Recorder, current_recorder
from conformance.wire.secrets import metadata_text
from conformance.wire.stream_log import StreamLog
from conformance.wire.transcript import StreamCall

if TYPE_CHECKING:
    from collections.abc import Iterable

DEFAULT_WINDOW = 65_535
LARGEST_WINDOW = (1 << 31) - 1

_CONNECT_S = 10.0
_SENDING_S = 20.0
_CLOSING_S = 5.0
_READ_BYTES = 65_536
_HEADER_BYTES = 8 * 1024 * 1024

_numbers = itertools.count(1)


class Http2Connection:
    """One TCP connection to `address` ("host:port") that speaks HTTP/2 from the start.

    Every stream begins with a window of `stream_window` bytes for what the target may send; 0 lets it send no message
    at all. A window grows by nothing but `Http2Stream.open_window`. The window of the connection is always open, so
    that no stream waits for another. Raises OSError when no connection comes about.
    """

    def __init__(
        self,
        address: str,
        *,
        stream_window: int = DEFAULT_WINDOW,
        token: str | None = None,
        recorder: Recorder | None = None,
    ) -> None:
        self.address = address
        self._token = token
        self._recorder = recorder
        self._changed = threading.Condition()
        self._streams: dict[int, Http2Stream] = {}
        self._lost: str | None = None
        self._going_away = False
        self._filter = GoawayFilter()
        host, _, port = address.rpartition(":")
        self._socket = socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.settimeout(None)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", int(_SENDING_S), 0))
        config = h2.config.H2Configuration(client_side=True, header_encoding="utf-8", validate_inbound_headers=False)
        self._h2 = h2.connection.H2Connection(config)
        codes = h2.settings.SettingCodes
        self._h2.local_settings = h2.settings.Settings(
            client=True,
            initial_values={
                codes.ENABLE_PUSH: 0,
                codes.INITIAL_WINDOW_SIZE: stream_window,
                codes.MAX_HEADER_LIST_SIZE: _HEADER_BYTES,
            },
        )
        with self._changed:
            self._h2.initiate_connection()
            self._h2.increment_flow_control_window(LARGEST_WINDOW - DEFAULT_WINDOW)
            self._flush()
        self._reader = threading.Thread(target=self._read, name=f"HTTP/2 reader of {address}", daemon=True)
        self._reader.start()

    def open(self, method: str, *, metadata: Iterable[tuple[str, str]] = ()) -> Http2Stream:
        """Begin a call to `method` ("/package.Service/Method"): its headers are sent at once, no message yet.

        Raises RuntimeError when the connection is closed or lost.
        """
        recorder = self._recorder or current_recorder()
        sent = [*metadata, *([] if self._token is None else [("authorization", f"Bearer {self._token}")])]
        headers = [
            (":method", "POST"),
            (":scheme", "http"),
            (":path", method),
            (":authority", self.address),
            ("te", "trailers"),
            ("content-type", "application/grpc"),
            ("user-agent", "xmtp-conformance"),
            *sent,
        ]
        with self._changed:
            if self._lost is not None or self._going_away:
                why = self._lost or "the target is going away"
                raise RuntimeError(f"the connection to {self.address} cannot be used any more: {why}")
            number = self._h2.get_next_available_stream_id()
            opened = StreamCall(
                number=recorder.next_number() if recorder else next(_numbers),
                endpoint=self.address,
                method=method,
                request_metadata=metadata_text(sent, self._token),
                started_ns=time.monotonic_ns(),
            )
            log = StreamLog(opened, keeper=recorder, secret=self._token)
            stream = self._streams[number] = Http2Stream(self, number, log, secret=self._token)
            self._h2.send_headers(number, headers)
            self._flush()
        return stream

    def close(self) -> None:
        """Close the TCP connection; streams still running end here. May be called again."""
        self._lose("closed on this side", by_peer=False)
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._reader.join(_CLOSING_S)
        self._socket.close()

    def send_data(self, number: int, data: bytes, *, timeout_s: float) -> bool:
        """Send bytes on a stream as the windows of the target allow; False when they do not in `timeout_s` seconds.

        Bytes on a stream that has ended go nowhere.
        """
        end, rest = time.monotonic() + timeout_s, memoryview(data)
        with self._changed:
            while rest and self._is_writable(number):
                room = min(self._h2.local_flow_control_window(number), self._h2.max_outbound_frame_size, len(rest))
                if room > 0:
                    self._h2.send_data(number, bytes(rest[:room]))
                    self._flush()
                    rest = rest[room:]
                elif not self._changed.wait(end - time.monotonic()):
                    return False
        return True

    def end_requests(self, number: int) -> None:
        """Send the end of the requests of a stream."""
        with self._changed:
            if self._is_writable(number):
                self._h2.end_stream(number)
                self._flush()

    def reset(self, number: int, error_code: int, *, how: Ended, why: str) -> None:
        """Reset a stream with an HTTP/2 error code, which ends its call; does nothing when that has ended."""
        with self._changed:
            if self._is_writable(number):
                with contextlib.suppress(h2.exceptions.ProtocolError):
                    self._h2.reset_stream(number, error_code)
                self._flush()
                self._streams[number].lost(how, why)
                self._changed.notify_all()

    def open_window(self, number: int, count: int) -> None:
        """Let the target send `count` more bytes on a stream."""
        with self._changed:
            if self._is_writable(number):
                with contextlib.suppress(h2.exceptions.StreamClosedError):
                    self._h2.increment_flow_control_window(count, number)
                self._flush()

    def _is_writable(self, number: int) -> bool:
        return self._lost is None and not self._streams[number].has_ended

    def _flush(self) -> None:
        data = self._h2.data_to_send()
        if data:
            try:
                self._socket.sendall(data)
            except OSError as error:
                self._lose(f"it broke ({type(error).__name__})", by_peer=True)

    def _read(self) -> None:
        why = "the target closed it"
        while True:
            try:
                data = self._socket.recv(_READ_BYTES)
            except OSError as error:
                why = f"it broke ({type(error).__name__})"
                break
            if not data:
                break
            with self._changed:
                try:
                    for part in self._filter.feed(data):
                        self._take(part)
                except (h2.exceptions.ProtocolError, FrameTooLongError) as error:
                    why = f"what came is no HTTP/2 ({type(error).__name__})"
                    self._flush()
                    break
                self._flush()
                self._changed.notify_all()
        self._lose(why, by_peer=True)

    def _take(self, part: bytes | GoingAway) -> None:
        if isinstance(part, GoingAway):
            self._going_away = True
            for number, stream in self._streams.items():
                stream.told_to_go_away(part.error_code, unseen=number > part.last_stream)
            return
        for event in self._h2.receive_data(part):
            self._handle(event)

    def _handle(self, event: h2.events.Event) -> None:
        stream = self._streams.get(getattr(event, "stream_id", None) or 0)
        if stream is None:
            return
        if isinstance(event, h2.events.DataReceived):
            count = event.flow_controlled_length or 0
            if count:
                self._h2.increment_flow_control_window(count)  # of the connection; that of the stream stays
            stream.data(event.data or b"")
        elif isinstance(event, h2.events.ResponseReceived):
            stream.headers(_pairs(event.headers))
        elif isinstance(event, h2.events.TrailersReceived):
            stream.trailers(_pairs(event.headers))
        elif isinstance(event, h2.events.StreamEnded):
            stream.closed_by_peer()
        elif isinstance(event, h2.events.StreamReset) and event.remote_reset:
            stream.reset_by_peer(int(event.error_code or 0))

    def _lose(self, why: str, *, by_peer: bool) -> None:
        with self._changed:
            if self._lost is None:
                self._lost = why
            for stream in self._streams.values():
                stream.lost(Ended.CONNECTION_LOST if by_peer else Ended.HERE, why)
            self._changed.notify_all()


def _pairs(headers: object) -> list[tuple[str, str]]:
    return [(_text(name), _text(value)) for name, value in headers or ()]  # type: ignore[attr-defined]  # loosely typed by h2


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
