"""Faults in the bounds of Updates and of SubscribeStatic (API-281), and in the length of Messages frames (API-283)."""

from __future__ import annotations

from collections.abc import Collection

from google.protobuf.message import DecodeError

from conformance.faults.backend.streams_parts import faults, streaming
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import SubscribeRequest, SubscribeStaticRequest
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.settings import STREAM_FRAME_BYTES
from conformance.reference.backend.streams.checks import RequestChecks
from conformance.reference.backend.streams.frames import StaticFrames, SubscribeFrames
from conformance.reference.backend.topics import Topics


def without(bound: str) -> type[RequestChecks]:
    """Make checks that leave one bound out."""

    class Lax(RequestChecks):
        def count(self, count: int, limit: int, name: str) -> None:
            if name != bound:
                super().count(count, limit, name)

    return Lax


class RefusesTheBound(RequestChecks):
    """Takes a bound for the first value too many."""

    def count(self, count: int, bound: int, name: str) -> None:
        """Refuse the exact value."""
        super().count(count + 1, bound, name)


class OtherCode(RequestChecks):
    """Takes a bound for a matter of load."""

    def count(self, count: int, bound: int, name: str) -> None:
        """Give the other code."""
        if self.bounds.exceeds(count, bound):
            raise Failure(Code.RESOURCE_EXHAUSTED, f"more than {name}")


class CountsBeforeRemoves(RequestChecks):
    """Counts the topics of a stream before an Update removes some."""

    def registered_after(self, update: SubscribeRequest.Update, registered: Collection[bytes]) -> int:
        """Leave the removals out."""
        return len(registered) + sum(topic not in registered for topic in self.added(update))


class CountsRepeats(RequestChecks):
    """Counts an add of a registered topic as one more."""

    def registered_after(self, update: SubscribeRequest.Update, registered: Collection[bytes]) -> int:
        """Count every add."""
        removed = sum(topic in registered for topic in self.removed(update))
        return len(registered) - removed + len(update.adds)


class NoWire(Bounds):
    """Does not measure what comes."""

    def wire(self, request: bytes) -> None:
        """Let every length pass."""


class FramesOfAnyLength(RequestChecks):
    """Does not measure request frames."""

    def frame(self, request: bytes) -> SubscribeRequest:
        """Decode a frame of any length."""
        lax = RequestChecks(bounds=NoWire(self.bounds.limits), topics=Topics())
        return lax.frame(request)


class StaticOfAnyLength(RequestChecks):
    """Does not measure static requests."""

    def static(self, request: bytes) -> SubscribeStaticRequest:
        """Decode a request of any length."""
        try:
            message = SubscribeStaticRequest.FromString(request)
        except DecodeError as error:
            raise self.invalid("the request is not a SubscribeStaticRequest") from error
        message.DiscardUnknownFields()
        return super().static(message.SerializeToString())


class TooLongIsExhausted(RequestChecks):
    """Fails over-long requests as gRPC itself does."""

    def frame(self, request: bytes) -> SubscribeRequest:
        """Give the other code."""
        self.measure(request)
        return super().frame(request)

    def static(self, request: bytes) -> SubscribeStaticRequest:
        """Give the other code."""
        self.measure(request)
        return super().static(request)

    def measure(self, request: bytes) -> None:
        """Look at the length of a request."""
        if self.bounds.exceeds(len(request), self.bounds.limits.max_request_bytes):
            raise Failure(Code.RESOURCE_EXHAUSTED, "the message is longer than max")


class LongFrames(SubscribeFrames):
    """Fills a Messages frame whatever max_response_bytes says."""

    def limit(self) -> int:
        """Look at the length of a frame in general alone."""
        return STREAM_FRAME_BYTES


class LongStaticFrames(StaticFrames):
    """Fills a Messages frame of a static stream whatever max_response_bytes says."""

    def limit(self) -> int:
        """Look at the length of a frame in general alone."""
        return STREAM_FRAME_BYTES


VARIANTS: tuple[Variant, ...] = (
    *faults(
        ("B716", "an Update may add any number", "281.c", streaming(checks_class=without("max_update_adds"))),
        ("B717", "an Update may remove any number", "281.c", streaming(checks_class=without("max_update_removes"))),
        (
            "B718",
            "a stream may have any number of topics",
            "281.c",
            streaming(checks_class=without("max_stream_topics")),
        ),
        ("B719", "a static stream may have any number", "281.c", streaming(checks_class=without("max_static_topics"))),
        ("B720", "the exact bound of a stream is refused", "281.c", streaming(checks_class=RefusesTheBound)),
        ("B721", "past a bound a stream ends RESOURCE_EXHAUSTED", "281.c", streaming(checks_class=OtherCode)),
        ("B722", "topics are counted before the removals", "281.c", streaming(checks_class=CountsBeforeRemoves)),
        ("B723", "a topic that is added again counts twice", "281.c", streaming(checks_class=CountsRepeats)),
        ("B724", "an Update may have any wire length", "281.n", streaming(checks_class=FramesOfAnyLength)),
        ("B725", "a static request may have any wire length", "281.n", streaming(checks_class=StaticOfAnyLength)),
        ("B726", "an over-long request ends RESOURCE_EXHAUSTED", "281.n", streaming(checks_class=TooLongIsExhausted)),
        ("B727", "a Messages frame is as long as it comes", "283.a", streaming(subscribe_frames_class=LongFrames)),
        (
            "B728",
            "a static Messages frame is as long as it comes",
            "283.a",
            streaming(static_frames_class=LongStaticFrames),
        ),
    ),
)
