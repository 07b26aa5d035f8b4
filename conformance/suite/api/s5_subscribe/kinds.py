"""The two kinds of stream, opened the same way, for what must hold on both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from conformance.target.errors import Missing
from conformance.target.node import Node, Position
from conformance.target.streams import StaticSubscription, Stream, Subscription


@dataclass(frozen=True, kw_only=True)
class StreamKind:
    """Subscribe or SubscribeStatic."""

    name: str
    is_static: bool
    _begun: Callable[[Node, tuple[bytes | Position, ...]], Stream]

    def most_topics(self, node: Node) -> int:
        """Give how many topics a stream may be begun with."""
        limits = node.limits
        return limits.max_static_topics if self.is_static else min(limits.max_update_adds, limits.max_stream_topics)

    def begin(self, node: Node, *topics: bytes | Position) -> Stream:
        """Ask for a stream of the topics, each from its position, and do not wait for anything.

        Raises Missing where a stream may not be begun with so many.
        """
        if len(topics) > self.most_topics(node):
            raise Missing("limits", f"{self.name} may not begin with {len(topics)} topics")
        return self._begun(node, topics)

    def open(self, node: Node, *topics: bytes | Position) -> Stream:
        """Open a stream and wait until it has told that the topics are registered.

        A context manager, as every stream. Raises what waiting for Started and Applied raises.
        """
        stream = self.begin(node, *topics)
        try:
            registered(stream)
        except BaseException:
            stream.close()
            raise
        return stream


def registered(stream: Stream) -> None:
    """Wait until the topics that a stream was begun with are registered."""
    stream.started()
    if isinstance(stream, Subscription):
        stream.applied(1)


def _subscribe(node: Node, topics: tuple[bytes | Position, ...]) -> Subscription:
    stream = node.subscribe()
    stream.add(*topics)
    return stream


def _subscribe_static(node: Node, topics: tuple[bytes | Position, ...]) -> StaticSubscription:
    return node.subscribe_static(*topics)


SUBSCRIBE = StreamKind(name="Subscribe", is_static=False, _begun=_subscribe)
STATIC = StreamKind(name="SubscribeStatic", is_static=True, _begun=_subscribe_static)

each_stream_kind = pytest.mark.parametrize("kind", [SUBSCRIBE, STATIC], ids=lambda kind: kind.name)
