"""Opening the streams of a node: through the gRPC library, or by raw HTTP/2 where a client must not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.target.errors import Undecided
from conformance.target.stream_frames import ping_nonce
from conformance.target.stream_pace import pace_of
from conformance.target.stream_requests import pong_frame
from conformance.target.streams import StaticSubscription, Subscription
from conformance.wire import methods
from conformance.wire.http2 import LARGEST_WINDOW, Http2Connection
from conformance.wire.stream import open_stream

if TYPE_CHECKING:
    from conformance.wire.channel import Connection
    from conformance.wire.http2_stream import Http2Stream

_ALIVE_S = 5.0


class UnreadSubscription(Subscription):
    """A Subscribe over a connection of its own that takes only so much as its window lets in, until `read_on`."""

    raw: Http2Stream

    def read_on(self) -> None:
        """Open the window wide: everything that waited may come."""
        self.raw.open_window(LARGEST_WINDOW // 2)


def subscribe(connection: Connection, *, answer_pings: bool) -> Subscription:
    """Open a Subscribe stream. With `answer_pings` a Ping is answered as it comes, whatever the test does meanwhile."""
    stream = open_stream(connection, methods.SUBSCRIBE, respond=_pong if answer_pings else None)
    return Subscription(stream, pace_of(connection), alive=lambda: _answers(connection))


def subscribe_static(connection: Connection, request: bytes) -> StaticSubscription:
    """Open a SubscribeStatic stream with an encoded request."""
    stream = open_stream(connection, methods.SUBSCRIBE_STATIC, request=request)
    return StaticSubscription(stream, pace_of(connection), alive=lambda: _answers(connection))


def subscribe_unread(connection: Connection, *, window_bytes: int) -> UnreadSubscription:
    """Open a Subscribe stream by raw HTTP/2 to the same endpoint that takes `window_bytes` bytes and then no more.

    A Ping is answered only when the test waits on the stream. Raises Undecided when no connection comes about.
    """
    try:
        own = Http2Connection(
            connection.address, stream_window=window_bytes, token=connection.secret, recorder=connection.recorder
        )
        raw = own.open(methods.SUBSCRIBE)
    except (OSError, RuntimeError) as error:
        raise Undecided(f"No HTTP/2 connection to {connection.address} came about: {error}.") from None
    stream = UnreadSubscription(
        raw, pace_of(connection), alive=lambda: _answers(connection), answers_here=True, closing=own.close
    )
    stream.raw = raw
    return stream


def _pong(data: bytes) -> bytes | None:
    nonce = ping_nonce(data)
    return None if nonce is None else pong_frame(nonce)


def _answers(connection: Connection) -> bool:
    """Tell whether an endpoint answers another call at all, with whatever status."""
    return not connection.unary(methods.GET_CONFIGURATION, b"", deadline_s=_ALIVE_S).status.local
