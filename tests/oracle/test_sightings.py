"""One envelope in several answers, ids, clocks and presence: what is lawful passes, each single breach is named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.oracle.influence import HOUR_NS, unmoved
from conformance.oracle.order import in_range
from conformance.oracle.presence import index_as_due
from conformance.oracle.reads import one_hash, same_field, same_payload_everywhere
from conformance.oracle.server_clock import Reading, steady, taken_after
from conformance.oracle.violation import Violation
from conformance.wire.transcript import Meta, PublishFailure, Seen

META = Meta(
    sequence_id=7,
    server_ns=5,
    message_hash=b"h" * 32,
    topic=b"\x00" + b"g" * 16,
    expiry_ns=9,
    is_commit_or_proposal=False,
)
FIELDS = ("sequence_id", "server_ns", "message_hash", "topic", "expiry_ns", "is_commit_or_proposal")
# group_message.data and .sender_hmac, each its own submessage part or both in one
ENVELOPE = b"\x0a\x06\x0a\x01d\x12\x01h"
SAME_IN_PARTS = b"\x0a\x03\x12\x01h\x0a\x03\x0a\x01d"
OTHER = b"\x0a\x06\x0a\x01d\x12\x01i"
SECOND = 10**9


def changed(name: str) -> Meta:
    value = getattr(META, name)
    other: dict[str, Any] = {name: not value if isinstance(value, bool) else value * 2}
    return replace(META, **other)


def reason_of(raised: pytest.ExceptionInfo[Violation]) -> str:
    return raised.value.reason


@pytest.mark.parametrize("name", FIELDS)
def test_one_field_is_looked_at_and_no_other(name: str) -> None:
    for other in FIELDS:
        if other != name:
            same_field(name, META, [META, changed(other)], where="A read")
    with pytest.raises(Violation) as raised:
        same_field(name, META, [META, changed(name)], where="A read")
    assert reason_of(raised) == f"{name.replace('_', '-')}-differs"


def test_a_hash_has_32_bytes_and_does_not_change() -> None:
    one_hash(META, [META, changed("sequence_id")], where="A read")
    for receipt, reason in ((changed("message_hash"), "hash-length"), (META, "message-hash-differs")):
        with pytest.raises(Violation) as raised:
            one_hash(receipt, [changed("message_hash")], where="A read")
        assert reason_of(raised) == reason


def test_a_payload_is_the_same_in_every_read_and_in_one_at_least() -> None:
    def seen(*envelopes: bytes | None) -> list[Seen]:
        return [Seen(source="Query", meta=META, envelope=envelope) for envelope in envelopes]

    same_payload_everywhere(ENVELOPE, seen(None, SAME_IN_PARTS, ENVELOPE))
    for sightings, reason in ((seen(None), "lost"), ([], "lost"), (seen(ENVELOPE, OTHER), "payload-changed")):
        with pytest.raises(Violation) as raised:
            same_payload_everywhere(ENVELOPE, sightings)
        assert reason_of(raised) == reason


@pytest.mark.parametrize("number", [-1, 0, 1 << 63, (1 << 64) - 1])
def test_an_id_outside_its_range_is_named(number: int) -> None:
    in_range([META, replace(META, sequence_id=1), replace(META, sequence_id=(1 << 63) - 1)])
    with pytest.raises(Violation, match=str(number)):
        in_range([META, replace(META, sequence_id=number)])


def test_a_claim_may_move_nothing_but_id_and_hash() -> None:
    later = replace(META, server_ns=META.server_ns + HOUR_NS, expiry_ns=META.expiry_ns + HOUR_NS)
    for lawful in (replace(changed("sequence_id"), message_hash=b"i" * 32), later):
        unmoved(META, lawful)
    much_later = replace(later, server_ns=later.server_ns + 1, expiry_ns=later.expiry_ns + 1)
    for moved in (*(changed(name) for name in ("topic", "expiry_ns", "is_commit_or_proposal")), much_later):
        with pytest.raises(Violation) as raised:
            unmoved(META, moved)
        assert reason_of(raised) == "influenced"


def test_an_index_is_there_exactly_when_it_is_due() -> None:
    absent, zero = PublishFailure(index=None, reason=1), PublishFailure(index=0, reason=1)
    index_as_due(zero, due=True)
    index_as_due(absent, due=False)
    for failure, reason in ((absent, "index-absent"), (zero, "index-present")):
        with pytest.raises(Violation) as raised:
            index_as_due(failure, due=failure is absent)
        assert reason_of(raised) == reason


@given(
    calls=st.lists(st.tuples(st.integers(0, SECOND), st.integers(0, SECOND), st.floats(0, 1)), min_size=1, max_size=8),
    apart_ns=st.integers(-(10**15), 10**15),
    step_ns=st.sampled_from((1, 1000, 10**6, 15 * 10**6)),
)
def test_a_clock_that_runs_is_steady_however_far_away_and_coarse(
    calls: list[tuple[int, int, float]], apart_ns: int, step_ns: int
) -> None:
    readings, now = [], 10**18
    for pause, took, share in calls:
        invoked = now + pause
        now = invoked + took
        shown = (invoked + int(took * share) + apart_ns) // step_ns * step_ns
        readings.append(Reading(invoked_ns=invoked, completed_ns=now, server_ns=shown))
    steady(readings, slack_ns=step_ns)


@given(took_ns=st.integers(0, SECOND // 20), count=st.integers(2, 30))
def test_a_clock_that_stands_still_or_jumps_is_astray(took_ns: int, count: int) -> None:
    starts = [SECOND * number // 5 for number in range(count)]
    still = [Reading(invoked_ns=start, completed_ns=start + took_ns, server_ns=4 * SECOND) for start in starts]
    steady(still[:1], slack_ns=SECOND // 10)
    with pytest.raises(Violation) as raised:
        steady(still, slack_ns=SECOND // 10)
    assert reason_of(raised) == "clock-astray"


@given(server_ns=st.integers(0, 2**62), late_ns=st.integers(0, SECOND), slack_ns=st.integers(0, SECOND))
def test_a_time_may_come_before_its_instant_by_the_slack_alone(server_ns: int, late_ns: int, slack_ns: int) -> None:
    metas = [replace(META, server_ns=server_ns), replace(META, server_ns=server_ns + late_ns)]
    taken_after(metas, server_ns + slack_ns, slack_ns=slack_ns)
    with pytest.raises(Violation, match="before the admission"):
        taken_after(metas, server_ns + slack_ns + 1, slack_ns=slack_ns)
