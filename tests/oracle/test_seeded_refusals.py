"""Each fault that a backend can have in what it refuses and takes is flagged from the status and its detail.

The names are those of the catalogue of seeded faults.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from conformance.oracle.publish import WHOLE_REQUEST, Refusal, admitted, at, refused
from conformance.oracle.status import ended, refused_as_malformed, succeeded
from conformance.oracle.violation import Violation
from conformance.wire.transcript import Call, Code, PublishFailure, Status

UNSPECIFIED, MALFORMED, INVALID_KEY_PACKAGE, INVALID_IDENTITY_UPDATE, INVALID_SIGNATURE, TOO_LARGE = range(6)


def call(code: Code, method: str = "Publish") -> Call:
    return Call(number=1, endpoint="e", method=method, request=b"", response=None, status=Status(code=code))


def failed(
    index: int | None, reason: int, expected: Refusal, *alternatives: Refusal, problem: str | None = None
) -> None:
    refused(call(Code.INVALID_ARGUMENT), PublishFailure(index=index, reason=reason), problem, expected, *alternatives)


def undetailed(problem: str) -> None:
    refused(call(Code.INVALID_ARGUMENT), None, problem, WHOLE_REQUEST)


def taken(expected: Refusal) -> None:
    refused(call(Code.OK), None, None, expected)


def rejected(reason: int) -> None:
    admitted(call(Code.INVALID_ARGUMENT), PublishFailure(index=0, reason=reason))


FAULTS: dict[str, tuple[str, Callable[[], object]]] = {
    "B025 index written as 0": ("index-present", lambda: failed(0, TOO_LARGE, WHOLE_REQUEST)),
    "B055 loser gets ALREADY_EXISTS": ("wrong-code", lambda: admitted(call(Code.ALREADY_EXISTS), None)),
    "B056 duplicate aborted": ("wrong-code", lambda: admitted(call(Code.ABORTED), None)),
    "B057 lifetime checked for a duplicate": ("rejected", lambda: rejected(INVALID_KEY_PACKAGE)),
    "B059 cap checked for a duplicate": ("rejected", lambda: rejected(INVALID_IDENTITY_UPDATE)),
    "B060 bounds skipped for duplicates": ("accepted", lambda: taken(WHOLE_REQUEST)),
    "B063 detail missing": ("no-detail", lambda: undetailed("the trailer is absent")),
    "B064 detail not inside a Status": ("no-detail", lambda: undetailed("the trailer holds no google.rpc.Status")),
    "B065 unset payload UNSPECIFIED": ("wrong-reason", lambda: failed(0, UNSPECIFIED, at(0, MALFORMED))),
    "B065 unset payload as key package": ("wrong-reason", lambda: failed(0, INVALID_KEY_PACKAGE, at(0, MALFORMED))),
    "B066 wrong length TOO_LARGE": ("wrong-reason", lambda: failed(2, TOO_LARGE, at(2, MALFORMED))),
    "B067 later parse error wins": ("wrong-index", lambda: failed(3, MALFORMED, at(1, INVALID_SIGNATURE))),
    "B067 right index, other envelope's reason": (
        "wrong-reason",
        lambda: failed(1, MALFORMED, at(1, INVALID_SIGNATURE)),
    ),
    "B070 index for the whole request": ("index-present", lambda: failed(0, TOO_LARGE, WHOLE_REQUEST)),
    "B071 no index for a long envelope": ("index-absent", lambda: failed(None, TOO_LARGE, at(2, TOO_LARGE))),
    "B076 lengths not checked": ("accepted", lambda: taken(at(0, MALFORMED))),
    "B077 any MLS message taken": ("accepted", lambda: taken(at(0, MALFORMED))),
    "B078 trailing bytes refused": ("rejected", lambda: rejected(MALFORMED)),
    "B080 HMAC required": ("rejected", lambda: rejected(MALFORMED)),
    "B081 unknown algorithm refused": ("rejected", lambda: rejected(MALFORMED)),
    "B082 trailing byte of a key package ignored": ("accepted", lambda: taken(at(0, MALFORMED))),
    "B083 lifetime not checked": ("accepted", lambda: taken(at(0, INVALID_KEY_PACKAGE))),
    "B084 association required": ("rejected", lambda: rejected(INVALID_KEY_PACKAGE)),
    "B085 every failure INVALID_SIGNATURE": (
        "wrong-reason",
        lambda: failed(0, INVALID_SIGNATURE, at(0, INVALID_IDENTITY_UPDATE)),
    ),
    "B086 commit-log signature verified": ("rejected", lambda: rejected(INVALID_SIGNATURE)),
    "B087 token must own the inbox": (
        "wrong-code",
        lambda: ended(call(Code.PERMISSION_DENIED), (Code.OK,), environment=()),
    ),
    "B088 inbox must be hex": ("rejected", lambda: rejected(INVALID_KEY_PACKAGE)),
    "B089 one cipher suite": ("rejected", lambda: rejected(INVALID_KEY_PACKAGE)),
    "B090 capabilities enforced": ("rejected", lambda: rejected(INVALID_KEY_PACKAGE)),
    "B092 verifier error as a verdict": ("rejected", lambda: ended(call(Code.INVALID_ARGUMENT), (Code.UNAVAILABLE,))),
    "B094 verifier failure as an answer": ("accepted", lambda: ended(call(Code.OK), (Code.UNAVAILABLE,))),
    "B095 definite verdict as an outage": (
        "wrong-code",
        lambda: ended(call(Code.UNAVAILABLE), (Code.INVALID_ARGUMENT,), environment=()),
    ),
    "B101 two updates of one inbox taken": ("accepted", lambda: taken(at(1, INVALID_IDENTITY_UPDATE))),
    "B102 identical update twice refused": ("rejected", lambda: rejected(INVALID_IDENTITY_UPDATE)),
    "B104 cap off by one": ("accepted", lambda: taken(at(0, INVALID_IDENTITY_UPDATE))),
    "B131 large limit refused": ("rejected", lambda: succeeded(call(Code.INVALID_ARGUMENT, "Query"))),
    "B133 key packages paged": ("accepted", lambda: refused_as_malformed(call(Code.OK, "Query"))),
    "B133 key packages refused by QueryNewest": (
        "rejected",
        lambda: succeeded(call(Code.INVALID_ARGUMENT, "QueryNewest")),
    ),
    "B134 cursor 2^63 is negative": ("accepted", lambda: refused_as_malformed(call(Code.OK, "Query"))),
    "230.n welcome without version taken": ("accepted", lambda: taken(at(0, MALFORMED))),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_seeded_fault_is_flagged_by_its_class_with_a_short_witness(fault: str) -> None:
    reason, judge = FAULTS[fault]
    with pytest.raises(Violation) as caught:
        judge()
    assert caught.value.reason == reason
    assert caught.value.sentence.endswith(".")
    text = str(caught.value)
    assert text.startswith(caught.value.sentence)
    assert len(text) < 900
    assert len(text.splitlines()) <= 8
