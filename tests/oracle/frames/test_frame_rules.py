"""Each rule about the frames of a stream by example: the broken case, and the lawful one that differs only in it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.oracle.frames import (
    Known,
    Receipt,
    caught_up_together,
    delivered_in_time,
    findings,
    judge,
    notes,
    silence_broken,
)
from conformance.oracle.violation import Violation
from conformance.pb import backend_pb2 as pb
from conformance.wire.transcript import Code, Frame, Meta, Status, StreamCall

A, B, C = (bytes(16) + bytes([n]) for n in (1, 2, 3))
KEY_PACKAGES = b"\x03" + bytes(32)
MS = 1_000_000


def started(interval_ms: int = 300) -> pb.SubscribeResponse:
    return pb.SubscribeResponse(started=pb.SubscribeResponse.Started(keepalive_interval_ms=interval_ms))


def update(number: int, *adds: bytes | tuple[bytes, int], removes: tuple[bytes, ...] = ()) -> pb.SubscribeRequest:
    message = pb.SubscribeRequest()
    message.update.id = number
    for add in adds:
        topic, cursor = add if isinstance(add, tuple) else (add, 0)
        query = message.update.adds.add()
        query.topic.topic, query.cursor.sequence_id = topic, cursor
    for topic in removes:
        message.update.removes.add().topic = topic
    return message


def applied(number: int, *targets: tuple[bytes, int]) -> pb.SubscribeResponse:
    message = pb.SubscribeResponse()
    message.applied.id = number
    for topic, through in targets:
        target = message.applied.added_targets.add()
        target.topic.topic, target.through_sequence_id = topic, through
    return message


def messages(*rows: tuple[bytes, int]) -> pb.SubscribeResponse:
    message = pb.SubscribeResponse()
    message.messages.SetInParent()
    for topic, number in rows:
        meta = message.messages.envelopes.add().meta
        meta.topic.topic, meta.cursor.sequence_id, meta.message_hash.sha256 = topic, number, bytes(32)
    return message


def ping(nonce: int) -> pb.SubscribeResponse:
    return pb.SubscribeResponse(ping=pb.Ping(nonce=nonce))


def my_pong(nonce: int) -> pb.SubscribeRequest:
    return pb.SubscribeRequest(pong=pb.Pong(nonce=nonce))


def my_ping(nonce: int) -> pb.SubscribeRequest:
    return pb.SubscribeRequest(ping=pb.Ping(nonce=nonce))


def pong(nonce: int) -> pb.SubscribeResponse:
    return pb.SubscribeResponse(pong=pb.Pong(nonce=nonce))


def stream(
    *steps: object, status: Status | None = None, half_closed: bool = False, at_ms: tuple[int, ...] = ()
) -> StreamCall:
    """One frame a millisecond, or at the times given."""
    frames = tuple(
        Frame(
            sent=isinstance(step, pb.SubscribeRequest),
            at_ns=(at_ms[place] if at_ms else place + 1) * MS,
            data=step if isinstance(step, bytes) else step.SerializeToString(),  # type: ignore[attr-defined]
        )
        for place, step in enumerate(steps)
    )
    return StreamCall(
        number=1,
        endpoint="e:1",
        method="/xmtp.backend.v1.SubscriptionService/Subscribe",
        frames=frames,
        status=status,
        half_closed_at=len(frames) if half_closed else None,
        ended_ns=None if status is None else (frames[-1].at_ns if frames else 0) + MS,
    )


def meta(topic: bytes, number: int) -> Meta:
    return Meta(
        sequence_id=number,
        server_ns=0,
        message_hash=bytes(32),
        topic=topic,
        expiry_ns=0,
        is_commit_or_proposal=False,
    )


def stored(*rows: tuple[bytes, int], at_ms: int = 0, closed: bool = True, lagging: bool = False) -> Known:
    return Known(
        receipts=tuple(Receipt(meta=meta(*row), received_ns=at_ms * MS) for row in rows),
        closed=frozenset({A, B, C}) if closed else frozenset(),
        lagging=lagging,
    )


def reasons(call: StreamCall, known: Known | None = None) -> list[str]:
    return [each.reason for each in findings(call, known or Known())]


INVALID = {
    "API-251.a": update(0, A),
    "API-251.b": update(3, A),
    "API-251.c": update(9, A, A),
    "API-251.d": update(9, A + b"x"),
    "API-251.e": pb.SubscribeRequest(update=pb.SubscribeRequest.Update(id=9, adds=[pb.TopicQuery()])),
    "API-251.f": update(9, (A, 1 << 63)),
    "API-251.g": pb.SubscribeRequest(),
}


@pytest.mark.parametrize("clause", INVALID)
def test_an_invalid_frame_is_never_applied_nor_anything_behind_it(clause: str) -> None:
    bad = INVALID[clause]
    before = (started(), update(3), applied(3), bad)
    assert reasons(stream(*before, status=Status(code=Code.INVALID_ARGUMENT))) == []
    assert "invalid-accepted" in reasons(stream(*before, update(20), applied(20)))
    judge(stream(*before, update(20), applied(20)), Known(), "API-252.a")
    with pytest.raises(Violation, match="must fail the stream"):
        judge(stream(*before, update(20), applied(20)), Known(), clause)
    if bad.HasField("update"):
        own = stream(*before, applied(bad.update.id, (A, 0)), status=Status(code=Code.INVALID_ARGUMENT))
        assert "invalid-accepted" in reasons(own)


def test_rows_of_an_invalid_update_are_never_delivered() -> None:
    call = stream(started(), update(1, A, A), messages((A, 5)))
    with pytest.raises(Violation, match="named in an invalid request only"):
        judge(call, Known(), "API-251.h")


def test_several_updates_share_no_applied() -> None:
    call = stream(started(), update(1, A), update(2, B), applied(2, (A, 0), (B, 0)))
    assert reasons(call) == ["applied-missing"]


def test_a_missing_applied_behind_a_half_close_is_a_note() -> None:
    call = stream(started(), update(1, A), half_closed=True, status=Status(code=Code.OK))
    assert reasons(call) == []
    assert "no Applied" in notes(call)[0]


def test_a_registered_topic_keeps_its_registration() -> None:
    begun = (started(), update(1, A), applied(1, (A, 9)), messages((A, 8), (A, 9)), update(2, (A, 100)))
    known = stored((A, 8), (A, 9), (A, 10), (A, 101), lagging=True)
    assert reasons(stream(*begun, applied(2), messages((A, 10), (A, 101))), known) == []
    with pytest.raises(Violation, match="lists the topics that an Update newly registered"):
        judge(stream(*begun, applied(2, (A, 9))), known, "API-253.a")
    with pytest.raises(Violation, match=r"without id 10"):
        judge(stream(*begun, applied(2), messages((A, 101))), known, "API-253.a")


def test_a_topic_added_anew_starts_from_its_cursor() -> None:
    begun = (started(), update(1, A), applied(1, (A, 9)), messages((A, 8), (A, 9)))
    again = (*begun, update(2, removes=(A,)), applied(2), update(3, (A, 8)), applied(3, (A, 9)))
    known = stored((A, 8), (A, 9))
    assert reasons(stream(*again, messages((A, 9))), known) == []
    with pytest.raises(Violation, match="not above the cursor 8"):
        judge(stream(*again, messages((A, 8))), known, "API-253.d")


def test_nothing_comes_behind_the_applied_of_a_removal_and_anything_before_it() -> None:
    begun = (started(), update(1, A), applied(1, (A, 9)), update(2, removes=(A,)), messages((A, 8)), applied(2))
    known = stored((A, 8), (A, 9))
    assert reasons(stream(*begun), known) == []
    with pytest.raises(Violation, match="behind the Applied of the removal"):
        judge(stream(*begun, messages((A, 9))), known, "API-253.c")
    with pytest.raises(Violation, match="before the Applied of its add"):
        judge(stream(*begun, update(3, A), messages((A, 8)), applied(3, (A, 9))), known, "API-252.e")


def test_a_target_is_an_id_of_its_own_topic() -> None:
    known = stored((A, 5), (B, 7))
    assert reasons(stream(started(), update(1, A), applied(1, (A, 5))), known) == []
    assert reasons(stream(started(), update(1, A), applied(1, (A, 7))), known) == ["foreign-target"]
    assert reasons(stream(started(), update(1, A), applied(1, (A, 6))), known) == ["unknown-target"]
    assert reasons(stream(started(), update(1, A), applied(1, (A, 6))), replace(known, closed=frozenset())) == []


def test_a_target_is_not_below_a_receipt_held_before_unless_a_copy_lags() -> None:
    call = stream(started(), update(1, A), applied(1, (A, 4)))
    assert reasons(call, stored((A, 4), (A, 5))) == ["stale-target"]
    assert reasons(call, stored((A, 4), (A, 5), lagging=True)) == []
    late = Receipt(meta=meta(A, 5), received_ns=2 * MS)
    known = stored((A, 4))
    assert reasons(call, replace(known, receipts=(*known.receipts, late))) == [], "the Update was sent at 2 ms"


def test_a_target_that_was_passed_without_being_delivered_is_a_hole() -> None:
    call = stream(started(), update(1, A), applied(1, (A, 6)), messages((A, 5), (A, 7)))
    assert reasons(call) == ["hole"]
    assert reasons(call, Known(expired=frozenset({6}))) == []


def test_an_id_belongs_to_one_topic() -> None:
    call = stream(started(), update(1, A, B), applied(1, (A, 0), (B, 0)), messages((A, 5), (B, 5)))
    assert reasons(call) == ["id-reused"]


CAUGHT_UP = (started(), update(1, A, B), applied(1, (A, 3), (B, 13)))


def test_no_topic_gets_a_second_frame_of_history_before_every_other_has_its_first() -> None:
    assert reasons(stream(*CAUGHT_UP, messages((A, 1)), messages((B, 11)), messages((A, 2)))) == []
    assert reasons(stream(*CAUGHT_UP, messages((A, 1)), messages((A, 2), (B, 11)))) == [], "one frame serves both"
    call = stream(*CAUGHT_UP, messages((A, 1)), messages((A, 2)), messages((B, 11)))
    assert reasons(call) == ["starved"]
    with pytest.raises(Violation, match="got a second frame"):
        judge(call, Known(), "API-261.a")


def test_live_frames_removals_and_late_topics_are_no_unfairness() -> None:
    live = stream(*CAUGHT_UP, messages((A, 1), (A, 2), (A, 3)), messages((A, 4)), messages((A, 5)))
    assert reasons(live) == []
    removed = stream(*CAUGHT_UP, messages((A, 1)), update(2, removes=(B,)), messages((A, 2)), applied(2))
    assert reasons(removed) == []
    expired = stream(*CAUGHT_UP, messages((A, 1)), messages((A, 2)))
    assert reasons(expired, Known(expired=frozenset({13}))) == []
    late = stream(
        started(),
        update(1, A),
        applied(1, (A, 9)),
        messages((A, 1)),
        update(2, B),
        applied(2, (B, 13)),
        messages((A, 2)),
        messages((A, 3)),
        messages((A, 4)),
    )
    assert reasons(late) == []
    assert "added while others caught up" in notes(late)[0]


def test_a_later_round_out_of_turn_is_a_note() -> None:
    rows = (messages((A, 1)), messages((B, 11)), messages((A, 2)), messages((A, 3)), messages((B, 12)))
    call = stream(started(), update(1, A, B), applied(1, (A, 3), (B, 13)), *rows)
    assert reasons(call) == []
    assert "do not take turns" in notes(call)[0]
    assert caught_up_together(call)
    assert not caught_up_together(stream(*CAUGHT_UP, messages((A, 1), (B, 11)), messages((A, 2))))


def test_one_ping_is_open_at_a_time() -> None:
    assert reasons(stream(started(), ping(1), my_pong(1), ping(1), my_pong(1), ping(2))) == []
    assert reasons(stream(started(), ping(1), my_pong(2), ping(2))) == ["second-ping"]


def test_pongs_carry_the_nonces_of_the_pings() -> None:
    assert reasons(stream(started(), my_ping(0), my_ping(1), pong(1), pong(0))) == []
    assert reasons(stream(started(), my_ping(1), pong(2))) == ["wrong-nonce"]
    assert reasons(stream(started(), my_ping(1), pong(1), pong(1))) == ["unasked-pong"]


@pytest.mark.parametrize("code", [code for code in Code if code is not Code.OK])
def test_an_end_that_this_side_made_proves_nothing(code: Code) -> None:
    assert reasons(stream(started(), status=Status(code=code, local=True))) == []


def test_only_the_client_ends_a_healthy_stream() -> None:
    assert reasons(stream(started(), status=Status(code=Code.OK), half_closed=True)) == []
    assert reasons(stream(started(), status=Status(code=Code.OK))) == ["ended-healthy"]
    assert reasons(stream(status=Status(code=Code.OK), half_closed=True)) == ["no-started"]


def test_a_valid_stream_is_not_refused_but_for_bounds_and_key_packages() -> None:
    refused = Status(code=Code.INVALID_ARGUMENT)
    call = stream(started(), update(1, A), status=refused)
    assert reasons(call) == ["refused-valid"]
    assert reasons(call, Known(within_limits=False)) == []
    assert reasons(stream(started(), update(1, KEY_PACKAGES), status=refused)) == []


def test_nothing_comes_behind_the_end() -> None:
    call = stream(started(), ping(1), status=Status(code=Code.UNAVAILABLE))
    assert reasons(call) == []
    assert reasons(replace(call, ended_ns=MS + 1)) == ["frame-behind-end"]


def test_an_unknown_member_is_a_note_and_garbage_is_a_violation() -> None:
    assert reasons(stream(started(), b"")) == []
    assert "none of the members" in notes(stream(started(), b""))[0]
    assert reasons(stream(started(), b"\xff")) == ["bad-frame"]


def test_the_witness_is_the_shortest_excerpt() -> None:
    call = stream(*CAUGHT_UP, messages((A, 1)), messages((B, 11)), messages((A, 1)))
    with pytest.raises(Violation) as caught:
        judge(call)
    assert [name for name in caught.value.witness if name.startswith("frame")] == ["frame 3", "frame 5"]
    assert "received Messages: #1 on " in str(caught.value)


def test_what_was_published_is_delivered_in_time_while_the_stream_lives() -> None:
    begun = (started(), update(1, A), applied(1, (A, 0)))
    known = stored((A, 5), at_ms=10)
    dead = stream(*begun, at_ms=(1, 2, 3))
    delivered_in_time(dead, known, patience_ns=100 * MS)
    on_time = stream(*begun, messages((A, 5)), ping(1), at_ms=(1, 2, 3, 109, 200))
    delivered_in_time(on_time, known, patience_ns=100 * MS)
    alive = stream(*begun, ping(1), at_ms=(1, 2, 3, 111))
    with pytest.raises(Violation, match="the stream was alive"):
        delivered_in_time(alive, known, patience_ns=100 * MS)
    delivered_in_time(alive, replace(known, expired=frozenset({5})), patience_ns=100 * MS)
    removed = stream(*begun, update(2, removes=(A,)), ping(1), at_ms=(1, 2, 3, 4, 111))
    delivered_in_time(removed, known, patience_ns=100 * MS)


def test_silence_is_broken_unless_a_ping_waits() -> None:
    ok = Status(code=Code.UNAVAILABLE)
    kept = stream(started(100), ping(1), my_pong(1), ping(2), at_ms=(1, 150, 160, 400), status=ok)
    silence_broken(kept, slack_ns=50 * MS)
    silence_broken(stream(started(100), ping(1), at_ms=(1, 200)), slack_ns=0, until_ns=9000 * MS)
    with pytest.raises(Violation, match="Nothing came for"):
        silence_broken(stream(started(100), my_pong(3), at_ms=(1, 200)), slack_ns=0, until_ns=300 * MS)
    answered = stream(started(100), ping(1), my_pong(1), at_ms=(1, 100, 150))
    silence_broken(answered, slack_ns=0, until_ns=350 * MS)
    with pytest.raises(Violation, match="Nothing came for"):
        silence_broken(answered, slack_ns=0, until_ns=352 * MS)
