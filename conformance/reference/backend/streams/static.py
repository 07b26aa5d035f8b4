"""SubscribeStatic: the topics come with the request, and the client says nothing more."""

from __future__ import annotations

import threading

from conformance.pb.backend_pb2 import SubscribeStaticRequest
from conformance.reference.backend.streams.frames import StaticFrames
from conformance.reference.backend.streams.stream import Parts, Stream


class StaticStream(Stream):
    """One SubscribeStatic call, open until the client cancels it or it fails (API-259)."""

    def __init__(
        self, *, parts: Parts, changed: threading.Condition, frames: StaticFrames, request: SubscribeStaticRequest
    ) -> None:
        super().__init__(parts=parts, changed=changed)
        self._frames = frames
        self.request = request

    @property
    def frames(self) -> StaticFrames:
        """The frames of this kind of stream."""
        return self._frames

    def opening(self) -> bytes:
        """Register every topic and return Started with a target for each, in request order (API-260)."""
        with self.changed:
            added = self.parts.subscription.add_all(self.request.topics)
        targets = self.register(added)
        started = self.frames.started(targets)
        with self.changed:
            self.activate(added, targets)
        return started

    def sign_of_life(self) -> bytes:
        """Return a Keepalive, which expects no answer."""
        return self.frames.keepalive()
