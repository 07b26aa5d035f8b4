"""An endpoint as a page of another origin reaches it: the verbs of a node over gRPC-Web, and preflights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn, Self

from conformance.target.node import Node
from conformance.target.stream_pace import pace_of
from conformance.target.streams import StaticSubscription
from conformance.wire import methods
from conformance.wire.grpc_web import WebConnection
from conformance.wire.grpc_web_http import ORIGIN

if TYPE_CHECKING:
    from conformance.pb import backend_pb2
    from conformance.target.answers import Published
    from conformance.target.stream_opening import UnreadSubscription
    from conformance.target.streams import Subscription
    from conformance.wire.transcript import Call, StreamCall

__all__ = ["ORIGIN", "Headers", "WebNode", "headers_of"]

_ALIVE_S = 5.0


@dataclass(frozen=True, kw_only=True)
class Headers:
    """The HTTP headers of a reply; names are compared without regard to case. `http_status` is None without a reply."""

    http_status: int | None
    pairs: tuple[tuple[str, str], ...]

    def get(self, name: str) -> str | None:
        """Return the value of a header, all its lines joined by commas; None when it is absent."""
        values = [value for key, value in self.pairs if key.lower() == name]
        return ", ".join(values) if values else None

    def items(self, name: str) -> frozenset[str]:
        """Return the items of a header that is a list, in lower case."""
        return frozenset(item.strip().lower() for item in (self.get(name) or "").split(",")) - {""}


def headers_of(call: Call | StreamCall) -> Headers:
    """Return the HTTP headers that a call over gRPC-Web was answered with, those of a stream once it is closed."""
    status = dict(call.initial_metadata).get(":status", "")
    return Headers(
        http_status=int(status) if status.isdigit() else None,
        pairs=tuple(pair for pair in call.initial_metadata if not pair[0].startswith(":")),
    )


class WebNode(Node):
    """A node whose unary calls and SubscribeStatic go over gRPC-Web, to the port of the node it is made from.

    Made by `Node.web`. A context manager: leaving it closes its connections, and not those of the node. A page has no
    Subscribe (a request that goes on while the answer comes) and no way to abandon a publish: both raise RuntimeError.
    """

    def __init__(self, native: Node) -> None:
        super().__init__(native.connection, native.limits, deadline_s=native.deadline_s)
        own = native.connection
        self._web = WebConnection(own.address, token=own.secret, recorder=own.recorder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def raw(self, method: str, request: bytes) -> Call:
        """Send `request` to `method` ("/package.Service/Method") as it is."""
        return self._web.unary(method, request, deadline_s=self.deadline_s)

    def subscribe_static_raw(self, request: bytes) -> StaticSubscription:
        """Open a SubscribeStatic stream with `request` exactly as given."""
        stream = self._web.open_stream(methods.SUBSCRIBE_STATIC, request)
        return StaticSubscription(stream, pace_of(self.connection), alive=self._answers)

    def preflight(self, method: str, headers: Sequence[str]) -> Call:
        """Ask for permission to call `method` with these request headers; OK means that the HTTP status allows it."""
        return self._web.preflight(method, headers)

    def served(self) -> bool | None:
        """Tell whether HTTP is answered at all, over HTTP/1.1 or HTTP/2; None when not even TCP connects."""
        return self._web.served()

    @property
    def http_version(self) -> str:
        """The version of HTTP that calls go over."""
        return self._web.http_version

    def publish_abandoned(
        self, *envelopes: backend_pb2.ClientEnvelope | bytes, after_s: float, disconnect: bool = False
    ) -> Published:
        """Raise RuntimeError."""
        del envelopes, after_s, disconnect
        _native_only("a publish cannot be abandoned")

    def subscribe(self, *, answer_pings: bool = True) -> Subscription:
        """Raise RuntimeError."""
        del answer_pings
        _native_only("there is no Subscribe")

    def subscribe_unread(self, *, window_bytes: int = 65_535) -> UnreadSubscription:
        """Raise RuntimeError."""
        del window_bytes
        _native_only("there is no Subscribe")

    def close(self) -> None:
        """Close the connections of gRPC-Web; those of the node stay open."""
        self._web.close()

    def _answers(self) -> bool:
        """Tell whether the endpoint answers another call at all, with whatever status."""
        return not self._web.unary(methods.GET_CONFIGURATION, b"", deadline_s=_ALIVE_S).status.local


def _native_only(what: str) -> NoReturn:
    raise RuntimeError(f"over gRPC-Web {what}: use the node that this one was made from")
