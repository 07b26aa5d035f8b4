"""An endpoint whose keepalive interval a test can afford to wait for several times (API-255, API-257)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.target.configurations import configuration
from conformance.target.errors import Missing

if TYPE_CHECKING:
    from conformance.target.node import Node
    from conformance.target.pool import Pool

_NAME = "short-timers"
_LONGEST_MS = 1000
_MS = 1000


def soon_alive(pool: Pool, *, may_wait_minutes: bool) -> Node:
    """Give an endpoint of a deployment with short timers, else one whose announced interval is short enough as it is.

    With `may_wait_minutes` any interval is. Raises Missing when there is no such endpoint.
    """
    try:
        return pool.deployment(_NAME).node()
    except Missing as missing:
        if missing.control != "timers":
            raise
    node = pool.deployment().node()
    if may_wait_minutes:
        return node
    with node.subscribe() as stream:
        interval_ms = stream.started().interval_ms
    if interval_ms > _LONGEST_MS:
        why = f"the interval is {interval_ms / _MS:g} s; use --profile thorough, or an adapter with this control"
        raise Missing("timers", why)
    return node


def configured_pong_wait_s(pool: Pool) -> float:
    """Give the wait for a Pong that such a deployment was started with, in seconds. Raises Missing where none was."""
    pool.deployment(_NAME)
    timers = configuration(_NAME).arguments["timers"]
    if not isinstance(timers, dict):
        raise TypeError("the timers of a configuration are a table")
    return int(timers["pong_ms"]) / _MS
