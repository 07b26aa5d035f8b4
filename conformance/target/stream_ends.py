"""What to make of a stream that ends, or goes on without what must come, while a test waits for something on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.target.errors import Undecided
from conformance.target.findings import TargetFinding
from conformance.wire.text import printable
from conformance.wire.transcript import Code, Status, StreamCall

if TYPE_CHECKING:
    from typing import NoReturn

# Received from the target, these tell of credentials, load or the environment, and nothing about the contract.
_ENVIRONMENT = frozenset({Code.UNAUTHENTICATED, Code.PERMISSION_DENIED, Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED})


class UnexpectedEnd(TargetFinding):
    """The target ended a stream on which something still had to come."""

    reason = "wrong-code"


class UnexpectedFrame(TargetFinding):
    """The target sent a frame that is no message of its stream."""

    reason = "bad-answer"


class Late(TargetFinding):
    """The target lives and answers other calls, but what its stream owes has not come in time."""

    reason = "liveness"


def described(status: Status) -> str:
    """Write a status as it is quoted in a sentence."""
    return f'{status.code.name} "{printable(status.message)}"' if status.message else status.code.name


def ended_instead(call: StreamCall, awaited: str) -> NoReturn:
    """Raise what the end of a stream means that came instead of what was `awaited`.

    Undecided for an end that this side made up or that tells of the environment only, else UnexpectedEnd.
    """
    status = call.status
    if status is None:
        raise ValueError("the stream has not ended")
    told = described(status)
    if status.local:
        raise Undecided(
            f"{call.rpc} at {call.endpoint} ended before {awaited}, but not by the target; this side reports {told}."
        )
    if status.code in _ENVIRONMENT:
        raise Undecided(
            f"{call.rpc} at {call.endpoint} ended with {told} before {awaited}, which tells of the environment and "
            "nothing about the contract."
        )
    raise UnexpectedEnd(call, f"{call.rpc} at {call.endpoint} ended with {told} before {awaited}.")
