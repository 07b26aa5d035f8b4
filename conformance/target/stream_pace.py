"""How long to wait for what a stream owes: scaled to what was seen on the same connection."""

from __future__ import annotations

import statistics
import threading
from collections import deque
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from conformance.target.patience import PATIENCE_S

if TYPE_CHECKING:
    from conformance.wire.channel import Connection

_LEAST_S = 5.0
_TIMES_MEDIAN = 20
_REMEMBERED = 200


class Pace:
    """The waits that ended well on one connection, in seconds. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waits: deque[float] = deque(maxlen=_REMEMBERED)

    def learn(self, waited_s: float) -> None:
        """Remember a wait that ended with what was waited for."""
        with self._lock:
            self._waits.append(waited_s)

    @property
    def patience_s(self) -> float:
        """Seconds to wait: 5, or 20 times the median seen, or what a publish and its settling may take."""
        with self._lock:
            median = statistics.median(self._waits) if self._waits else 0.0
        return max(_LEAST_S, _TIMES_MEDIAN * median, PATIENCE_S)


_paces: WeakKeyDictionary[Connection, Pace] = WeakKeyDictionary()


def pace_of(connection: Connection) -> Pace:
    """Return the pace of a connection, which all its streams share."""
    return _paces.setdefault(connection, Pace())
