"""The frames of both kinds of stream, each within its bound."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from google.protobuf.message import Message

from conformance.pb.backend_pb2 import (
    CatchupTarget,
    Ping,
    Pong,
    ServerEnvelope,
    SubscribeResponse,
    SubscribeStaticResponse,
    Topic,
)
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.responses import Responses
from conformance.reference.backend.settings import STREAM_FRAME_BYTES, Timers, framed_length
from conformance.reference.backend.store import Stored

Target = tuple[bytes, int]


class MessagesFrame:
    """Envelopes on their way into one frame of at most `limit` bytes."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.envelopes: list[ServerEnvelope] = []
        self.is_full = False
        self._length = 0

    def add(self, envelope: ServerEnvelope) -> bool:
        """Add an envelope and return whether there was room.

        Raises RESOURCE_EXHAUSTED for one that has no room in any frame: it must not be skipped (API-254).
        """
        length = self._length + framed_length(envelope.ByteSize())
        if framed_length(length) > self.limit:
            if not self.envelopes:
                raise Failure(Code.RESOURCE_EXHAUSTED, "a stored envelope does not fit into a frame")
            self.is_full = True
            return False
        self._length = length
        self.envelopes.append(envelope)
        return True


class Frames(ABC):
    """Builds the frames of one kind of stream."""

    def __init__(self, *, bounds: Bounds, responses: Responses, timers: Timers) -> None:
        self.bounds = bounds
        self.responses = responses
        self.timers = timers

    def limit(self) -> int:
        """Bytes that a Messages frame may have."""
        return min(STREAM_FRAME_BYTES, self.bounds.limits.max_response_bytes)

    def interval_ms(self) -> int:
        """Return the keepalive interval as it is published (API-250)."""
        return self.timers.keepalive_ms

    def envelope(self, stored: Stored) -> ServerEnvelope:
        """Return a stored envelope with its metadata, as every other read shows it (API-288)."""
        return self.responses.envelope(stored)

    def begin_messages(self) -> MessagesFrame:
        """Return a frame without envelopes."""
        return MessagesFrame(self.limit())

    def control(self, message: Message) -> bytes:
        """Encode a frame other than Messages; RESOURCE_EXHAUSTED past max_response_bytes (API section 7)."""
        encoded = message.SerializeToString()
        if self.bounds.exceeds(len(encoded), self.bounds.limits.max_response_bytes):
            raise Failure(Code.RESOURCE_EXHAUSTED, "a frame is longer than max_response_bytes")
        return encoded

    def targets(self, targets: Sequence[Target]) -> list[CatchupTarget]:
        """Return topics with the heads read for them."""
        return [CatchupTarget(topic=Topic(topic=topic), through_sequence_id=head) for topic, head in targets]

    @abstractmethod
    def messages(self, frame: MessagesFrame) -> bytes:
        """Encode a Messages frame."""


class SubscribeFrames(Frames):
    """The frames of a Subscribe stream."""

    def started(self) -> bytes:
        """Return the first frame (API-250)."""
        return self.control(
            SubscribeResponse(started=SubscribeResponse.Started(keepalive_interval_ms=self.interval_ms()))
        )

    def applied(self, number: int, targets: Sequence[Target]) -> bytes:
        """Return the answer to the update with the id `number` (API-252)."""
        applied = SubscribeResponse.Applied(id=number, added_targets=self.targets(targets))
        return self.control(SubscribeResponse(applied=applied))

    def ping(self, nonce: int) -> bytes:
        """Return a challenge (API-255)."""
        return self.control(SubscribeResponse(ping=Ping(nonce=nonce)))

    def pong(self, nonce: int) -> bytes:
        """Return the answer to a client's Ping (API-256)."""
        return self.control(SubscribeResponse(pong=Pong(nonce=nonce)))

    def messages(self, frame: MessagesFrame) -> bytes:
        """Encode a Messages frame."""
        messages = SubscribeResponse.Messages(envelopes=frame.envelopes)
        return SubscribeResponse(messages=messages).SerializeToString()


class StaticFrames(Frames):
    """The frames of a SubscribeStatic stream."""

    def started(self, targets: Sequence[Target]) -> bytes:
        """Return the first frame, with one target per topic in request order (API-260)."""
        started = SubscribeStaticResponse.Started(
            keepalive_interval_ms=self.interval_ms(), targets=self.targets(targets)
        )
        return self.control(SubscribeStaticResponse(started=started))

    def keepalive(self) -> bytes:
        """Return a sign of life (API-255)."""
        return self.control(SubscribeStaticResponse(keepalive=SubscribeStaticResponse.Keepalive()))

    def messages(self, frame: MessagesFrame) -> bytes:
        """Encode a Messages frame."""
        messages = SubscribeStaticResponse.Messages(envelopes=frame.envelopes)
        return SubscribeStaticResponse(messages=messages).SerializeToString()
