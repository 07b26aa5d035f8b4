"""The frames of one recorded stream as messages, each with its place in the record and its instant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from google.protobuf.message import DecodeError

from conformance.pb import backend_pb2
from conformance.wire.transcript import Frame, Meta, StreamCall

STATIC = "SubscribeStatic"


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """A frame at its place among all frames of the stream, in monotonic nanoseconds."""

    place: int
    at_ns: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Add:
    """A topic to register (None: no topic on the wire) and the cursor to start above, 0 when absent."""

    topic: bytes | None
    cursor: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """A catch-up target: through which id of a topic its history runs."""

    topic: bytes
    through: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Update(Event):
    """An Update sent; the request of SubscribeStatic is read as one, too."""

    id: int
    adds: tuple[Add, ...]
    removes: tuple[bytes | None, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class PingSent(Event):
    """A Ping of the client."""

    nonce: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PongSent(Event):
    """A Pong of the client."""

    nonce: int


@dataclass(frozen=True, kw_only=True, slots=True)
class NothingSent(Event):
    """A request frame with none of its members set, or one that is no request at all."""

    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Started(Event):
    """Started; `targets` is None on Subscribe, where it has none."""

    interval_ms: int
    targets: tuple[Target, ...] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Applied(Event):
    """Applied."""

    id: int
    targets: tuple[Target, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Messages(Event):
    """Messages: the metadata of the envelopes in the order of the frame."""

    metas: tuple[Meta, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Ping(Event):
    """A Ping of the backend."""

    nonce: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Pong(Event):
    """A Pong of the backend."""

    nonce: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Keepalive(Event):
    """A Keepalive."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Strange(Event):
    """A frame that came and is none of the above; `readable` when it is at least a message."""

    readable: bool


Request: TypeAlias = Update | PingSent | PongSent | NothingSent
Response: TypeAlias = Started | Applied | Messages | Ping | Pong | Keepalive | Strange
REQUESTS = (Update, PingSent, PongSent, NothingSent)


class Reading:
    """A recorded stream as messages. `static` when it is a SubscribeStatic."""

    def __init__(self, call: StreamCall) -> None:
        self.call = call
        self.static = call.rpc == STATIC
        self.events: tuple[Request | Response, ...] = tuple(
            self._event(place, frame) for place, frame in enumerate(call.frames)
        )
        self.requests: tuple[Request, ...] = tuple(each for each in self.events if isinstance(each, REQUESTS))
        self.responses: tuple[Response, ...] = tuple(each for each in self.events if not isinstance(each, REQUESTS))

    @property
    def updates(self) -> tuple[Update, ...]:
        """The Updates sent, or the request of SubscribeStatic."""
        return tuple(each for each in self.requests if isinstance(each, Update))

    def _event(self, place: int, frame: Frame) -> Request | Response:
        if frame.sent:
            return self._static_request(place, frame) if self.static else _request(place, frame)
        return self._response(place, frame)

    def _static_request(self, place: int, frame: Frame) -> Request:
        try:
            request = backend_pb2.SubscribeStaticRequest.FromString(frame.data)
        except DecodeError:
            return NothingSent(place=place, at_ns=frame.at_ns, why="it is no SubscribeStaticRequest")
        adds = tuple(_add(query) for query in request.topics)
        return Update(place=place, at_ns=frame.at_ns, id=1, adds=adds, removes=())

    def _response(self, place: int, frame: Frame) -> Response:
        kind = backend_pb2.SubscribeStaticResponse if self.static else backend_pb2.SubscribeResponse
        try:
            response = kind.FromString(frame.data)
        except DecodeError:
            return Strange(place=place, at_ns=frame.at_ns, readable=False)
        member = response.WhichOneof("response")
        if member == "started":
            interval_ms = response.started.keepalive_interval_ms
            targets = None
            if isinstance(response, backend_pb2.SubscribeStaticResponse):
                targets = _targets(response.started.targets)
            return Started(place=place, at_ns=frame.at_ns, interval_ms=interval_ms, targets=targets)
        if member == "messages":
            metas = tuple(_meta(each.meta) for each in response.messages.envelopes)
            return Messages(place=place, at_ns=frame.at_ns, metas=metas)
        if isinstance(response, backend_pb2.SubscribeResponse):
            return _of_subscribe(response, member, place, frame.at_ns)
        if member == "keepalive":
            return Keepalive(place=place, at_ns=frame.at_ns)
        return Strange(place=place, at_ns=frame.at_ns, readable=True)


def _request(place: int, frame: Frame) -> Request:
    try:
        request = backend_pb2.SubscribeRequest.FromString(frame.data)
    except DecodeError:
        return NothingSent(place=place, at_ns=frame.at_ns, why="it is no SubscribeRequest")
    member = request.WhichOneof("request")
    if member == "update":
        return Update(
            place=place,
            at_ns=frame.at_ns,
            id=request.update.id,
            adds=tuple(_add(query) for query in request.update.adds),
            removes=tuple(topic.topic for topic in request.update.removes),
        )
    if member == "ping":
        return PingSent(place=place, at_ns=frame.at_ns, nonce=request.ping.nonce)
    if member == "pong":
        return PongSent(place=place, at_ns=frame.at_ns, nonce=request.pong.nonce)
    return NothingSent(place=place, at_ns=frame.at_ns, why="no member of it is set")


def _of_subscribe(response: backend_pb2.SubscribeResponse, member: str | None, place: int, at_ns: int) -> Response:
    if member == "applied":
        targets = _targets(response.applied.added_targets)
        return Applied(place=place, at_ns=at_ns, id=response.applied.id, targets=targets)
    if member == "ping":
        return Ping(place=place, at_ns=at_ns, nonce=response.ping.nonce)
    if member == "pong":
        return Pong(place=place, at_ns=at_ns, nonce=response.pong.nonce)
    return Strange(place=place, at_ns=at_ns, readable=True)


def _add(query: backend_pb2.TopicQuery) -> Add:
    return Add(topic=query.topic.topic if query.HasField("topic") else None, cursor=query.cursor.sequence_id)


def _targets(targets: Iterable[backend_pb2.CatchupTarget]) -> tuple[Target, ...]:
    return tuple(Target(topic=each.topic.topic, through=each.through_sequence_id) for each in targets)


def _meta(meta: backend_pb2.EnvelopeMeta) -> Meta:
    members = ("cursor", "message_hash", "topic")
    return Meta(
        sequence_id=meta.cursor.sequence_id,
        server_ns=meta.server_ns,
        message_hash=meta.message_hash.sha256,
        topic=meta.topic.topic,
        expiry_ns=meta.expiry_ns,
        is_commit_or_proposal=meta.is_commit_or_proposal,
        absent=frozenset(name for name in members if not meta.HasField(name)),
    )
