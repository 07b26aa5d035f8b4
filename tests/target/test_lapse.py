"""Letting envelopes expire: the clock goes past the last expiry time, and nothing is decided where there is none."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from conformance.target.backend_clock import BackendClock
from conformance.target.deployment import Deployment
from conformance.target.errors import Undecided
from conformance.target.lapse import Lapse
from conformance.target.node import Node
from conformance.wire.transcript import Meta

NS_PER_SECOND = 1_000_000_000
NOW_S = 1_800_000_000


def meta(expiry_ns: int) -> Meta:
    return Meta(
        sequence_id=1,
        server_ns=NOW_S * NS_PER_SECOND,
        message_hash=bytes(32),
        topic=bytes(17),
        expiry_ns=expiry_ns,
        is_commit_or_proposal=False,
    )


@pytest.fixture
def offsets() -> list[int]:
    return []


@pytest.fixture
def moved(offsets: list[int]) -> Lapse:
    deployment = cast(Deployment, SimpleNamespace(clock_offset=offsets.append))
    return Lapse(cast(Node, None), deployment, moves_clock=True)


def test_the_clock_is_moved_past_the_last_expiry_time(moved: Lapse, offsets: list[int]) -> None:
    clock = cast(BackendClock, SimpleNamespace(now_s=lambda: NOW_S))
    expiries = [0, (NOW_S + 1) * NS_PER_SECOND, (NOW_S + 5) * NS_PER_SECOND + 999_999_999]
    moved.let_expire(clock, map(meta, expiries))
    (offset_ms,) = offsets
    assert (NOW_S * 1000 + offset_ms) * 1_000_000 > max(expiries)


def test_nothing_is_decided_where_no_envelope_expires(moved: Lapse, offsets: list[int]) -> None:
    with pytest.raises(Undecided, match="expiry time"):
        moved.let_expire(cast(BackendClock, SimpleNamespace(now_s=lambda: NOW_S)), [meta(0)])
    assert offsets == []
