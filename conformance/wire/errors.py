"""Reading the PublishError that a failed publish carries in `grpc-status-details-bin` (API-223)."""

from __future__ import annotations

from google.protobuf.message import DecodeError

from conformance.pb import backend_pb2, status_pb2
from conformance.wire.text import printable
from conformance.wire.transcript import PublishFailure, Status

PUBLISH_ERROR = "xmtp.backend.v1.PublishError"


def publish_failure(status: Status) -> PublishFailure | None:
    """Return the first PublishError among the status details, or None; `details_problem` then says why.

    The detail is found by the type name behind the last slash, whatever stands before it. The code and message inside
    the details are not compared with the outer ones: the contract does not speak of them.
    """
    found = _read(status)
    return found if isinstance(found, PublishFailure) else None


def details_problem(status: Status) -> str | None:
    """Say in one sentence why `status` shows no PublishError, or None when it shows one."""
    found = _read(status)
    return found if isinstance(found, str) else None


def inner_code(status: Status) -> int | None:
    """Return the code inside the google.rpc.Status of the details, None when there is no such message."""
    if status.details_bin is None:
        return None
    try:
        return status_pb2.Status.FromString(status.details_bin).code
    except DecodeError:
        return None


def publish_error_bytes(status: Status) -> bytes | None:
    """Return the first PublishError among the status details as it stands on the wire, or None when there is none."""
    found = _detail(status)
    return found if isinstance(found, bytes) else None


def _read(status: Status) -> PublishFailure | str:
    found = _detail(status)
    return _publish_error(found) if isinstance(found, bytes) else found


def _detail(status: Status) -> bytes | str:
    if status.details_bin is None:
        return "the status carries no grpc-status-details-bin"
    try:
        inner = status_pb2.Status.FromString(status.details_bin)
    except DecodeError:
        return f"grpc-status-details-bin of {len(status.details_bin)} bytes is no google.rpc.Status"
    if not inner.details:
        return "the google.rpc.Status in grpc-status-details-bin has no details"
    for detail in inner.details:
        if detail.type_url.rsplit("/", 1)[-1] == PUBLISH_ERROR:
            return detail.value
    names = ", ".join(printable(detail.type_url, limit=80) or "(unnamed)" for detail in inner.details)
    return f"no status detail is named {PUBLISH_ERROR}, only {printable(names)}"


def _publish_error(value: bytes) -> PublishFailure | str:
    try:
        error = backend_pb2.PublishError.FromString(value)
    except DecodeError:
        return f"the PublishError detail of {len(value)} bytes does not decode"
    index = error.index if error.HasField("index") else None
    return PublishFailure(index=index, reason=error.reason, message=error.message)
