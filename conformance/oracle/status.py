"""How a call must end (API-281), and when its status proves nothing about the target."""

from __future__ import annotations

from collections.abc import Collection

from conformance.oracle.violation import Undecidable, Violation
from conformance.wire.transcript import Call, Code

# answers of a guard or an overload, given before the contract's own checks: they tell nothing about those (V23, V31)
ENVIRONMENT = frozenset({Code.UNAUTHENTICATED, Code.PERMISSION_DENIED, Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED})


def ended(call: Call, lawful: Collection[Code], *, environment: Collection[Code] = ENVIRONMENT) -> None:
    """Judge that a call ended with one of the lawful codes.

    A status this side made up, and one of `environment` that is not lawful here, raise Undecidable; a test that is
    about such a code passes `environment=()`. Any message text is lawful (V08). Reasons: `accepted` (OK where a
    failure must be), `rejected` (INVALID_ARGUMENT where it must not be), `wrong-code`.
    """
    status = call.status
    if status.local:
        raise Undecidable(f"{call.rpc} got no status from {call.endpoint}: {status.code.name} arose on this side")
    if status.code in lawful:
        return
    if status.code in environment:
        raise Undecidable(f"{call.rpc} was answered {status.code.name}, which says nothing about the contract here")
    expected = " or ".join(code.name for code in lawful)
    reason = {Code.OK: "accepted", Code.INVALID_ARGUMENT: "rejected"}.get(status.code, "wrong-code")
    raise Violation(
        reason,
        f"{call.rpc} ended {status.code.name}, but must end {expected}.",
        witness={"call": call.number, "endpoint": call.endpoint, "message": status.message},
    )


def succeeded(call: Call) -> None:
    """Judge that a call ended OK. Reasons: `rejected`, `wrong-code`."""
    ended(call, (Code.OK,))


def refused_as_malformed(call: Call) -> None:
    """Judge that a read was refused as malformed or over a bound: INVALID_ARGUMENT (API-243, 281, TOPIC-003).

    Reasons: `accepted`, `wrong-code`.
    """
    ended(call, (Code.INVALID_ARGUMENT,))
