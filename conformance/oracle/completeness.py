"""A response near max_response_bytes is complete, or it fails; a Messages frame is no longer either (API-281, 283)."""

from __future__ import annotations

from collections.abc import Callable

from conformance.oracle.frames.reading import Messages, Reading
from conformance.oracle.status import ended
from conformance.oracle.violation import Violation
from conformance.wire.transcript import Call, Code, StreamCall

# What gRPC puts before a message; it does not count towards the length of one.
_PREFIX_BYTES = 5


def complete_or_too_long(
    call: Call, rows: Callable[[], int], *, wanted: int, max_response_bytes: int, environment: frozenset[Code]
) -> None:
    """Judge that a response has all its rows and is within max_response_bytes, or that the call ended OUT_OF_RANGE.

    `rows` counts the rows of an OK answer. The length is that of the message as received, without what frames it.
    Undecidable as in `status.ended`. Reasons: `over-long`, `short-answer`, and those of `status.ended`.
    """
    ended(call, (Code.OK, Code.OUT_OF_RANGE), environment=environment)
    if call.status.code is not Code.OK:
        return
    within_the_bound(call, max_response_bytes=max_response_bytes)
    shown = rows()
    if shown != wanted:
        raise Violation(
            "short-answer",
            f"{call.rpc} was answered OK with {shown} rows where there are {wanted}.",
            witness={"call": call.number, "bytes": len(call.response or b""), "max_response_bytes": max_response_bytes},
        )


def within_the_bound(call: Call, *, max_response_bytes: int) -> None:
    """Judge that a unary response is not longer than max_response_bytes (API-283). Reason: `over-long`."""
    length = len(call.response or b"")
    if length > max_response_bytes:
        raise Violation(
            "over-long",
            f"{call.rpc} was answered with {length} bytes, and max_response_bytes is {max_response_bytes}.",
            witness={"call": call.number, "endpoint": call.endpoint},
        )


def frames_within_the_bound(call: StreamCall, *, max_response_bytes: int) -> tuple[str, ...]:
    """Judge that no Messages frame is longer than max_response_bytes (API-281). Reason: `over-long`.

    Returns a note where one is by no more than a prefix of gRPC, which its sender may have counted the wrong way.
    """
    lengths = [len(call.frames[each.place].data) for each in Reading(call).responses if isinstance(each, Messages)]
    longest = max(lengths, default=0)
    if longest > max_response_bytes + _PREFIX_BYTES:
        raise Violation(
            "over-long",
            f"{call.rpc} sent a Messages frame of {longest} bytes, and max_response_bytes is {max_response_bytes}.",
            witness={"stream": call.number, "endpoint": call.endpoint},
        )
    if longest > max_response_bytes:
        return (f"{call.rpc} sent a Messages frame that is over max_response_bytes by no more than a gRPC prefix.",)
    return ()
