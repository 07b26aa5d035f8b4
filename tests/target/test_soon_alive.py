"""Where a test can wait for keepalives: at short timers, at a short interval, or when it may take minutes."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import cast

import pytest

from conformance.target.errors import Missing
from conformance.target.pool import Pool
from conformance.target.soon_alive import configured_pong_wait_s, soon_alive


def pool(*, interval_ms: int, lacks: str | None) -> Pool:
    """Make a pool of a default deployment with an interval, and one with short timers unless a control is lacking."""
    stream = SimpleNamespace(started=lambda: SimpleNamespace(interval_ms=interval_ms))
    node = SimpleNamespace(subscribe=lambda: nullcontext(stream), kind="default")

    def deployment(name: str = "default") -> object:
        if name == "default":
            return SimpleNamespace(node=lambda: node)
        if lacks is not None:
            raise Missing(lacks, "not here")
        return SimpleNamespace(node=lambda: SimpleNamespace(kind=name))

    return cast(Pool, SimpleNamespace(deployment=deployment))


def chosen(found: Pool, *, minutes: bool = False) -> str:
    return cast(str, cast(SimpleNamespace, soon_alive(found, may_wait_minutes=minutes)).kind)


def test_short_timers_are_taken_where_they_can_be_had() -> None:
    found = pool(interval_ms=30_000, lacks=None)
    assert chosen(found) == "short-timers"
    assert configured_pong_wait_s(found) == 0.9


def test_without_them_a_short_interval_will_do_and_a_long_one_takes_leave_to_wait() -> None:
    assert chosen(pool(interval_ms=1000, lacks="timers")) == "default"
    assert chosen(pool(interval_ms=30_000, lacks="timers"), minutes=True) == "default"
    with pytest.raises(Missing, match="timers: the interval is 30 s; use --profile thorough"):
        chosen(pool(interval_ms=30_000, lacks="timers"))


def test_the_wait_for_a_pong_is_known_of_a_deployment_started_here_only() -> None:
    with pytest.raises(Missing):
        configured_pong_wait_s(pool(interval_ms=300, lacks="timers"))


def test_a_lack_of_room_is_no_lack_of_timers() -> None:
    with pytest.raises(Missing, match="deployments"):
        chosen(pool(interval_ms=300, lacks="deployments"), minutes=True)
