"""Several calls at the same moment: a barrier, one thread each, and all their results."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Result = TypeVar("_Result")


def together(*calls: Callable[[], _Result]) -> list[_Result]:
    """Start all calls at once and return their results in the order given.

    Every call is run to its end; then the first exception, if any, is raised as it is.
    """
    barrier = threading.Barrier(len(calls))

    def at_the_barrier(call: Callable[[], _Result]) -> _Result:
        barrier.wait()
        return call()

    with ThreadPoolExecutor(len(calls), thread_name_prefix="together") as executor:
        running = [executor.submit(at_the_barrier, call) for call in calls]
    return [future.result() for future in running]
