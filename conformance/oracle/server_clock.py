"""The clock behind server_ns, seen over several publishes (API-212.c1): it runs as fast as this side's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.oracle.violation import Violation
from conformance.wire.transcript import Meta


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One publish that stored something: when it was sent and answered by this side's monotonic clock, and server_ns.

    All in nanoseconds.
    """

    invoked_ns: int
    completed_ns: int
    server_ns: int


def steady(readings: Sequence[Reading], *, slack_ns: int) -> None:
    """Judge that each server_ns was read between the sending of its publish and the answer (API-212.c1).

    Nobody knows how far the two clocks are apart, and any distance is lawful. But each publish bounds it, and the
    bounds of all must have a value in common. `slack_ns` is what steps of the target's clock (V10) and clocks of
    several machines behind one endpoint may add; the readings have to spread over more. Reason: `clock-astray`.
    """
    least = max(readings, key=lambda each: each.server_ns - each.completed_ns)
    most = min(readings, key=lambda each: each.server_ns - each.invoked_ns)
    apart = (least.server_ns - least.completed_ns) - (most.server_ns - most.invoked_ns)
    if apart > slack_ns:
        raise Violation(
            "clock-astray",
            f"No one distance between the clocks fits every server_ns: they are {apart} ns out of step.",
            witness={"one publish": least, "other publish": most, "slack": slack_ns},
        )


def taken_after(metas: Sequence[Meta], instant_ns: int, *, slack_ns: int) -> None:
    """Judge that every server_ns is from after an instant of the target's clock, in nanoseconds (API-212.d).

    `slack_ns` is what steps of the clock (V10) and clocks of several machines may take off. Reason: `too-early`.
    """
    early = [meta for meta in metas if meta.server_ns < instant_ns - slack_ns]
    if early:
        raise Violation(
            "too-early",
            f"A server_ns is {instant_ns - early[0].server_ns} ns before the admission of its publish was over.",
            witness={"receipt": early[0], "admission still went on at": instant_ns, "slack": slack_ns},
        )
