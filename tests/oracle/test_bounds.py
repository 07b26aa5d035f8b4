"""The edges of what is lawful: the last lawful value passes, the first unlawful one is flagged by its class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from conformance.craft.draw import Draw
from conformance.craft.encodings import encoded
from conformance.craft.group_message import new_message
from conformance.craft.topics import topic_of
from conformance.oracle.absence import all_or_none, never_visible, nothing_stored, one_copy
from conformance.oracle.metadata import (
    LAST_SEQUENCE_ID,
    TEN_YEARS_NS,
    complete,
    server_ns_unit,
    server_ns_window,
)
from conformance.oracle.order import ids_above
from conformance.oracle.paging import PageFacts, ascending, reads_own_writes
from conformance.oracle.prefix import TopicRead, kept, no_hole
from conformance.oracle.publish import admitted, one_meta_per_envelope, reason_name, same_where_same
from conformance.oracle.reads import shown_by
from conformance.oracle.violation import Undecidable, Violation
from conformance.oracle.wire_walk import lawful_message, lawful_response
from conformance.wire.transcript import Call, Code, Meta, PublishFailure, Seen, Status

DRAW = Draw(2, b"bounds")
GROUP = DRAW.group_id()
MESSAGE, OTHER = (encoded(new_message(DRAW, GROUP)) for _ in range(2))
NOW = 1_800_000_000_000_000_000
META = Meta(
    sequence_id=5,
    server_ns=NOW,
    message_hash=bytes(32),
    topic=topic_of(MESSAGE),
    expiry_ns=0,
    is_commit_or_proposal=False,
)


def flagged(reason: str, judge: Callable[..., object], *args: object, **kwargs: object) -> Violation:
    with pytest.raises(Violation) as caught:
        judge(*args, **kwargs)
    assert caught.value.reason == reason
    return caught.value


def seen(number: int, envelope: bytes | None) -> Seen:
    return Seen(source="Query", meta=replace(META, sequence_id=number), envelope=envelope)


def call(code: Code, *, local: bool = False, response: bytes | None = None) -> Call:
    status = Status(code=code, local=local)
    return Call(number=1, endpoint="e", method="/s/Publish", request=b"", response=response, status=status)


def test_ids_reach_from_1_to_the_last_signed_one() -> None:
    for number in (1, LAST_SEQUENCE_ID):
        complete(replace(META, sequence_id=number), where="Query")
    for number in (0, (1 << 63), (1 << 64) - 1):
        flagged("id-range", complete, replace(META, sequence_id=number), where="Query")
    assert LAST_SEQUENCE_ID == 9_223_372_036_854_775_807


@pytest.mark.parametrize(("kind", "size"), [(0, 17), (1, 33), (2, 33), (3, 33), (4, 17)])
def test_a_topic_has_exactly_the_length_of_its_kind(kind: int, size: int) -> None:
    complete(replace(META, topic=bytes([kind]).ljust(size, b"\x00")), where="Query")
    for wrong in (1, size - 1, size + 1):
        topic = bytes([kind]).ljust(wrong, b"\x00")
        flagged("wrong-topic", complete, replace(META, topic=topic), where="Query")


def test_no_field_may_be_left_out_of_metadata() -> None:
    flagged("unset", complete, replace(META, server_ns=0), where="Query")
    for field in ("cursor", "message_hash", "topic"):
        broken = flagged("unset", complete, replace(META, absent=frozenset({field})), where="Query")
        assert field in broken.sentence
    for topic in (b"", b"\x05".ljust(33, b"\x00")):
        flagged("wrong-topic", complete, replace(META, topic=topic), where="Query")
    for size in (0, 31, 33):
        flagged("hash-length", complete, replace(META, message_hash=bytes(size)), where="Query")


def test_an_envelope_may_expire_at_once_but_not_before_it_is_stored() -> None:
    complete(replace(META, expiry_ns=NOW), where="Query")
    flagged("expiry-before-storing", complete, replace(META, expiry_ns=NOW - 1), where="Query")


@pytest.mark.parametrize(("unit", "ns"), [("microseconds", 1_000), ("milliseconds", 1_000_000), ("seconds", 10**9)])
def test_a_time_in_another_unit_is_named_for_it(unit: str, ns: int) -> None:
    for years in (-9, 0, 9):
        time = (NOW + years * TEN_YEARS_NS // 10) // ns
        broken = flagged("wrong-unit", server_ns_unit, replace(META, server_ns=time), now_ns=NOW)
        assert f"one in {unit}." in broken.sentence


def test_a_time_of_the_right_unit_may_be_ten_years_off_but_within_a_publish_only_by_the_skew() -> None:
    assert TEN_YEARS_NS == 315_360_000 * 10**9
    for off in (-TEN_YEARS_NS, TEN_YEARS_NS):
        server_ns_unit(META, now_ns=NOW + off)
        broken = flagged("wrong-unit", server_ns_unit, META, now_ns=NOW + off + (1 if off > 0 else -1))
        assert "one in" not in broken.sentence
    server_ns_window(META, invoked_ns=NOW + 7, completed_ns=NOW + 9, skew_ns=7)
    server_ns_window(META, invoked_ns=NOW - 9, completed_ns=NOW - 7, skew_ns=7)
    for invoked, completed in ((NOW + 8, NOW + 9), (NOW - 9, NOW - 8)):
        flagged(
            "server-time-outside",
            server_ns_window,
            META,
            invoked_ns=invoked,
            completed_ns=completed,
            skew_ns=7,
        )


def test_a_publish_answers_exactly_one_entry_for_each_envelope() -> None:
    one_meta_per_envelope([META.topic], [META])
    same_where_same(["a"], [META])
    for metas in ([], [META, META]):
        flagged("meta-count", one_meta_per_envelope, [META.topic], metas)
        flagged("meta-count", same_where_same, ["a"], metas)
    flagged("id-shared", same_where_same, ["a", "b"], [META, META])


def test_reasons_have_the_names_of_the_contract_and_unknown_ones_their_number() -> None:
    names = [reason_name(number) for number in (-1, 0, 1, 8, 9)]
    assert names == ["unknown reason -1", "UNSPECIFIED", "MALFORMED_PAYLOAD", "HANDLE_TOO_SOON", "unknown reason 9"]


def test_a_publish_that_must_be_taken_is_flagged_with_the_reason_it_was_refused_for() -> None:
    failure = PublishFailure(index=0, reason=1)
    broken = flagged("rejected", admitted, call(Code.INVALID_ARGUMENT), failure)
    assert "MALFORMED_PAYLOAD" in broken.sentence
    flagged("rejected", admitted, call(Code.INVALID_ARGUMENT), None)
    flagged("wrong-code", admitted, call(Code.INTERNAL), failure)
    with pytest.raises(Undecidable):
        admitted(call(Code.INVALID_ARGUMENT, local=True), failure)


def test_an_id_shown_again_does_not_ascend() -> None:
    ascending([META, replace(META, sequence_id=6)])
    flagged("not-ascending", ascending, [META, META])


def test_new_ids_must_lie_above_the_highest_seen() -> None:
    low, high = replace(META, sequence_id=6), replace(META, sequence_id=9)
    ids_above([high, low], seen=[META])
    flagged("id-not-above", ids_above, [high, low], seen=[META, low])


def test_a_failed_publish_neither_adds_nor_takes_away() -> None:
    nothing_stored([seen(1, MESSAGE)], [seen(1, MESSAGE)])
    flagged("stored-despite-failure", nothing_stored, [], [seen(1, MESSAGE)])
    flagged("lost", nothing_stored, [seen(1, MESSAGE)], [])
    nothing_stored([seen(1, MESSAGE)], [], expired=[1])


def test_a_published_envelope_is_there_once() -> None:
    one_copy([seen(1, OTHER), seen(2, None), seen(3, MESSAGE)], MESSAGE)
    flagged("lost", one_copy, [seen(1, OTHER), seen(2, None)], MESSAGE)
    flagged("stored-twice", one_copy, [seen(1, MESSAGE), seen(2, MESSAGE)], MESSAGE)
    flagged(
        "lost",
        shown_by,
        META,
        [replace(seen(1, OTHER), meta=replace(META, sequence_id=1, message_hash=b""))],
        source="Query",
    )


def test_a_refused_envelope_is_looked_for_by_its_value_alone() -> None:
    never_visible([seen(1, None), seen(2, OTHER)], [MESSAGE])
    flagged("stored-despite-failure", never_visible, [seen(1, None), seen(2, OTHER)], [MESSAGE, OTHER])


def test_a_request_stored_in_part_is_told_apart_by_index() -> None:
    request = [(META.topic, MESSAGE), (META.topic, OTHER), (b"another topic", MESSAGE)]
    broken = flagged("partly-stored", all_or_none, request, [seen(1, None), seen(2, OTHER)])
    assert (broken.witness["stored indexes"], broken.witness["missing indexes"]) == ([1], [0, 2])
    assert broken.witness["topics of the missing"] == [META.topic, b"another topic"]


def test_a_page_beside_writers_may_be_full_but_no_longer() -> None:
    metas = tuple(replace(META, sequence_id=number) for number in (1, 2, 3))
    for has_more in (True, False):
        page = PageFacts(metas=metas, has_more=has_more)
        reads_own_writes(page, receipts={}, cursors={META.topic: 0}, limit=3)
        flagged("over-limit", reads_own_writes, page, receipts={}, cursors={META.topic: 0}, limit=2)
    cut = PageFacts(metas=metas, has_more=False)
    flagged("own-write-missing", reads_own_writes, cut, receipts={META.topic: [4]}, cursors={META.topic: 0}, limit=3)
    reads_own_writes(replace(cut, has_more=True), receipts={META.topic: [4]}, cursors={META.topic: 0}, limit=3)
    reads_own_writes(cut, receipts={META.topic: [4]}, cursors={META.topic: 4}, limit=3)


def test_reads_bind_only_above_their_cursor_and_below_their_highest() -> None:
    read = TopicRead(source="Query", cursor=2, ids=(3, 5))
    no_hole([read], known=[1, 2, 6])
    flagged("hole", no_hole, [read], known=[4])
    kept([1, 2, 3, 5], read)
    flagged("lost", kept, [4], read)


def test_the_answer_of_each_call_is_judged_by_its_own_message() -> None:
    lawful_response(call(Code.OK))
    lawful_response(call(Code.OK, response=b""))
    flagged("wire-type", lawful_response, call(Code.OK, response=b"\x08\x01"))
    lawful_message("PublishError", b"\x08\xff\xff\xff\xff\x0f")
    flagged("out-of-range", lawful_message, "PublishError", b"\x08\x80\x80\x80\x80\x10")
