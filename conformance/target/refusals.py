"""What to make of a status that is not OK, and of an answer that cannot be read, where success was expected."""

from __future__ import annotations

from conformance.target.errors import Undecided
from conformance.target.findings import TargetFinding
from conformance.wire.errors import publish_failure
from conformance.wire.text import printable
from conformance.wire.transcript import Call, Code

# Received from the target, these tell of credentials, load or the environment, and nothing about the contract.
_ENVIRONMENT = frozenset({Code.UNAUTHENTICATED, Code.PERMISSION_DENIED, Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED})


class UnexpectedStatus(TargetFinding):
    """The target sent a status where the contract wants success."""

    reason = "wrong-code"

    def __init__(self, call: Call) -> None:
        super().__init__(call, f"{call.rpc} must succeed, but {call.endpoint} answered {_described(call)}.")


class UnexpectedAnswer(TargetFinding):
    """The target answered OK with something that is no answer to the request."""

    reason = "bad-answer"


def demand_ok(call: Call) -> None:
    """Return when `call` ended OK.

    Raises Undecided for a status that this side made up or that tells of the environment only, and UnexpectedStatus
    for every other status, which the target can only have sent.
    """
    if call.status.code is Code.OK:
        return
    if call.status.local:
        took_s = (call.ended_ns - call.started_ns) / 1e9
        raise Undecided(
            f"{call.rpc} got no answer from {call.endpoint} in {took_s:.1f} s; this side reports {_described(call)}."
        )
    if call.status.code in _ENVIRONMENT:
        raise Undecided(
            f"{call.rpc} was answered {_described(call)} by {call.endpoint}, which tells of the environment and "
            "nothing about the contract."
        )
    raise UnexpectedStatus(call)


def _described(call: Call) -> str:
    parts = [call.status.code.name]
    if call.status.message:
        parts.append(f'"{printable(call.status.message)}"')
    failure = publish_failure(call.status)
    if failure is not None:
        where = "no index" if failure.index is None else f"index {failure.index}"
        parts.append(f"(PublishError reason {failure.reason}, {where})")
    return " ".join(parts)
