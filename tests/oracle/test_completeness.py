"""A response near its bound is flagged when it is cut or over-long, and never when it is whole or refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.oracle.completeness import complete_or_too_long, frames_within_the_bound
from conformance.oracle.status import ENVIRONMENT
from conformance.oracle.violation import Undecidable, Violation
from conformance.pb import backend_pb2
from conformance.wire.transcript import Call, Code, Frame, Status, StreamCall


def judged(code: Code, size: int, *, shown: int, wanted: int, bound: int) -> str:
    call = Call(number=1, endpoint="e", method="/s/Query", request=b"", response=bytes(size), status=Status(code=code))
    try:
        complete_or_too_long(
            call, lambda: shown, wanted=wanted, max_response_bytes=bound, environment=ENVIRONMENT - {Code.UNAVAILABLE}
        )
    except Violation as violation:
        return violation.reason
    return ""


@given(size=st.integers(0, 20), bound=st.integers(1, 20), shown=st.integers(0, 5), wanted=st.integers(0, 5))
def test_an_answer_is_lawful_when_it_is_whole_and_within_its_bound(
    size: int, bound: int, shown: int, wanted: int
) -> None:
    expected = "over-long" if size > bound else "short-answer" if shown != wanted else ""
    assert judged(Code.OK, size, shown=shown, wanted=wanted, bound=bound) == expected
    assert not judged(Code.OUT_OF_RANGE, 0, shown=shown, wanted=wanted, bound=bound)


def test_another_failure_is_none_of_its_row() -> None:
    for code, reason in ((Code.INVALID_ARGUMENT, "rejected"), (Code.UNAVAILABLE, "wrong-code")):
        assert judged(code, 0, shown=0, wanted=1, bound=9) == reason
    with pytest.raises(Undecidable):
        judged(Code.UNAUTHENTICATED, 0, shown=0, wanted=1, bound=9)


def bounded(over: int) -> str:
    """Judge a stream whose longer frame of envelopes is so many bytes over the bound."""
    response = backend_pb2.SubscribeResponse()
    envelope = response.messages.envelopes.add()
    envelope.envelope.group_message.data = bytes(300)
    long = response.SerializeToString()
    applied = backend_pb2.SubscribeResponse(applied=backend_pb2.SubscribeResponse.Applied(id=1))
    applied.applied.added_targets.add().topic.topic = bytes(2 * len(long))
    received = [applied.SerializeToString(), b"\x1a\x00", long]
    frames = tuple(Frame(sent=False, at_ns=place, data=data) for place, data in enumerate(received))
    stream = StreamCall(number=1, endpoint="e", method="/s/Subscribe", frames=frames)
    try:
        return " ".join(frames_within_the_bound(stream, max_response_bytes=len(long) - over))
    except Violation as violation:
        return violation.reason


@given(over=st.integers(-9, 20))
def test_a_frame_of_envelopes_is_lawful_within_its_bound(over: int) -> None:
    found = bounded(over)
    assert (found == "over-long") == (over > 5)
    assert ("no more than a gRPC prefix" in found) == (0 < over <= 5)
