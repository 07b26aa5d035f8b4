"""Why a request is refused: the status code (API-281), and for a publish which envelope and reason (API-223)."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.pb.backend_pb2 import PublishError


class Code(IntEnum):
    """The gRPC status codes, so that only the server module needs grpc."""

    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16


class Failure(Exception):  # noqa: N818 - a status to answer with, not an error of this program
    """A request that ends with a status other than OK."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class CheckFailure(Exception):  # noqa: N818 - as above
    """An envelope that parses and fails a check of its kind; `reason` is that of the admission table (API-230)."""

    def __init__(self, reason: PublishError.Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class PublishFailure(Failure):
    """A publish that ends INVALID_ARGUMENT; `index` is None when the whole request is at fault (API-223)."""

    def __init__(self, reason: PublishError.Reason, message: str, *, index: int | None = None) -> None:
        super().__init__(Code.INVALID_ARGUMENT, message)
        self.reason = reason
        self.index = index
