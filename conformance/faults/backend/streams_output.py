"""Faults and a variation of what a stream does when its output has no room, and when the backend stops (API-281)."""

from __future__ import annotations

import time
from collections.abc import Sequence

from google.protobuf.message import Message

from conformance.faults.backend.streams_parts import faults, streaming, variation
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import ServerEnvelope
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.settings import framed_length
from conformance.reference.backend.streams.frames import (
    Frames,
    MessagesFrame,
    StaticFrames,
    SubscribeFrames,
    Target,
)
from conformance.reference.backend.streams.output import Output
from conformance.reference.backend.streams.static import StaticStream
from conformance.reference.backend.streams.stream import EndOfStream
from conformance.reference.backend.streams.subscribe import SubscribeStream
from conformance.reference.backend.streams.tail import Tail

PAUSE_S = 0.01


class Drops(SubscribeStream):
    """Drops what it has no room for and lives on."""

    def overflow(self) -> None:
        """Move every registration to the head of its topic."""
        with self.changed:
            registered = [*self.parts.subscription.registered.values()]
            for registration, head in zip(registered, self.parts.targets.read(registered), strict=True):
                registration.cursor = max(registration.cursor, head)


class HoldsEverybodyUp(SubscribeStream):
    """Waits for its client where the rows of every stream are handed out."""

    def check_reader(self, now: float) -> None:
        """Wait until the client reads."""
        del now
        while self.parts.output.is_over(self.clock()) and not self._is_gone:
            time.sleep(PAUSE_S)


class Unavailable(SubscribeStream):
    """Ends with another status when its client does not read."""

    def overflow(self) -> None:
        """Fail otherwise."""
        self.fail(Failure(Code.UNAVAILABLE, "the client does not read"))


class Malformed(SubscribeStream):
    """Blames the request when its client does not read."""

    def overflow(self) -> None:
        """Fail otherwise."""
        self.fail(Failure(Code.INVALID_ARGUMENT, "the client does not read"))


class AnyAmount(Output):
    """Has no bound (V48)."""

    bound_bytes = 1 << 40


class CutsStarted(StaticFrames):
    """Leaves out targets that its Started has no room for."""

    def started(self, targets: Sequence[Target]) -> bytes:
        """Cut the list until it fits."""
        while True:
            try:
                return super().started(targets)
            except Failure:
                targets = targets[:-1]


class CutsApplied(SubscribeFrames):
    """Leaves out targets that its Applied has no room for."""

    def applied(self, number: int, targets: Sequence[Target]) -> bytes:
        """Cut the list until it fits."""
        while True:
            try:
                return super().applied(number, targets)
            except Failure:
                targets = targets[:-1]


class OutOfRange(Frames):
    """Fails for every frame as it does for Messages."""

    def control(self, message: Message) -> bytes:
        """Give the other code."""
        try:
            return super().control(message)
        except Failure as failure:
            raise Failure(Code.OUT_OF_RANGE, failure.message) from failure


class AnyLength(Frames):
    """Does not look at the length of a frame."""

    def control(self, message: Message) -> bytes:
        """Encode it, however long."""
        return message.SerializeToString()


class StaticOutOfRange(OutOfRange, StaticFrames):
    """The same on a static stream."""


class SubscribeOutOfRange(OutOfRange, SubscribeFrames):
    """The same on a Subscribe stream."""


class StaticAnyLength(AnyLength, StaticFrames):
    """The same on a static stream."""


class SubscribeAnyLength(AnyLength, SubscribeFrames):
    """The same on a Subscribe stream."""


class SkippingFrame(MessagesFrame):
    """Skips an envelope that no frame has room for."""

    def add(self, envelope: ServerEnvelope) -> bool:
        """Say that there was room."""
        return framed_length(framed_length(envelope.ByteSize())) > self.limit or super().add(envelope)


class WideFrame(MessagesFrame):
    """Makes room for any envelope."""

    def add(self, envelope: ServerEnvelope) -> bool:
        """Begin a frame with it."""
        if not self.envelopes:
            self.envelopes.append(envelope)
            return True
        return super().add(envelope)


class Skipping(Frames):
    """Fills such frames."""

    def begin_messages(self) -> MessagesFrame:
        """Return a frame without envelopes."""
        return SkippingFrame(self.limit())


class Wide(Frames):
    """Fills such frames."""

    def begin_messages(self) -> MessagesFrame:
        """Return a frame without envelopes."""
        return WideFrame(self.limit())


class StaticSkipping(Skipping, StaticFrames):
    """The same on a static stream."""


class SubscribeSkipping(Skipping, SubscribeFrames):
    """The same on a Subscribe stream."""


class StaticWide(Wide, StaticFrames):
    """The same on a static stream."""


class SubscribeWide(Wide, SubscribeFrames):
    """The same on a Subscribe stream."""


class OrderlyEnd(Tail):
    """Ends streams at a stop as if they were done."""

    def fail_all(self, failure: Failure) -> None:
        """End them in order."""
        with self._changed:
            streams, self._streams = self._streams, {}
            self._watchers.clear()
        for stream in streams:
            if isinstance(stream, SubscribeStream | StaticStream):
                stream.end_after_answers(EndOfStream())


class Cancels(Tail):
    """Ends streams at a stop as if their clients had cancelled."""

    def fail_all(self, failure: Failure) -> None:
        """Give the other code."""
        super().fail_all(Failure(Code.CANCELLED, failure.message))


def frames(static: type[StaticFrames], subscribe: type[SubscribeFrames]) -> dict[str, type]:
    """Name the frames of both kinds of stream."""
    return {"static_frames_class": static, "subscribe_frames_class": subscribe}


VARIANTS: tuple[Variant, ...] = (
    *faults(
        ("B166", "what a stream has no room for is dropped", "281.h", streaming(subscribe_class=Drops)),
        (
            "B212",
            "a client that does not read holds everybody up",
            "281.h",
            streaming(subscribe_class=HoldsEverybodyUp),
        ),
        ("B708", "a client that does not read gets UNAVAILABLE", "281.h", streaming(subscribe_class=Unavailable)),
        ("B709", "a client that does not read gets INVALID_ARGUMENT", "281.h", streaming(subscribe_class=Malformed)),
        ("B213", "Started is cut to fit", "281.i", streaming(static_frames_class=CutsStarted)),
        ("B710", "Applied is cut to fit", "281.l", streaming(subscribe_frames_class=CutsApplied)),
        (
            "B711",
            "a frame that is too long ends OUT_OF_RANGE, whatever it is",
            "281.i 281.l",
            streaming(**frames(StaticOutOfRange, SubscribeOutOfRange)),
        ),
        (
            "B712",
            "Started and Applied have any length",
            "281.i 281.l",
            streaming(**frames(StaticAnyLength, SubscribeAnyLength)),
        ),
        (
            "B713",
            "an envelope too long for a frame is skipped",
            "281.k",
            streaming(**frames(StaticSkipping, SubscribeSkipping)),
        ),
        (
            "B714",
            "an envelope too long for a frame is sent all the same",
            "281.k",
            streaming(**frames(StaticWide, SubscribeWide)),
        ),
        ("B211", "a stop ends streams OK", "281.g", streaming(tail_class=OrderlyEnd)),
        ("B715", "a stop ends streams CANCELLED", "281.g", streaming(tail_class=Cancels)),
    ),
    variation("V48", "a stream holds any amount for its client", "281.h", streaming(output_class=AnyAmount)),
)
