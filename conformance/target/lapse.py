"""Time that passes on a deployment: by moving its clock where that can be done, by waiting where it cannot."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from conformance.target.errors import Missing, Undecided

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conformance.target.backend_clock import BackendClock
    from conformance.target.deployment import Deployment
    from conformance.target.node import Node
    from conformance.target.pool import Pool
    from conformance.wire.transcript import Meta

_CONTROL = "clock"
_SECOND_NS = 1_000_000_000
_MOVED_S = 3600
_WAITED_S = 3


class Lapse:
    """A node on which time can be let pass. `span_s` is how long a thing should last, in seconds, to run out."""

    def __init__(self, node: Node, deployment: Deployment, *, moves_clock: bool) -> None:
        self.node = node
        self.span_s = _MOVED_S if moves_clock else _WAITED_S
        self._deployment = deployment
        self._moves_clock = moves_clock

    def let_pass(self, clock: BackendClock, instant_s: int) -> None:
        """Return when the clock of the backend is past `instant_s`, seconds since the epoch. Raises Undecided."""
        if self._moves_clock:
            self._deployment.clock_offset((instant_s + 1 - clock.now_s()) * 1000)
        else:
            clock.wait_until(instant_s + 1, patience_s=2 * _WAITED_S)

    def let_expire(self, clock: BackendClock, metas: Iterable[Meta]) -> None:
        """Return when all of these envelopes that expire have expired. Undecided too if none does."""
        ends = [meta.expiry_ns for meta in metas if meta.expiry_ns]
        if not ends:
            raise Undecided("No envelope that was published for this case has an expiry time.")
        self.let_pass(clock, max(ends) // _SECOND_NS + 1)


@contextmanager
def lapse(pool: Pool, *, may_wait: bool, name: str = "default") -> Iterator[Lapse]:
    """Give a deployment of its own whose clock can be moved, else the shared one, where the only way is to wait.

    `name` is that of its configuration. Raises Missing when the clock cannot be moved and `may_wait` is False.
    """
    if _CONTROL in pool.subject().controls:
        with pool.exclusive(name) as deployment:
            yield Lapse(deployment.node(), deployment, moves_clock=True)
    elif may_wait:
        deployment = pool.deployment(name)
        yield Lapse(deployment.node(), deployment, moves_clock=False)
    else:
        raise Missing(_CONTROL, "without it this takes seconds of waiting, which the smoke profile leaves out")
