"""The requests of streams as bytes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from conformance.pb import backend_pb2

if TYPE_CHECKING:
    from conformance.target.node import Position


def static_request(topics: Iterable[bytes | Position]) -> bytes:
    """Encode a SubscribeStaticRequest; bare bytes carry no cursor."""
    request = backend_pb2.SubscribeStaticRequest()
    for item in topics:
        _write(request.topics.add(), item)
    return request.SerializeToString(deterministic=True)


def update_frame(number: int, adds: Iterable[bytes | Position], removes: Iterable[bytes]) -> bytes:
    """Encode a request frame with an Update."""
    request = backend_pb2.SubscribeRequest()
    request.update.id = number
    for item in adds:
        _write(request.update.adds.add(), item)
    for topic in removes:
        request.update.removes.add().topic = topic
    return request.SerializeToString(deterministic=True)


def ping_frame(nonce: int) -> bytes:
    """Encode a request frame with a Ping."""
    return backend_pb2.SubscribeRequest(ping=backend_pb2.Ping(nonce=nonce)).SerializeToString()


def pong_frame(nonce: int) -> bytes:
    """Encode a request frame with a Pong."""
    return backend_pb2.SubscribeRequest(pong=backend_pb2.Pong(nonce=nonce)).SerializeToString()


def _write(query: backend_pb2.TopicQuery, item: bytes | Position) -> None:
    """Write a topic and its position; what is None there is not on the wire."""
    topic, cursor = (item, None) if isinstance(item, bytes) else (item.topic, item.cursor)
    if topic is not None:
        query.topic.topic = topic
    if cursor is not None:
        query.cursor.sequence_id = cursor
