"""A response near max_response_bytes is complete, or it fails (API-283)."""

from __future__ import annotations

from collections.abc import Callable

from conformance.oracle.status import ended
from conformance.oracle.violation import Violation
from conformance.wire.transcript import Call, Code


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
