"""A request that needs a chain which gives no verdict ends as an outage, and names nothing at fault."""

from __future__ import annotations

import pytest

from conformance.oracle.outage import no_verdict
from conformance.oracle.violation import Undecidable, Violation
from conformance.wire import methods
from conformance.wire.transcript import Call, Code, PublishFailure, Status

BLAMED = PublishFailure(index=0, reason=4)
NAMED = PublishFailure(index=0, reason=0, message="the chain is down")


def ended_with(code: Code, *, local: bool = False) -> Call:
    status = Status(code=code, local=local)
    return Call(number=1, endpoint="e", method=methods.PUBLISH, request=b"", response=None, status=status)


def test_an_outage_is_unavailable() -> None:
    no_verdict(ended_with(Code.UNAVAILABLE))
    no_verdict(ended_with(Code.UNAVAILABLE), NAMED)
    no_verdict(ended_with(Code.UNAVAILABLE), hung=True)
    no_verdict(ended_with(Code.DEADLINE_EXCEEDED), hung=True)


@pytest.mark.parametrize(
    ("reason", "code", "failure"),
    [
        ("accepted", Code.OK, None),
        ("rejected", Code.INVALID_ARGUMENT, BLAMED),
        ("wrong-code", Code.INTERNAL, None),
        ("called-invalid", Code.UNAVAILABLE, BLAMED),
    ],
)
@pytest.mark.parametrize("hung", [False, True])
def test_anything_else_is_a_violation(reason: str, code: Code, failure: PublishFailure | None, hung: bool) -> None:
    with pytest.raises(Violation) as caught:
        no_verdict(ended_with(code), failure, hung=hung)
    assert caught.value.reason == reason


def test_what_this_side_or_the_environment_says_decides_nothing() -> None:
    for call in (ended_with(Code.DEADLINE_EXCEEDED), ended_with(Code.UNAVAILABLE, local=True)):
        with pytest.raises(Undecidable):
            no_verdict(call)
