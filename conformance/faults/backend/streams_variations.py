"""Streams that do oddly what the contract allows: late, in small pieces, with older targets (API-250 to API-254)."""

from __future__ import annotations

import time
from collections.abc import Sequence

from conformance.faults.backend.streams_parts import streaming, variation
from conformance.faults.backend.visibility import LaggingCopy
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import ServerEnvelope, SubscribeRequest
from conformance.reference.backend.streams.frames import Frames, MessagesFrame, StaticFrames, SubscribeFrames, Target
from conformance.reference.backend.streams.pump import Targets
from conformance.reference.backend.streams.stream import EndOfStream
from conformance.reference.backend.streams.subscribe import SubscribeStream
from conformance.reference.backend.streams.subscription import Change, Registration
from conformance.reference.backend.streams.tail import Tail
from conformance.reference.backend.streams.turns import Turns

LATE_S = 0.02


class OlderTargets(Targets):
    """Reads targets from a copy that lags (V03)."""

    lagging = LaggingCopy(lag_s=0.1)

    def read(self, registrations: Sequence[Registration]) -> list[int]:
        """Return the heads that the copy has."""
        with self.lagging.view(self.store) as view:
            return [self.head(view, registration) for registration in registrations]


class AlwaysLooks(Turns):
    """Looks for rows of a new registration whatever its target is."""

    def begin(self, registration: Registration, *, has_rows: bool) -> None:
        """Give it a turn."""
        super().begin(registration, has_rows=True)
        del has_rows


class OneEnvelope(MessagesFrame):
    """A frame with room for one envelope (V04)."""

    def add(self, envelope: ServerEnvelope) -> bool:
        """Be full behind the first."""
        if self.envelopes:
            self.is_full = True
            return False
        return super().add(envelope)


class OneByOne(Frames):
    """Frames of one envelope each."""

    def begin_messages(self) -> MessagesFrame:
        """Return one."""
        return OneEnvelope(self.limit())


class SubscribeOneByOne(OneByOne, SubscribeFrames):
    """Those of Subscribe."""


class StaticOneByOne(OneByOne, StaticFrames):
    """Those of SubscribeStatic."""


class GoesAtOnce(SubscribeStream):
    """Ends on a half-close without the answers that are still queued (V17)."""

    def pending_frame(self, now: float) -> bytes | None:
        """Look at the end first."""
        if isinstance(self._end, EndOfStream):
            raise self._end
        return super().pending_frame(now)


class Late(SubscribeStream):
    """Acknowledges and delivers late (V36)."""

    def acknowledge(self, update: SubscribeRequest.Update, change: Change, targets: Sequence[Target]) -> None:
        """Wait a little."""
        time.sleep(LATE_S)
        super().acknowledge(update, change, targets)


class SeldomLooks(Tail):
    """Looks into the store now and then (V36)."""

    poll_s = 0.1


VARIANTS: tuple[Variant, ...] = (
    variation(
        "V03",
        "targets come from a copy that is up to 100 ms behind",
        "252.b 252.c 252.d 252.e 253.d 254.a 254.b",
        streaming(targets_class=OlderTargets, turns_class=AlwaysLooks),
    ),
    variation(
        "V04",
        "a frame has one envelope",
        "203.b 253.c 253.e 254.a 254.b 254.e 254.g 254.i",
        streaming(subscribe_frames_class=SubscribeOneByOne, static_frames_class=StaticOneByOne),
    ),
    variation(
        "V17",
        "a half-close ends the stream at once, without the answers that are queued",
        "252.a 252.b 252.h 253.a 253.d 254.a",
        streaming(subscribe_class=GoesAtOnce),
    ),
    variation(
        "V36",
        "Applied and envelopes come late",
        "203.b 250.a 251.h 252.a 252.d 253.c 254.b 254.c 254.e 254.i",
        streaming(subscribe_class=Late, tail_class=SeldomLooks),
    ),
)
