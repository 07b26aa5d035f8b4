"""Moves rows from the store into Messages frames: history and live alike, each topic above its cursor (API-254)."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager

from conformance.reference.backend.store import Store, Stored, View
from conformance.reference.backend.streams.frames import Frames, MessagesFrame
from conformance.reference.backend.streams.output import Output
from conformance.reference.backend.streams.subscription import Registration
from conformance.reference.backend.streams.turns import Turns

ROWS_PER_READ = 16


class Targets:
    """Reads the catch-up targets of new registrations."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def read(self, registrations: Sequence[Registration]) -> list[int]:
        """Return the head of the topic of each, all from one snapshot, which may lag (API section 1)."""
        with self.store.copy() as view:
            return [self.head(view, registration) for registration in registrations]

    def head(self, view: View, registration: Registration) -> int:
        """Return the highest visible sequence id on a topic, 0 when there is none (API-252)."""
        newest = view.newest(registration.topic, payload=False)
        return 0 if newest is None else newest.sequence_id


class Pump:
    """Fills frames for one stream; `changed` is the lock that guards its turns and its output."""

    rows_per_turn = 100

    def __init__(
        self, *, store: Store, frames: Frames, turns: Turns, output: Output, changed: threading.Condition
    ) -> None:
        self.store = store
        self.frames = frames
        self.turns = turns
        self.output = output
        self.changed = changed

    def next_batch(self) -> MessagesFrame:
        """Return the next frame, which is empty when the turns had nothing to deliver."""
        frame = self.frames.begin_messages()
        with self.changed:
            self.turns.look()
        with self.view() as view:
            while not frame.is_full and (registration := self.next_turn(frame)) is not None:
                before = len(frame.envelopes)
                more = self.fill(view, registration, frame)
                with self.changed:
                    self.turns.end(registration, served=len(frame.envelopes) > before, more=more)
        return frame

    def next_turn(self, frame: MessagesFrame) -> Registration | None:
        """Begin the next turn that may go into the frame; None when the frame is to be sent as it is.

        An answer that was queued meanwhile can be the Applied of whoever comes next, which must go first (API-252).
        """
        with self.changed:
            return None if self.output.has_answers() else self.turns.take(starts_frame=not frame.envelopes)

    def view(self) -> AbstractContextManager[View]:
        """Open the view to read; streams may lag, and what a view shows of a topic is a prefix of it (API-201)."""
        return self.store.copy()

    def fill(self, view: View, registration: Registration, frame: MessagesFrame) -> bool:
        """Move the rows above the cursor into the frame, and return whether rows may be left."""
        for served, row in enumerate(self.rows(view, registration)):
            if served == self.rows_per_turn or not frame.add(self.frames.envelope(row)):
                return True
            registration.cursor = row.sequence_id
        return False

    def rows(self, view: View, registration: Registration) -> Iterator[Stored]:
        """Yield the rows above the cursor, lowest sequence id first, a few at a time: a row can be long."""
        cursor = registration.cursor
        while rows := view.after(registration.topic, cursor, ROWS_PER_READ):
            yield from rows
            if len(rows) < ROWS_PER_READ:
                return
            cursor = rows[-1].sequence_id
