"""What lets a page of another origin make the calls and read their outcome."""

from __future__ import annotations

from collections.abc import Mapping

EXPOSED = "grpc-status, grpc-message, grpc-status-details-bin"
PREFLIGHT_SECONDS = "600"

Headers = tuple[tuple[str, str], ...]


def is_preflight(method: str, headers: Mapping[str, str]) -> bool:
    """Whether a browser asks for permission before the call itself."""
    return method == "OPTIONS" and "origin" in headers and "access-control-request-method" in headers


def preflight_headers(headers: Mapping[str, str]) -> Headers:
    """Allow what was asked for: the backend has no state of the browser (cookies) that another page could abuse."""
    return (
        ("access-control-allow-origin", "*"),
        ("access-control-allow-methods", "POST"),
        ("access-control-allow-headers", headers.get("access-control-request-headers", "*")),
        ("access-control-max-age", PREFLIGHT_SECONDS),
    )


def reply_headers(headers: Mapping[str, str]) -> Headers:
    """Let the page that asked read the reply and, by name, the headers with its status."""
    if "origin" not in headers:
        return ()
    return (("access-control-allow-origin", "*"), ("access-control-expose-headers", EXPOSED))
