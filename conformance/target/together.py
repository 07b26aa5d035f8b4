"""Several calls at the same moment, one thread each, alone or beside something that is done over and over."""

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


def meanwhile(repeated: Callable[[], object], *calls: Callable[[], _Result]) -> list[_Result]:
    """Do as `together`, and carry out `repeated` in this thread over and over until all calls have ended.

    It runs once more after that, so that it meets what the last call left behind. Its exception is raised as it is,
    once every call has ended.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="meanwhile") as executor:
        running = executor.submit(together, *calls)
        while not running.done():
            repeated()
    repeated()
    return running.result()
