"""What must come of a request whose answer needs a chain that gives none (API-231)."""

from __future__ import annotations

from conformance.oracle.identity.verdict import INVALID_SIGNATURE
from conformance.oracle.status import ENVIRONMENT, ended
from conformance.oracle.violation import Violation
from conformance.wire.transcript import Call, Code, PublishFailure


def no_verdict(call: Call, failure: PublishFailure | None = None, *, hung: bool = False) -> None:
    """Judge that a request failed for want of a verdict, and says nothing about a signature (API-231.a, b, d).

    `failure` is the PublishError of a publish, if one came: it may name the envelope, but not call its signature
    invalid. Where the chain `hung`, a backend may as well end a publish by its own time limit. Reasons: `accepted`,
    `rejected`, `wrong-code`, `called-invalid`; Undecidable as in `status.ended`.
    """
    lawful = (Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED) if hung else (Code.UNAVAILABLE,)
    ended(call, lawful, environment=ENVIRONMENT - {*lawful})
    if failure is not None and failure.reason == INVALID_SIGNATURE:
        raise Violation(
            "called-invalid",
            f"{call.rpc} ended {call.status.code.name} for want of a verdict, and calls a signature invalid.",
            witness={"call": call.number, "index": failure.index},
        )
