"""The time that generated lifetimes are made around: that of the target, because the target checks them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from conformance.craft.draw import Draw
from conformance.craft.group_message import new_message
from conformance.target.backend_clock import BackendClock
from conformance.target.errors import Undecided
from conformance.target.node import Node
from conformance.wire.recorder import Recorder, recording

if TYPE_CHECKING:
    from collections.abc import Callable

_PATIENCE_S = 5.0


class TargetClock:
    """The clock of the target, looked at once, when a node of it is first seen; until then that of this machine.

    A client whose clock is that of the target is what every real client tries to be: with a target whose clock is
    wrong, lifetimes around the right time would be refused, and nothing in the contract says that its clock is right.
    """

    def __init__(self, salt: bytes) -> None:
        self._salt = salt
        self._now_s: Callable[[], float] = time.time
        self._looked = False

    def now_s(self) -> int:
        """Whole seconds since the Unix epoch."""
        return int(self._now_s())

    def watch(self, node: Node) -> Node:
        """Look at the clock of this node, unless one was looked at before, and return the node.

        A target that does not take an ordinary message or tells no time keeps the clock of this machine.
        """
        if not self._looked:
            self._looked = True
            draw = Draw(0, self._salt + b"clock")
            patient = Node(node.connection, node.limits, deadline_s=_PATIENCE_S)
            try:
                with recording(Recorder()):
                    self._now_s = BackendClock(patient.publish(new_message(draw, draw.group_id()))).now_s
            except (Undecided, AssertionError):
                self._now_s = time.time
        return node
