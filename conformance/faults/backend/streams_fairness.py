"""Faults and variations of whose rows go into the next frame (API-261)."""

from __future__ import annotations

from conformance.faults.backend.streams_parts import faults, streaming, variation
from conformance.faults.registry import Variant
from conformance.reference.backend.streams.pump import Pump
from conformance.reference.backend.streams.subscription import Registration, Turn
from conformance.reference.backend.streams.turns import Turns


class OneByOne(Turns):
    """Serves a registration to its end before the next one."""

    def end(self, registration: Registration, *, served: bool, more: bool) -> None:
        """Put it to the front again while rows are left."""
        if more and registration.turn is not Turn.REMOVED:
            registration.turn, registration.unfinished = Turn.WAITING, True
            self._waiting.appendleft(registration)
        else:
            super().end(registration, served=served, more=more)


class ByName(Turns):
    """Serves whoever has the first name."""

    def take(self, *, starts_frame: bool) -> Registration | None:
        """Sort before each turn."""
        ordered = sorted(self._waiting, key=lambda registration: registration.topic)
        self._waiting.clear()
        self._waiting.extend(ordered)
        return super().take(starts_frame=starts_frame)


class TwiceEach(Turns):
    """Gives each registration two turns in a row."""

    def __init__(self) -> None:
        super().__init__()
        self._turns: dict[bytes, int] = {}

    def end(self, registration: Registration, *, served: bool, more: bool) -> None:
        """Put it to the front again after its first, third, ... frame."""
        count = self._turns[registration.topic] = self._turns.get(registration.topic, 0) + 1
        if more and served and count % 2 and registration.turn is not Turn.REMOVED:
            registration.turn, registration.unfinished = Turn.WAITING, True
            self._waiting.appendleft(registration)
        else:
            super().end(registration, served=served, more=more)


class LastComeFirstServed(Turns):
    """Serves whoever came to the end of the queue last."""

    def take(self, *, starts_frame: bool) -> Registration | None:
        """Turn the queue round for each turn."""
        self._waiting.rotate(1)
        return super().take(starts_frame=starts_frame)


class Alone(Turns):
    """Never lets two registrations share a frame (V04)."""

    def may_share(self, registration: Registration) -> bool:
        """Say no."""
        del registration
        return False


class RowByRow(Pump):
    """Puts one row of each registration into a frame (V04)."""

    rows_per_turn = 1


class LiveFirst(Turns):
    """Serves whoever has something new before those with history left (V20)."""

    def queue(self, registration: Registration, *, unfinished: bool) -> None:
        """Put it to the front unless it has had a turn and is not done."""
        super().queue(registration, unfinished=unfinished)
        if not unfinished:
            self._waiting.rotate(1)


VARIANTS: tuple[Variant, ...] = (
    *faults(
        ("B187", "topics are caught up one after the other", "261.a", streaming(turns_class=OneByOne)),
        ("B188", "topics are caught up by name", "261.a", streaming(turns_class=ByName)),
        ("B706", "each topic has two frames in a row", "261.a", streaming(turns_class=TwiceEach)),
        ("B707", "who has just had a turn is next", "261.a", streaming(turns_class=LastComeFirstServed)),
    ),
    variation("V20", "live envelopes come before any history", "261.a 260.c 259.b", streaming(turns_class=LiveFirst)),
    variation("V695", "no two topics share a frame", "261.a 260.c 259.b", streaming(turns_class=Alone)),
    variation("V696", "a frame has one row of each topic", "261.a 260.c 259.b", streaming(pump_class=RowByRow)),
)
