"""A stream as it stands in a transcript file: short messages whole, long ones as head, length and SHA-256."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable

from conformance.wire.stream_log import HEAD_BYTES
from conformance.wire.transcript import Frame, Status, StreamCall

LARGEST_FRAME_BYTES = 4 * 1024
# Of a longer stream the file shows the first and the last messages: the ends are what a reader looks at.
MOST_FRAMES = 2000


def stream_json(call: StreamCall, *, mask: Callable[[bytes], bytes]) -> dict[str, object]:
    """Return a stream as JSON-ready values; `mask` takes the secrets out of a message."""
    frames = list(enumerate(call.frames))
    left_out = max(0, len(frames) - MOST_FRAMES)
    if left_out:
        frames = [*frames[: MOST_FRAMES // 2], *frames[-MOST_FRAMES // 2 :]]
    return {
        "number": call.number,
        "endpoint": call.endpoint,
        "method": call.method,
        "frames": [_frame_json(place, frame, mask) for place, frame in frames],
        "frames_left_out": left_out,
        "status": None if call.status is None else _status_json(call.status),
        "how": call.how,
        "request_metadata": [list(pair) for pair in call.request_metadata],
        "initial_metadata": [list(pair) for pair in call.initial_metadata],
        "trailing_metadata": [list(pair) for pair in call.trailing_metadata],
        "half_closed_at": call.half_closed_at,
        "cancelled_at": call.cancelled_at,
        "started_ns": call.started_ns,
        "half_closed_ns": call.half_closed_ns,
        "cancelled_ns": call.cancelled_ns,
        "ended_ns": call.ended_ns,
    }


def _frame_json(place: int, frame: Frame, mask: Callable[[bytes], bytes]) -> dict[str, object]:
    head = {"place": place, "direction": "sent" if frame.sent else "received", "at_ns": frame.at_ns}
    masked = mask(frame.data)
    if frame.whole is None and len(frame.data) <= LARGEST_FRAME_BYTES:
        return {**head, "base64": base64.b64encode(masked).decode(), "length": len(frame.data)}
    length, digest = frame.whole or (len(frame.data), hashlib.sha256(frame.data).hexdigest())
    shown = base64.b64encode(masked[:HEAD_BYTES]).decode()
    return {**head, "base64": shown, "length": length, "sha256": digest, "truncated": True}


def _status_json(status: Status) -> dict[str, object]:
    shown: dict[str, object] = {"code": status.code.name, "message": status.message, "local": status.local}
    if status.details_bin is not None:
        shown["details_bin"] = base64.b64encode(status.details_bin).decode()
    return shown
