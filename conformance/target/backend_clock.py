"""The clock of the backend, told from here: what admission compares lifetimes with."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from conformance.target.errors import Undecided

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.target.answers import Published
    from conformance.target.deployment import Deployment

_SECOND_NS = 1_000_000_000
# A clock further away than this is none: server_ns is in another unit, which is for others to judge (API-212).
_TEN_YEARS_NS = 10 * 365 * 86_400 * _SECOND_NS
# The part of a second that is far enough from both of its ends for clocks of two machines of one backend.
_MIDDLE_NS = (300_000_000, 600_000_000)
_PAUSE_S = 0.01
# How far from the instant asked for a clock may be that was set.
_SET_NS = 60 * _SECOND_NS


class BackendClock:
    """The clock that the answer to a publish showed, and that has gone on since.

    It is behind the real one by the way of the answer at most, and by the steps in which server_ns is counted. Where
    server_ns is no time of these years it is the clock of this machine. Raises what `Published.meta` raises.
    """

    def __init__(self, answer: Published) -> None:
        own_ns = time.time_ns()
        shown_ns = answer.meta.server_ns
        if abs(shown_ns - own_ns) > _TEN_YEARS_NS:
            self._ahead_ns = own_ns - time.monotonic_ns()
        else:
            self._ahead_ns = shown_ns - answer.call.ended_ns

    def now_ns(self) -> int:
        """Nanoseconds since the Unix epoch."""
        return time.monotonic_ns() + self._ahead_ns

    def now_s(self) -> int:
        """Whole seconds since the Unix epoch, as lifetimes count them."""
        return self.now_ns() // _SECOND_NS

    def wait_until(self, instant_s: float, *, patience_s: float) -> None:
        """Wait until the clock has reached `instant_s`. Raises Undecided at once when that is beyond `patience_s`."""
        if instant_s - self.now_ns() / _SECOND_NS > patience_s:
            raise Undecided(f"The clock of the backend is more than {patience_s:g} s from where this case needs it.")
        while self.now_ns() < instant_s * _SECOND_NS:
            time.sleep(_PAUSE_S)

    def must_be_before(self, instant_s: float) -> None:
        """Raise Undecided unless the clock is at least a second short of `instant_s`: something took too long."""
        if self.now_ns() + _SECOND_NS > instant_s * _SECOND_NS:
            raise Undecided("The case was too slow: a lifetime it relies on was over, or nearly so.")

    def mid_second(self) -> int:
        """Wait for the middle of a second, and return that second: a request sent now is checked within it.

        At least 0.3 s away from its start and 0.4 s from its end.
        """
        first, last = _MIDDLE_NS
        while not first <= self.now_ns() % _SECOND_NS < last:
            time.sleep(_PAUSE_S)
        return self.now_s()


def set_clock(deployment: Deployment, instant_ns: int, publish: Callable[[], Published]) -> None:
    """Set the clock of a deployment whose clock nobody has moved to an instant, nanoseconds since the epoch.

    `publish` stores something new: its receipt tells the clock, before and after. Raises Missing without the control,
    Undecided when the clock does not come to stand there, and what `Published.meta` raises.
    """
    deployment.clock_offset((instant_ns - BackendClock(publish()).now_ns()) // 1_000_000)
    if abs(BackendClock(publish()).now_ns() - instant_ns) > _SET_NS:
        raise Undecided("The clock of the backend was set, but its receipts do not show the time it was set to.")
