"""What is lawful about metadata, ids, receipts and refusals is never flagged, whatever lawful form it takes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.oracle.metadata import (
    NS_PER_SECOND,
    Retention,
    complete,
    expiry,
    flag,
    one_server_ns,
    same_receipt,
    server_ns_unit,
    server_ns_window,
)
from conformance.oracle.order import distinct, ids_above, one_id_one_envelope
from conformance.oracle.publish import (
    WHOLE_REQUEST,
    Refusal,
    admitted,
    at,
    one_meta_per_envelope,
    reason_name,
    refused,
    same_where_same,
)
from conformance.oracle.status import ended, refused_as_malformed, succeeded
from conformance.oracle.violation import Undecidable, Violation, shown
from conformance.wire.transcript import Call, Code, Meta, PublishFailure, Status

RETENTION = Retention(group_message_seconds=90, welcome_seconds=60, key_package_seconds=30)
SIZES = {0: 17, 1: 33, 2: 33, 3: 33, 4: 17}
NOW = 1_800_000_000 * NS_PER_SECOND


def topic(kind: int, number: int) -> bytes:
    return bytes([kind, number]).ljust(SIZES[kind], b"\x00")


@st.composite
def metas(draw: st.DrawFn) -> tuple[Meta, int | None]:
    """The metadata of one envelope of any kind, and its content type."""
    kind = draw(st.sampled_from(sorted(SIZES)))
    content_type = draw(st.sampled_from((1, 2, 3))) if kind == 0 else None
    # a clock with coarse steps is as good as a fine one
    server_ns = NOW + draw(st.integers(0, 10**6)) * draw(st.sampled_from((1, 1_000, 1_000_000)))
    seconds = {0: 0 if content_type in (2, 3) else 90, 1: 60, 3: 30}.get(kind, 0)
    return (
        Meta(
            sequence_id=draw(st.one_of(st.integers(1, 100), st.integers(1, (1 << 63) - 1))),
            server_ns=server_ns,
            message_hash=draw(st.binary(min_size=32, max_size=32)),
            topic=topic(kind, draw(st.integers(0, 255))),
            expiry_ns=server_ns + seconds * NS_PER_SECOND if seconds else 0,
            is_commit_or_proposal=content_type in (2, 3),
        ),
        content_type,
    )


@given(made=metas())
def test_lawful_metadata_of_every_kind_is_never_flagged(made: tuple[Meta, int | None]) -> None:
    meta, content_type = made
    complete(meta, where="Query")
    same_receipt(meta, meta, where="Query")
    expiry(meta, content_type=content_type, retention=RETENTION)
    flag(meta, content_type=content_type)
    server_ns_unit(meta, now_ns=NOW)
    server_ns_window(meta, invoked_ns=meta.server_ns, completed_ns=meta.server_ns, skew_ns=0)
    server_ns_window(meta, invoked_ns=meta.server_ns + 5, completed_ns=meta.server_ns + 9, skew_ns=5)


@given(
    made=st.lists(metas(), min_size=1, max_size=6, unique_by=lambda each: (each[0].sequence_id, each[0].message_hash))
)
def test_ids_with_gaps_in_any_order_within_a_request_are_never_flagged(made: list[tuple[Meta, int | None]]) -> None:
    batch = list({meta.sequence_id: meta for meta, _ in made}.values())
    one_meta_per_envelope([meta.topic for meta in batch], batch)
    one_id_one_envelope([*batch, *reversed(batch)])
    distinct(batch)
    same_where_same([*range(len(batch)), 0], [*batch, batch[0]])
    below = min(meta.sequence_id for meta in batch) - 1
    if below:
        ids_above(batch, seen=[Meta(**{**vars(batch[0]), "sequence_id": below})])
    ids_above(batch, seen=[])
    ids_above([], seen=batch)
    one_server_ns([Meta(**{**vars(meta), "server_ns": NOW}) for meta in batch])


def call(code: Code, *, local: bool = False, message: str = "any text") -> Call:
    return Call(
        number=7,
        endpoint="127.0.0.1:1",
        method="/xmtp.backend.v1.PublishService/Publish",
        request=b"",
        response=None,
        status=Status(code=code, local=local, message=message),
    )


@given(index=st.integers(0, 5), reason=st.integers(1, 8), text=st.text(max_size=20), choice=st.randoms())
def test_a_refusal_that_names_the_fault_is_never_flagged(
    index: int, reason: int, text: str, choice: random.Random
) -> None:
    answer = call(Code.INVALID_ARGUMENT, message=text)
    failure = PublishFailure(index=index, reason=reason, message=text)
    refused(answer, failure, None, at(index, reason, choice.randint(1, 8)))
    refused(answer, failure, None, WHOLE_REQUEST, at(index, reason))
    refused(answer, PublishFailure(index=None, reason=5, message=text), None, at(index, reason), WHOLE_REQUEST)


@given(index=st.integers(0, 5), reason=st.integers(1, 8), found=st.integers(0, 9), place=st.none() | st.integers(0, 6))
def test_any_other_detail_is_flagged(index: int, reason: int, found: int, place: int | None) -> None:
    failure = PublishFailure(index=place, reason=found, message="\x1b[31mred")
    expected = at(index, reason)
    if (place, found) == (index, reason):
        return
    with pytest.raises(Violation) as caught:
        refused(call(Code.INVALID_ARGUMENT), failure, None, expected)
    named = {None: "index-absent", index: "wrong-reason"}.get(place, "wrong-index")
    assert caught.value.reason == named
    assert "\x1b" not in str(caught.value)
    assert ("without an index" if place is None else f"for index {place}") in caught.value.sentence
    assert reason_name(found) in str(caught.value)


@pytest.mark.parametrize(
    "code", [Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED, Code.UNAUTHENTICATED, Code.PERMISSION_DENIED]
)
def test_an_answer_of_the_surroundings_is_no_verdict_unless_it_is_the_matter(code: Code) -> None:
    for judge in (succeeded, refused_as_malformed, lambda each: admitted(each, None)):
        with pytest.raises(Undecidable, match=code.name):
            judge(call(code))
    with pytest.raises(Undecidable):
        refused(call(code), None, None, WHOLE_REQUEST)
    ended(call(code), (code,))
    with pytest.raises(Violation) as caught:
        ended(call(code), (Code.ABORTED, Code.INVALID_ARGUMENT), environment=())
    assert caught.value.reason == "wrong-code"
    assert "ABORTED or INVALID_ARGUMENT" in caught.value.sentence


@given(code=st.sampled_from(Code))
def test_a_status_of_this_side_is_never_a_verdict(code: Code) -> None:
    for judge in (succeeded, refused_as_malformed, lambda each: ended(each, (code,))):
        with pytest.raises(Undecidable, match="arose on this side"):
            judge(call(code, local=True))


@given(
    code=st.sampled_from(
        sorted(
            set(Code)
            - {Code.OK, Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED, Code.UNAUTHENTICATED, Code.PERMISSION_DENIED}
        )
    )
)
def test_a_wrong_code_is_flagged_by_its_class(code: Code) -> None:
    with pytest.raises(Violation) as caught:
        succeeded(call(code))
    assert caught.value.reason == ("rejected" if code is Code.INVALID_ARGUMENT else "wrong-code")
    succeeded(call(Code.OK))
    admitted(call(Code.OK), None)
    refused_as_malformed(call(Code.INVALID_ARGUMENT))


def test_the_index_of_a_whole_request_must_be_absent() -> None:
    with pytest.raises(Violation) as caught:
        refused(call(Code.INVALID_ARGUMENT), PublishFailure(index=0, reason=5), None, WHOLE_REQUEST)
    assert caught.value.reason == "index-present"
    assert str(Refusal(index=None, reasons=frozenset({5, 1}))) == "no index with MALFORMED_PAYLOAD or TOO_LARGE"


@given(text=st.text(), data=st.binary())
def test_a_witness_is_one_short_printable_line(text: str, data: bytes) -> None:
    for value in (text, data, [text] * 20, {text: data}, None, 7):
        line = shown(value)
        assert line.isprintable()
        assert len(line) < 4000
    assert len(shown(text)) <= 203
