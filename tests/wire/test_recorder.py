"""A transcript is complete, bounded, and shows no more of a long body than it needs."""

from __future__ import annotations

import base64
import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from conformance.wire.recorder import HEAD_BYTES, LARGEST_SHOWN_BYTES, Recorder, current_recorder, recording
from conformance.wire.transcript import Call, Code, Status


def call(number: int, request: bytes, response: bytes | None = None, *, details: bytes | None = None) -> Call:
    return Call(
        number=number,
        endpoint="127.0.0.1:1",
        method="/any.Service/Method",
        request=request,
        response=response,
        status=Status(code=Code.OK, details_bin=details),
        request_metadata=(("authorization", "<redacted>"),),
    )


bodies = st.tuples(st.binary(max_size=300), st.none() | st.binary(max_size=300))


@given(st.lists(bodies), st.integers(0, 2000))
def test_no_call_is_lost_and_bodies_stay_within_the_budget(sent: list[tuple[bytes, bytes | None]], budget: int) -> None:
    recorder = Recorder(budget_bytes=budget)
    calls = [call(recorder.next_number(), request, response) for request, response in sent]
    for item in reversed(calls):
        recorder.record(item)
    assert [kept.number for kept in recorder.calls] == [item.number for item in calls]
    whole = [kept for kept in recorder.calls if kept.number not in recorder.cut]
    assert sum(len(kept.request) + len(kept.response or b"") for kept in whole) <= budget
    assert all(kept in calls for kept in whole)


def test_the_budget_is_spent_call_by_call() -> None:
    recorder = Recorder(budget_bytes=10)
    for number in (1, 2, 3, 4):
        recorder.record(call(number, b"four", b"" if number < 4 else None))
    assert recorder.cut == {3, 4}


def test_a_body_beyond_the_budget_keeps_its_head_length_and_digest() -> None:
    recorder = Recorder(budget_bytes=10)
    body = bytes(range(256)) * 40
    recorder.record(call(1, body, None))
    assert recorder.cut == {1}
    assert recorder.calls[0].request == body[:HEAD_BYTES]
    shown = json.loads(json.dumps(recorder.to_json()))["calls"][0]
    assert shown["request"] == {
        "base64": base64.b64encode(body[:HEAD_BYTES]).decode(),
        "length": len(body),
        "sha256": hashlib.sha256(body).hexdigest(),
        "truncated": True,
    }
    assert shown["response"] is None


def test_only_long_bodies_are_shortened_in_the_file() -> None:
    recorder = Recorder()
    short, long = b"s" * LARGEST_SHOWN_BYTES, b"l" * (LARGEST_SHOWN_BYTES + 1)
    recorder.record(call(1, short, long, details=b"\x08\x03"))
    shown = json.loads(json.dumps(recorder.to_json()))["calls"][0]
    assert base64.b64decode(shown["request"]["base64"]) == short
    assert "truncated" not in shown["request"]
    assert shown["response"]["truncated"]
    assert shown["response"]["sha256"] == hashlib.sha256(long).hexdigest()
    assert shown["status"] == {"code": "OK", "message": "", "local": False, "details_bin": "CAM="}
    assert not recorder.cut


def test_a_secret_is_masked_in_the_bodies_shown_and_only_there() -> None:
    recorder = Recorder()
    recorder.record(call(1, b"<hunter2hunter2>"), secret="hunter2hunter2")  # noqa: S106 - made up
    assert recorder.calls[0].request == b"<hunter2hunter2>"
    shown = json.loads(json.dumps(recorder.to_json()))["calls"][0]
    assert base64.b64decode(shown["request"]["base64"]) == b"<**************>"


def test_the_innermost_recording_is_the_current_one() -> None:
    outer, inner = Recorder(), Recorder()
    assert current_recorder() is None
    with recording(outer):
        with recording(inner):
            assert current_recorder() is inner
        assert current_recorder() is outer
    assert current_recorder() is None
