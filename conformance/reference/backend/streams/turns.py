"""Whose rows go into the next Messages frame: registrations take turns, first come first served (API-261)."""

from __future__ import annotations

from collections import deque

from conformance.reference.backend.streams.subscription import Registration, Turn


class Turns:
    """The registrations that may have rows to deliver, each at most once.

    A registration with rows left after its turn goes to the end, so whoever waits beside it is served before its next
    turn, and that turn begins a frame: no frame serves a registration again beside one that is served first in it.

    A turn sees the rows of the view it is served from. A registration that was woken since that view was opened gets
    another turn, from a later view: its rows need not be in this one.
    """

    def __init__(self) -> None:
        self._waiting: deque[Registration] = deque()
        self._view = 0  # how many views were opened

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def look(self) -> None:
        """Note that a view is about to be opened, from which the turns to come are served."""
        self._view += 1

    def begin(self, registration: Registration, *, has_rows: bool) -> None:
        """Let a registration take part from its acknowledgement on."""
        if registration.turn is Turn.UNACKNOWLEDGED:
            registration.turn = Turn.IDLE
            if has_rows or registration.woken_in is not None:
                self.queue(registration, unfinished=False)

    def wake(self, registration: Registration) -> None:
        """Note that rows have arrived, which the view that is open need not show."""
        registration.woken_in = self._view
        if registration.turn is Turn.IDLE:
            self.queue(registration, unfinished=False)

    def take(self, *, starts_frame: bool) -> Registration | None:
        """Begin the turn of the next registration that may go into a frame; None when there is none."""
        while self._waiting and self._waiting[0].turn is Turn.REMOVED:
            self._waiting.popleft()
        if not self._waiting or self._waiting[0].served_in == self._view:
            return None
        if not (starts_frame or self.may_share(self._waiting[0])):
            return None
        registration = self._waiting.popleft()
        registration.turn, registration.served_in = Turn.SERVED, self._view
        return registration

    def may_share(self, registration: Registration) -> bool:
        """Whether a registration may join a frame that others have begun."""
        return not registration.unfinished

    def end(self, registration: Registration, *, served: bool, more: bool) -> None:
        """End a turn; one that found no room for its first row keeps its place."""
        if registration.turn is Turn.REMOVED:
            return
        registration.turn = Turn.IDLE
        if more and not served:
            registration.turn = Turn.WAITING
            self._waiting.appendleft(registration)
        elif more or registration.woken_in == self._view:
            self.queue(registration, unfinished=True)
        else:
            registration.unfinished = False

    def queue(self, registration: Registration, *, unfinished: bool) -> None:
        """Put a registration at the end."""
        registration.turn, registration.unfinished = Turn.WAITING, unfinished
        self._waiting.append(registration)
