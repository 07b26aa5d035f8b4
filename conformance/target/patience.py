"""Waiting for an answer that a lagging copy may give only after a while (API section 1)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

# Seconds. Nothing bounds the lag of a copy, but what a backend is still at after its limit for a publish (10 s unless
# an operator changes it) and the wait for others before it (1 s) is not on its way any more.
PATIENCE_S = 12.0
_PAUSE_S = 0.01

_Answer = TypeVar("_Answer")


def until(
    ask: Callable[[], _Answer], satisfied: Callable[[_Answer], bool], *, patience_s: float = PATIENCE_S
) -> _Answer:
    """Ask again and again until an answer is satisfying or `patience_s` seconds are over; return the last answer."""
    end = time.monotonic() + patience_s
    while True:
        answer = ask()
        if satisfied(answer) or time.monotonic() >= end:
            return answer
        time.sleep(_PAUSE_S)
