"""gRPC-Web frames, trailers and timeouts."""

from __future__ import annotations

import base64
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.reference.backend.front.frames import (
    FramingError,
    frame,
    message_of,
    seconds_of,
    status_fields,
    trailer_frame,
)


@given(flags=st.integers(0, 255), body=st.binary(max_size=300))
def test_a_frame_is_read_back_and_no_other_body_is(flags: int, body: bytes) -> None:
    whole = frame(flags, body)
    assert message_of(whole) == (flags, body)
    for wrong in (whole[:-1], whole + b"\0", b""):
        with pytest.raises(FramingError):
            message_of(wrong)


@given(code=st.integers(0, 16), message=st.text(max_size=60), detail=st.binary(min_size=1, max_size=60))
def test_trailers_are_lines_whatever_the_message_holds(code: int, message: str, detail: bytes) -> None:
    sent = trailer_frame(status_fields(code, message, [("grpc-status-details-bin", detail)]))
    flags, body = message_of(sent)
    lines = dict(line.split(": ", 1) for line in body.decode("ascii").split("\r\n") if line)
    assert flags == 0x80
    assert lines["grpc-status"] == str(code)
    assert unquote(lines.get("grpc-message", "")) == message
    encoded = lines["grpc-status-details-bin"]
    assert base64.b64decode(encoded + "=" * (-len(encoded) % 4)) == detail


@pytest.mark.parametrize(
    ("timeout", "seconds"), [("20S", 20), ("500m", 0.5), ("1H", 3600), (None, None), ("S", None), ("5x", None)]
)
def test_a_timeout_is_read_in_every_unit(timeout: str | None, seconds: float | None) -> None:
    assert seconds_of(timeout) == seconds
