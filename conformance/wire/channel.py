"""One gRPC channel without opinions: bytes in, bytes out, no retries, and every call on record."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import grpc

from conformance.wire.locality import made_here
from conformance.wire.recorder import Recorder, current_recorder
from conformance.wire.secrets import masked_bytes, masked_text, metadata_text
from conformance.wire.transcript import Call, Code, Status

DEFAULT_DEADLINE_S = 20.0

_DETAILS_KEY = "grpc-status-details-bin"
_ONLY_IDENTITY = 1
_METADATA_BYTES = 8 * 1024 * 1024

_OPTIONS: tuple[tuple[str, int], ...] = (
    ("grpc.enable_retries", 0),  # a hidden retry would be a call that no transcript shows
    ("grpc.enable_http_proxy", 0),
    ("grpc.max_receive_message_length", -1),  # limits are the target's to enforce; ours would look like its answer
    ("grpc.max_send_message_length", -1),
    ("grpc.absolute_max_metadata_size", _METADATA_BYTES),  # beyond it this side would change the code of a long status
    ("grpc.http2.bdp_probe", 0),  # probing reads ahead, and a slow reader could not be played
    ("grpc.compression_enabled_algorithms_bitset", _ONLY_IDENTITY),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
)
_OWN_TCP_CONNECTION = ("grpc.use_local_subchannel_pool", 1)

_numbers = itertools.count(1)


@dataclass(frozen=True, kw_only=True)
class BegunStream:
    """A streaming call that has just been started, and where it went."""

    running: grpc._CallIterator[bytes]  # the name its stubs give to what the library returns
    address: str
    request_metadata: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class End:
    """How a call ended: its status and the metadata of the answer as text."""

    status: Status
    initial_metadata: tuple[tuple[str, str], ...]
    trailing_metadata: tuple[tuple[str, str], ...]


class Connection:
    """A plaintext gRPC connection to `address` ("host:port"), safe to use from several threads.

    Equal connections of one process share a TCP connection, as gRPC does; `fresh=True` gives one of its own.
    Calls are kept by `recorder`, or else by the recorder of the running case (see `recording`).
    `token` is sent as a bearer credential and appears nowhere else.
    """

    def __init__(
        self, address: str, *, token: str | None = None, recorder: Recorder | None = None, fresh: bool = False
    ) -> None:
        self._token = token
        self._recorder = recorder
        self._lock = threading.Lock()
        self._retired: list[grpc.Channel] = []
        self._closed = False
        self._address = address
        self._open(address, fresh=fresh)

    def _open(self, address: str, *, fresh: bool) -> None:
        options = [*_OPTIONS, _OWN_TCP_CONNECTION] if fresh else list(_OPTIONS)
        # The scheme keeps a host named like a gRPC name scheme ("unix", "xds") from being read as one.
        self._channel = grpc.insecure_channel(f"dns:///{address}", options=options)
        self._callables: dict[str, grpc.UnaryUnaryMultiCallable[bytes, bytes]] = {}
        self._address = address

    @property
    def address(self) -> str:
        """The "host:port" that calls go to."""
        return self._address

    def unary(
        self,
        method: str,
        request: bytes,
        *,
        deadline_s: float = DEFAULT_DEADLINE_S,
        metadata: Iterable[tuple[str, str | bytes]] = (),
    ) -> Call:
        """Send `request` to `method` ("/package.Service/Method") and return what came of it, whatever the status.

        `deadline_s` is in seconds; when it is over the call ends with a local DEADLINE_EXCEEDED.
        Raises RuntimeError when the connection has been closed.
        """
        recorder = self._recorder or current_recorder()
        number = recorder.next_number() if recorder else next(_numbers)
        sent = [*metadata, *self._credential()]
        address, callable_ = self._callable(method)
        response: bytes | None = None
        ended: grpc.Call
        started_ns = time.monotonic_ns()
        try:
            response, ended = callable_.with_call(request, timeout=deadline_s, metadata=tuple(sent))
        except grpc.RpcError as error:
            if not isinstance(error, grpc.Call):
                raise
            ended = error
        ended_ns = time.monotonic_ns()
        initial = tuple(ended.initial_metadata() or ())
        trailing = tuple(ended.trailing_metadata() or ())
        call = Call(
            number=number,
            endpoint=address,
            method=method,
            request=request,
            response=response,
            status=self._status(ended, trailing, elapsed_s=(ended_ns - started_ns) / 1e9, deadline_s=deadline_s),
            request_metadata=metadata_text(sent, self._token),
            initial_metadata=metadata_text(initial, self._token),
            trailing_metadata=metadata_text(trailing, self._token),
            started_ns=started_ns,
            ended_ns=ended_ns,
        )
        if recorder:
            recorder.record(call, secret=self._token)
        return call

    def unary_abandoned(self, method: str, request: bytes, *, after_s: float, disconnect: bool = False) -> Call:
        """Send `request` as `unary` does, and give the call up when there is no answer within `after_s` seconds.

        Giving up resets the stream of the call or, with `disconnect`, closes this connection for good, which should be
        a `fresh` one. The call that is returned ended with the status of the target if that was faster, and else with a
        local CANCELLED: then the request may have reached the target or not, and been carried out or not.
        """
        recorder = self._recorder or current_recorder()
        number = recorder.next_number() if recorder else next(_numbers)
        sent = self._credential()
        address, callable_ = self._callable(method)
        response: bytes | None = None
        started_ns = time.monotonic_ns()
        running = callable_.future(request, timeout=DEFAULT_DEADLINE_S, metadata=tuple(sent))
        status = Status(code=Code.CANCELLED, message="given up by the caller", local=True)
        try:
            response = running.result(timeout=after_s)
        except grpc.FutureTimeoutError:
            if not disconnect:
                running.cancel()
        except grpc.RpcError:
            trailing = tuple(running.trailing_metadata() or ())
            elapsed_s = (time.monotonic_ns() - started_ns) / 1e9
            status = self._status(running, trailing, elapsed_s=elapsed_s, deadline_s=DEFAULT_DEADLINE_S)
        else:
            status = Status(code=Code.OK)
        if disconnect:
            self.close()
        call = Call(
            number=number,
            endpoint=address,
            method=method,
            request=request,
            response=response,
            status=status,
            request_metadata=metadata_text(sent, self._token),
            started_ns=started_ns,
            ended_ns=time.monotonic_ns(),
        )
        if recorder:
            recorder.record(call, secret=self._token)
        return call

    def begin_stream(self, method: str, requests: Iterator[bytes], *, deadline_s: float | None) -> BegunStream:
        """Start a streaming call that takes its messages from `requests`, on a thread of the library.

        For `stream.open_stream`, which keeps the record. Raises RuntimeError when the connection has been closed.
        """
        sent = self._credential()
        with self._lock:
            self._check_open()
            callable_: grpc.StreamStreamMultiCallable[bytes, bytes] = self._channel.stream_stream(method)
            running = callable_(requests, timeout=deadline_s, metadata=tuple(sent))
            return BegunStream(
                running=running, address=self._address, request_metadata=metadata_text(sent, self._token)
            )

    def end_of(self, ended: grpc.Call, *, elapsed_s: float, deadline_s: float) -> End:
        """Read how a call ended that took `elapsed_s` of its `deadline_s` seconds; waits for its end."""
        trailing = tuple(ended.trailing_metadata() or ())
        return End(
            status=self._status(ended, trailing, elapsed_s=elapsed_s, deadline_s=deadline_s),
            initial_metadata=metadata_text(tuple(ended.initial_metadata() or ()), self._token),
            trailing_metadata=metadata_text(trailing, self._token),
        )

    @property
    def recorder(self) -> Recorder | None:
        """The recorder given to this connection; without one, that of the running case takes the calls."""
        return self._recorder

    @property
    def secret(self) -> str | None:
        """The token, for whoever has to mask it or send it in a way of its own."""
        return self._token

    def reconnect(self, address: str | None = None) -> None:
        """Send later calls over a new TCP connection, to `address` if given, without waiting for a back-off to end.

        Calls that are still running finish on the old one.
        """
        with self._lock:
            self._check_open()
            self._retired.append(self._channel)
            self._open(address or self._address, fresh=True)

    def close(self) -> None:
        """Close the connection; calls still running end with a local CANCELLED. May be called again."""
        with self._lock:
            self._closed = True
            for channel in (*self._retired, self._channel):
                channel.close()
            self._retired.clear()

    def _credential(self) -> list[tuple[str, str | bytes]]:
        return [] if self._token is None else [("authorization", f"Bearer {self._token}")]

    def _callable(self, method: str) -> tuple[str, grpc.UnaryUnaryMultiCallable[bytes, bytes]]:
        with self._lock:
            self._check_open()
            if method not in self._callables:
                # no serializers: the bytes given are the bytes sent, and the bytes received are the answer
                self._callables[method] = self._channel.unary_unary(method)
            return self._address, self._callables[method]

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError(f"the connection to {self._address} has been closed")

    def _status(
        self, ended: grpc.Call, trailing: tuple[tuple[str, str | bytes], ...], *, elapsed_s: float, deadline_s: float
    ) -> Status:
        code = Code(ended.code().value[0])
        message = ended.details() or ""
        details = next((value for key, value in trailing if key == _DETAILS_KEY and isinstance(value, bytes)), None)
        return Status(
            code=code,
            message=masked_text(message, self._token),
            local=made_here(code, message, elapsed_s=elapsed_s, deadline_s=deadline_s),
            details_bin=None if details is None else masked_bytes(details, self._token),
        )
