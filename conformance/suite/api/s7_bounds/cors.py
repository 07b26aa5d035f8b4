"""What a browser lets a page of another origin do and read, by the rules of the Fetch standard (API-285).

Only headers are judged: whether a call succeeded is for others to say. A reply that never came raises Undecidable.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from conformance.oracle.violation import Undecidable, Violation
from conformance.target.web import ORIGIN, Headers, headers_of

if TYPE_CHECKING:
    from conformance.suite import Notes
    from conformance.wire.transcript import Call, StreamCall

STATUS_HEADERS = ("grpc-status", "grpc-message", "grpc-status-details-bin")
ASKED_HEADERS = ("authorization", "content-type", "x-grpc-web")
# Sent by some clients of gRPC-Web and needed by none.
HANDY_HEADERS = ("grpc-timeout", "x-user-agent")

_ALLOW_ORIGIN = "access-control-allow-origin"
_ALLOW_HEADERS = "access-control-allow-headers"
_EXPOSE = "access-control-expose-headers"
_CREDENTIALS = "access-control-allow-credentials"
_HTTP_OK = range(200, 300)


def exposes_the_status(call: Call | StreamCall) -> None:
    """Judge that a reply lets the page read the three headers of a status. Reason: `not-exposed`."""
    headers = _received(call)
    exposed = headers.items(_EXPOSE)
    if "*" in exposed and not _with_credentials(headers):
        return
    hidden = [name for name in STATUS_HEADERS if name not in exposed]
    if hidden:
        witness = {"call": call.number, "endpoint": call.endpoint, _EXPOSE: headers.get(_EXPOSE)}
        sentence = f"The reply to {call.rpc} over gRPC-Web hides {', '.join(hidden)} from a page of another origin."
        raise Violation("not-exposed", sentence, witness=witness)


def allows_the_origin(call: Call | StreamCall) -> None:
    """Judge that a reply may be read by the page that asked. Reason: `origin-refused`."""
    headers = _received(call)
    if headers.get(_ALLOW_ORIGIN) not in ("*", ORIGIN):
        witness = {"call": call.number, "endpoint": call.endpoint, _ALLOW_ORIGIN: headers.get(_ALLOW_ORIGIN)}
        sentence = f"The reply to {call.rpc} over gRPC-Web may not be read by a page of another origin."
        raise Violation("origin-refused", sentence, witness=witness)


def permits_the_call(preflight: Call, wanted: Iterable[str], notes: Notes) -> None:
    """Judge that a preflight lets the page make its call with the headers `wanted`.

    POST needs no permission, whatever the reply says of methods. A `*` does not stand for `authorization` by the
    standard, though browsers take it so: that is noted. Reasons: `preflight-refused`, `origin-refused`.
    """
    headers = _received(preflight)
    allowed = headers.items(_ALLOW_HEADERS)
    witness = {"call": preflight.number, "endpoint": preflight.endpoint, "HTTP status": headers.http_status}
    if headers.http_status not in _HTTP_OK:
        raise Violation("preflight-refused", f"The preflight of {preflight.rpc} is refused.", witness=witness)
    allows_the_origin(preflight)
    refused = sorted(set(wanted) - allowed)
    if refused and "*" in allowed and not _with_credentials(headers):
        if "authorization" in refused:
            notes.add(
                "A preflight allows the header authorization by * alone, which the Fetch standard does not count."
            )
        return
    if refused:
        sentence = f"The preflight of {preflight.rpc} does not allow the headers {', '.join(refused)}."
        witness[_ALLOW_HEADERS] = headers.get(_ALLOW_HEADERS)
        raise Violation("preflight-refused", sentence, witness=witness)


def _received(call: Call | StreamCall) -> Headers:
    headers = headers_of(call)
    if headers.http_status is None:
        told = f": {call.status.message}" if call.status else ""
        raise Undecidable(f"no HTTP reply to {call.rpc} came from {call.endpoint}{told}")
    return headers


def _with_credentials(headers: Headers) -> bool:
    return headers.get(_CREDENTIALS) == "true"
