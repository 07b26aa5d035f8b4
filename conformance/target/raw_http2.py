"""Calls by raw HTTP/2: with a compression of the request, or to tell what the target really sent.

The gRPC library compresses only what becomes shorter, and makes up codes that a target may send as well.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from conformance.target.errors import Undecided
from conformance.wire.channel import DEFAULT_DEADLINE_S
from conformance.wire.http2 import LARGEST_WINDOW, Http2Connection
from conformance.wire.transcript import Call, Code, StreamCall

if TYPE_CHECKING:
    from conformance.target.node import Node
    from conformance.wire.http2_stream import Http2Stream

# How a message is compressed under each name of `grpc-encoding`; `deflate` is what zlib calls its format.
ENCODERS: Mapping[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "deflate": zlib.compress}

# The library gives these codes to what it cannot read, and to streams that are reset or lost.
_DOUBTFUL = frozenset(
    {
        Code.CANCELLED,
        Code.UNKNOWN,
        Code.DEADLINE_EXCEEDED,
        Code.RESOURCE_EXHAUSTED,
        Code.INTERNAL,
        Code.UNAVAILABLE,
    }
)


@contextmanager
def raw_stream(node: Node, method: str, *, encoding: str | None = None) -> Iterator[Http2Stream]:
    """Begin a call on a connection of its own whose headers name a compression, `identity` included.

    Raises Undecided when no connection comes about.
    """
    own = node.connection
    metadata = [] if encoding is None else [("grpc-encoding", encoding)]
    try:
        connection = Http2Connection(
            own.address, stream_window=LARGEST_WINDOW // 2, token=own.secret, recorder=own.recorder
        )
    except OSError as error:
        raise Undecided(f"No HTTP/2 connection to {own.address} came about: {error}.") from None
    try:
        try:
            stream = connection.open(method, metadata=metadata)
        except RuntimeError as error:
            raise Undecided(f"No call could be begun: {error}.") from None
        yield stream
    finally:
        connection.close()


def raw_call(
    node: Node, method: str, request: bytes, *, encoding: str | None = None, compressed: bool = False
) -> StreamCall:
    """Make a unary call; `compressed` says that `request` is compressed by `encoding`.

    The status is one the target sent unless it is local. Raises Undecided when none comes in 20 seconds, and when the
    request cannot be sent in as many: of a part of it the target would tell something else.
    """
    with raw_stream(node, method, encoding=encoding) as stream:
        if not stream.send(request, compressed=compressed, timeout_s=DEFAULT_DEADLINE_S):
            raise Undecided(f"{stream.call.endpoint} did not take the whole request in {DEFAULT_DEADLINE_S:.0f} s.")
        stream.half_close()
        return ended(stream)


def ended(stream: Http2Stream) -> StreamCall:
    """Wait for the end of a stream and return its record. Raises Undecided when it does not end in 20 seconds."""
    if not stream.wait_ended(DEFAULT_DEADLINE_S):
        raise Undecided(f"{stream.call.rpc} at {stream.call.endpoint} did not end in {DEFAULT_DEADLINE_S:.0f} s.")
    return stream.call


def confirmed(node: Node, call: Call) -> Call:
    """Return a native unary call with the answer that the target really sent.

    Where the library may have made the status up, the request is sent once more by raw HTTP/2: use it only for requests
    that may be repeated, as every publish may (API-222).
    """
    if not (call.status.local or call.status.code in _DOUBTFUL):
        return call
    return as_unary(raw_call(node, call.method, call.request))


def as_unary(told: StreamCall) -> Call:
    """Return the record of a call that has ended as that of a unary one: its first request and its first answer."""
    if told.status is None:
        raise ValueError("the call has not ended")
    answers = told.received
    return Call(
        number=told.number,
        endpoint=told.endpoint,
        method=told.method,
        request=next((frame.data for frame in told.frames if frame.sent), b""),
        response=answers[0].data if told.status.code is Code.OK and answers else None,
        status=told.status,
        request_metadata=told.request_metadata,
        initial_metadata=told.initial_metadata,
        trailing_metadata=told.trailing_metadata,
        started_ns=told.started_ns,
        ended_ns=told.ended_ns or told.started_ns,
    )
