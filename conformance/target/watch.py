"""Watching a topic while something happens to it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.target.node import Node
    from conformance.wire.transcript import Seen

_Result = TypeVar("_Result")


def watched(node: Node, topic: bytes, action: Callable[[], _Result]) -> tuple[_Result, tuple[Seen, ...]]:
    """Carry out `action` while this thread reads the first page of `topic` over and over; its result, and all seen.

    One read begins after the action has started and none after it has ended. Raises what the action raises, and what
    reading a page raises.
    """
    seen: list[Seen] = []
    with ThreadPoolExecutor(1, thread_name_prefix="watched") as executor:
        running = executor.submit(action)
        while True:
            seen += node.query(topic, limit=node.limits.max_query_limit).seen
            if running.done():
                return running.result(), tuple(seen)
