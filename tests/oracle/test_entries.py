"""The entries of a publish response are told apart by what Query shows under them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.oracle.absence import one_copy_of_each
from conformance.oracle.entries import own_entries, stored_as_sent
from conformance.oracle.publish import detailed
from conformance.oracle.violation import Undecidable, Violation
from conformance.pb import backend_pb2
from conformance.wire.transcript import Call, Code, Meta, PublishFailure, Seen, Status

TOPIC = b"\x00" + bytes(16)


def envelope(mark: int) -> bytes:
    message = backend_pb2.GroupMessage(data=bytes([mark]))
    return backend_pb2.ClientEnvelope(group_message=message).SerializeToString()


def meta(number: int) -> Meta:
    return Meta(
        sequence_id=number,
        server_ns=7,
        message_hash=bytes([number]) * 32,
        topic=TOPIC,
        expiry_ns=0,
        is_commit_or_proposal=False,
    )


def shown(*marks: int) -> list[Seen]:
    """A topic whose envelope with id n+1 is that with the nth mark."""
    return [Seen(source="Query", meta=meta(n), envelope=envelope(mark)) for n, mark in enumerate(marks, 1)]


@given(order=st.permutations(range(5)))
def test_entries_are_right_exactly_when_each_shows_the_envelope_of_its_index(order: list[int]) -> None:
    sent = [envelope(mark) for mark in range(5)]
    metas = [meta(order.index(mark) + 1) for mark in range(5)]
    own_entries(sent, metas, shown(*order))
    stored_as_sent(sent, metas, shown(*order))
    turned = metas[1:] + metas[:1]
    with pytest.raises(Violation) as caught:
        own_entries(sent, turned, shown(*order))
    assert caught.value.reason == "wrong-order"


def test_a_repeat_may_share_its_entry() -> None:
    own_entries([envelope(1), envelope(2), envelope(1)], [meta(1), meta(2), meta(1)], shown(1, 2))


def test_missing_entries_and_missing_envelopes_are_told_apart() -> None:
    for judge in (own_entries, stored_as_sent):
        with pytest.raises(Violation) as caught:
            judge([envelope(1), envelope(2)], [meta(1)], shown(1, 2))
        assert caught.value.reason == "meta-count"
        with pytest.raises(Violation) as caught:
            judge([envelope(1), envelope(2)], [meta(1), meta(2)], shown(1))
        assert caught.value.reason == "lost"


def test_a_changed_payload_says_nothing_about_indexes_and_all_about_what_is_stored() -> None:
    with pytest.raises(Undecidable):
        own_entries([envelope(1)], [meta(1)], shown(9))
    with pytest.raises(Violation) as caught:
        stored_as_sent([envelope(1)], [meta(1)], shown(9))
    assert caught.value.reason == "payload-changed"


@pytest.mark.parametrize(
    ("marks", "reason"), [((1, 2, 3), None), ((1, 2, 1), "stored-twice"), ((1, 3), "lost"), ((), "lost")]
)
def test_each_envelope_has_one_copy(marks: tuple[int, ...], reason: str | None) -> None:
    if reason is None:
        one_copy_of_each(shown(*marks), [envelope(1), envelope(2)])
        return
    with pytest.raises(Violation) as caught:
        one_copy_of_each(shown(*marks), [envelope(1), envelope(2)])
    assert caught.value.reason == reason


def test_a_detail_is_returned_and_its_absence_flagged() -> None:
    failure = PublishFailure(index=1, reason=1)

    def call(code: Code) -> Call:
        return Call(number=1, endpoint="e", method="Publish", request=b"", response=None, status=Status(code=code))

    assert detailed(call(Code.INVALID_ARGUMENT), failure, None) is failure
    for code, problem, reason in (
        (Code.INVALID_ARGUMENT, "the trailer is absent", "no-detail"),
        (Code.OK, None, "accepted"),
        (Code.INTERNAL, None, "wrong-code"),
    ):
        with pytest.raises(Violation) as caught:
            detailed(call(code), None, problem)
        assert caught.value.reason == reason
