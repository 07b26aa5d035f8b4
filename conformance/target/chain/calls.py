"""The calls a chain has had: noted when they arrive, kept up to a number, and waited for."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from conformance.target.chain.answers import Answer
from conformance.target.chain.call_data import Asked

MOST_KEPT = 10_000


@dataclass(kw_only=True, eq=False)
class ChainCall:
    """One call: what was asked, if it was about a signature, and the block it was asked at.

    Until it is answered, `answer` is None and `ended_ns` is 0. Times are monotonic nanoseconds.
    """

    number: int
    method: str
    params: list[Any]
    asked: Asked | None
    block: int | None
    started_ns: int
    answer: Answer | None = None
    ended_ns: int = 0


class Calls:
    """Notes calls from several threads. The oldest give way to new ones; `total` counts them all."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._kept: deque[ChainCall] = deque(maxlen=MOST_KEPT)
        self._total = 0

    @property
    def total(self) -> int:
        """How many calls there have been."""
        with self._changed:
            return self._total

    def kept(self) -> tuple[ChainCall, ...]:
        """The calls noted, in the order they arrived."""
        with self._changed:
            return tuple(self._kept)

    @contextmanager
    def note(self, method: str, params: list[Any], asked: Asked | None, block: int | None) -> Iterator[ChainCall]:
        """Note a call for as long as it is worked on."""
        with self._changed:
            self._total += 1
            call = ChainCall(
                number=self._total,
                method=method,
                params=params,
                asked=asked,
                block=block,
                started_ns=time.monotonic_ns(),
            )
            self._kept.append(call)
            self._changed.notify_all()
        try:
            yield call
        finally:
            with self._changed:
                call.ended_ns = time.monotonic_ns()
                self._changed.notify_all()

    def wait_for(self, wanted: Callable[[ChainCall], bool], timeout_s: float) -> ChainCall | None:
        """Wait until a call is as wanted, for at most so many seconds: the first such call, or None."""

        def found() -> ChainCall | None:
            return next((call for call in self._kept if wanted(call)), None)

        with self._changed:
            self._changed.wait_for(lambda: found() is not None, timeout_s)
            return found()
