"""A PublishError is found wherever a lawful backend may put it, and its absence is explained."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.pb import any_pb2, backend_pb2, status_pb2
from conformance.wire.errors import details_problem, inner_code, publish_error_bytes, publish_failure
from conformance.wire.transcript import Code, PublishFailure, Status

NAME = "xmtp.backend.v1.PublishError"


def carrying(details: bytes | None) -> Status:
    return Status(code=Code.INVALID_ARGUMENT, details_bin=details)


def detail(url: str, value: bytes) -> any_pb2.Any:
    return any_pb2.Any(type_url=url, value=value)


def status_of(*details: any_pb2.Any, code: int = 3) -> bytes:
    return status_pb2.Status(code=code, message="inner", details=details).SerializeToString()


failures = st.builds(
    PublishFailure,
    index=st.none() | st.integers(0, (1 << 32) - 1),
    reason=st.integers(-5, 40),
    message=st.text(alphabet=st.characters(exclude_categories=["Cs"])),
)


@given(
    failure=failures,
    prefix=st.sampled_from(["type.googleapis.com/", "", "/", "https://any.where/deep/"]),
    before=st.booleans(),
    code=st.integers(0, 20),
)
def test_what_was_put_in_is_read_back(failure: PublishFailure, prefix: str, before: bool, code: int) -> None:
    error = backend_pb2.PublishError(reason=failure.reason, message=failure.message)  # type: ignore[arg-type] # open enum
    if failure.index is not None:
        error.index = failure.index
    others = [detail("type.googleapis.com/google.rpc.RetryInfo", b"\x01")] if before else []
    status = carrying(status_of(*others, detail(prefix + NAME, error.SerializeToString()), code=code))
    assert publish_failure(status) == failure
    assert publish_error_bytes(status) == error.SerializeToString()
    assert details_problem(status) is None
    assert inner_code(status) == code


@pytest.mark.parametrize(
    ("details", "problem"),
    [
        (None, "the status carries no grpc-status-details-bin"),
        (b"\xff\xff", "grpc-status-details-bin of 2 bytes is no google.rpc.Status"),
        (status_of(), "the google.rpc.Status in grpc-status-details-bin has no details"),
        (
            status_of(detail("a/google.rpc.RetryInfo", b""), detail("\x1b[1m", b""), detail("", b"")),
            "no status detail is named xmtp.backend.v1.PublishError, only a/google.rpc.RetryInfo, [1m, (unnamed)",
        ),
        (status_of(detail(f"a/{NAME}", b"\xff")), "the PublishError detail of 1 bytes does not decode"),
    ],
)
def test_a_missing_detail_is_explained(details: bytes | None, problem: str) -> None:
    assert details_problem(carrying(details)) == problem
    assert publish_failure(carrying(details)) is None


def test_an_absent_index_is_not_index_zero() -> None:
    absent, zero = backend_pb2.PublishError(reason=1), backend_pb2.PublishError(reason=1, index=0)  # type: ignore[arg-type]
    seen = [publish_failure(carrying(status_of(detail(NAME, e.SerializeToString())))) for e in (absent, zero)]
    assert seen == [PublishFailure(index=None, reason=1), PublishFailure(index=0, reason=1)]


@pytest.mark.parametrize("details", [None, b"\xff\xff"])
def test_there_is_no_inner_code_without_a_status(details: bytes | None) -> None:
    assert inner_code(carrying(details)) is None
