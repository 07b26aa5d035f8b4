"""A reply of gRPC-Web as it comes: messages, and a status in the last frame, in the HTTP headers, or in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

from conformance.wire.http2_grpc import status_of
from conformance.wire.secrets import metadata_text
from conformance.wire.text import printable
from conformance.wire.transcript import Code, Status

CONTENT_TYPE = "application/grpc-web+proto"

_PREFIX_BYTES = 5
_TRAILERS = 0x80
_TEXT = "application/grpc-web-text"

# What a guard or a proxy answers in place of the backend; every other status but 200 is the backend's own.
_GUARDS = {
    HTTPStatus.UNAUTHORIZED: Code.UNAUTHENTICATED,
    HTTPStatus.FORBIDDEN: Code.PERMISSION_DENIED,
    HTTPStatus.TOO_MANY_REQUESTS: Code.UNAVAILABLE,
    HTTPStatus.BAD_GATEWAY: Code.UNAVAILABLE,
    HTTPStatus.SERVICE_UNAVAILABLE: Code.UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT: Code.UNAVAILABLE,
}

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a call over gRPC-Web ended; `spoke_grpc` when the status is one the reply carried.

    `initial` is the HTTP status, as `:status`, and the HTTP headers; `trailing` the fields of the last frame. Names are
    in lower case. Both are empty when there was no reply.
    """

    status: Status
    spoke_grpc: bool = False
    initial: Pairs = ()
    trailing: Pairs = ()


class WebReply:
    """Takes the body of one reply, whose HTTP status and headers have come."""

    def __init__(self, http_status: int, headers: Sequence[tuple[str, str]], *, secret: str | None = None) -> None:
        self._http_status = http_status
        self._headers = [(name.lower(), value) for name, value in headers]
        self._secret = secret
        self._left = bytearray()
        self._trailers: list[tuple[str, str]] | None = None
        self._problem = self._unreadable()

    def feed(self, data: bytes) -> list[bytes]:
        """Take more of the body; return the messages it completes. Of a body that cannot be read there are none."""
        if self._problem:
            return []
        self._left += data
        messages = []
        while len(self._left) >= _PREFIX_BYTES and not self._problem:
            flags, end = self._left[0], _PREFIX_BYTES + int.from_bytes(self._left[1:_PREFIX_BYTES], "big")
            if len(self._left) < end:
                break
            body = bytes(memoryview(self._left)[_PREFIX_BYTES:end])
            del self._left[:end]
            if self._trailers is not None:
                self._problem = "something follows its frame of trailers"
            elif flags == _TRAILERS:
                self._trailers = _fields(body)
            elif flags:
                self._problem = f"a frame has the flags {flags:#04x}, but no compression was offered"
            else:
                messages.append(body)
        return messages

    def end(self) -> Outcome:
        """Say how the call ended, once the body is complete."""
        # The frame of trailers comes last and counts most, but what it leaves out stands as the headers say.
        status = status_of([*self._headers, *(self._trailers or [])], secret=self._secret)
        problem = self._problem
        if not problem and self._left:
            problem = f"its body ends inside a frame, {len(self._left)} bytes into it"
        if self._http_status != HTTPStatus.OK:
            code = _GUARDS.get(HTTPStatus(self._http_status)) if self._http_status in list(HTTPStatus) else None
            return self._outcome(Status(code=code or Code.UNKNOWN, message=f"HTTP status {self._http_status}"))
        if problem:
            return self._outcome(Status(code=Code.UNKNOWN, message=f"no reply of gRPC-Web: {problem}"))
        if status is None:
            return self._outcome(Status(code=Code.UNKNOWN, message="the reply carries no grpc-status"))
        return self._outcome(status, spoke_grpc=True)

    def broken_off(self, status: Status) -> Outcome:
        """Say how the call ended when the rest of the body did not come, with a status made on this side."""
        return self._outcome(status)

    def _outcome(self, status: Status, *, spoke_grpc: bool = False) -> Outcome:
        return Outcome(
            status=status,
            spoke_grpc=spoke_grpc,
            initial=metadata_text([(":status", str(self._http_status)), *self._headers], self._secret),
            trailing=metadata_text(self._trailers or [], self._secret),
        )

    def _unreadable(self) -> str:
        told = dict(self._headers).get("content-type", "")
        if told.startswith("application/grpc") and not told.startswith(_TEXT):
            return ""
        return f'its content-type is "{printable(told, limit=80)}"'


def framed(message: bytes) -> bytes:
    """Put a message into a frame as the body of a request."""
    return b"\0" + len(message).to_bytes(4, "big") + message


def _fields(body: bytes) -> list[tuple[str, str]]:
    """Read the lines of a frame of trailers; a line without a colon says nothing."""
    lines = body.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    split = (line.partition(":") for line in lines)
    return [(name.strip().lower(), value.strip()) for name, colon, value in split if colon]
