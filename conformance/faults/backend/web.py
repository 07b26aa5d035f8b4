"""Faults of gRPC-Web: what a page of another origin may call, and what it learns (API-285).

Each is a bridge of its own in the front of an endpoint, which finds it by its name in this module.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping

from conformance.faults.backend.publish_parts import clauses
from conformance.faults.registry import Variant
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.front.frames import HEADER_BYTES, Fields
from conformance.reference.backend.front.web import Headers, Web

EXPOSE = "access-control-expose-headers"
ORIGIN = "access-control-allow-origin"
ALLOW_HEADERS = "access-control-allow-headers"
_DETAILS = "grpc-status-details-bin"
_FOUR_MIB = 4 * 1024 * 1024
_PROXY_BYTES = 4096


def without(headers: Headers, name: str) -> Headers:
    """Leave a header out."""
    return tuple(pair for pair in headers if pair[0] != name)


def replaced(headers: Headers, name: str, value: str) -> Headers:
    """Set a header to another value."""
    return (*without(headers, name), (name, value))


class NoStreams(Web):
    """Knows no method that streams."""

    def serves(self, path: str) -> bool:
        """Leave the streams out."""
        return "SubscriptionService" not in path


class NoIdentity(Web):
    """Was not told of one of the services."""

    def serves(self, path: str) -> bool:
        """Leave the identity service out."""
        return "IdentityService" not in path


class NoWeb(Web):
    """Speaks HTTP/2 only, and no gRPC-Web on it."""

    def serve(self, connection: socket.socket) -> None:
        """Close the connection of a page."""
        connection.close()


class EmptyConfiguration(Web):
    """Answers the configuration from a copy that was never filled."""

    def handed_on(self, frames: Iterator[bytes]) -> Iterator[bytes]:
        """Empty short messages in which the configuration names itself."""
        for frame in frames:
            yield bytes(HEADER_BYTES) if b"xmtp-conformance-reference" in frame else frame


class UnknownFailures(Web):
    """Reports every failure as UNKNOWN."""

    def trailers(self, fields: Fields) -> Fields:
        """Change the code of a failure."""
        return tuple((name, "2" if name == "grpc-status" and value != "0" else value) for name, value in fields)


class HidesFailures(Web):
    """Adds the list of exposed headers to replies with a message only."""

    def failed(self, headers: Mapping[str, str]) -> Headers:
        """Leave the list out."""
        return without(super().failed(headers), EXPOSE)


class HidesSuccess(Web):
    """Adds the list of exposed headers to failures only."""

    def common(self, headers: Mapping[str, str]) -> Headers:
        """Leave the list out."""
        return without(super().common(headers), EXPOSE)


class HidesDetails(Web):
    """Exposes the status and its message, as many a bridge does by default."""

    def common(self, headers: Mapping[str, str]) -> Headers:
        """Name two of three."""
        return replaced(super().common(headers), EXPOSE, "grpc-status, grpc-message")

    def failed(self, headers: Mapping[str, str]) -> Headers:
        """Name two of three here too."""
        return self.common(headers)


class LosesDetails(Web):
    """Hands on the status and its message."""

    def trailers(self, fields: Fields) -> Fields:
        """Lose the details."""
        return tuple(pair for pair in fields if pair[0] != _DETAILS)


class Buffers(Web):
    """Sits behind a proxy that reads the whole answer first."""

    def handed_on(self, frames: Iterator[bytes]) -> Iterator[bytes]:
        """Hand everything on at the end."""
        yield from list(frames)


class FillsABuffer(Web):
    """Sits behind a proxy that hands on what fills its buffer."""

    def handed_on(self, frames: Iterator[bytes]) -> Iterator[bytes]:
        """Keep frames until there are enough bytes."""
        kept = b""
        for frame in frames:
            kept += frame
            if len(kept) >= _PROXY_BYTES:
                yield kept
                kept = b""
        if kept:
            yield kept


class RefusesOriginOnFailure(Web):
    """Allows the origin on replies with a message only."""

    def failed(self, headers: Mapping[str, str]) -> Headers:
        """Leave the origin out."""
        return without(super().failed(headers), ORIGIN)


class RefusesOrigin(Web):
    """Allows one origin, its own."""

    def common(self, headers: Mapping[str, str]) -> Headers:
        """Name the origin."""
        return replaced(super().common(headers), ORIGIN, "https://app.example")


class NoPreflight(Web):
    """Leaves a preflight to the server behind, which takes no OPTIONS."""

    def preflight(self, headers: Mapping[str, str]) -> Headers | None:
        """Treat it as any request."""
        del headers
        return None


class NoCredentials(Web):
    """Allows what gRPC-Web needs, and no credential."""

    def preflight(self, headers: Mapping[str, str]) -> Headers | None:
        """Name the headers."""
        return replaced(super().preflight(headers) or (), ALLOW_HEADERS, "content-type, x-grpc-web, x-user-agent")


class PreflightOfAnother(Web):
    """Allows one origin to ask first."""

    def preflight(self, headers: Mapping[str, str]) -> Headers | None:
        """Name the origin."""
        return replaced(super().preflight(headers) or (), ORIGIN, "https://app.example")


class FourMebibytes(Web):
    """Makes its calls with the limits that the framework has by default."""

    def options(self) -> tuple[tuple[str, int], ...]:
        """Leave the limits as they are."""
        return (("grpc.max_receive_message_length", _FOUR_MIB),)


def bridged(web: type[Web]) -> type[Backend]:
    """Make a backend whose front speaks gRPC-Web in another way."""

    class Bridged(Backend):
        web_class = web

    return Bridged


_FAULTS = (
    ("B224", "the streams are missing on gRPC-Web", "285.a 285.d", NoStreams),
    ("B600", "one service is missing on gRPC-Web", "285.a", NoIdentity),
    ("B601", "gRPC-Web is not served at all", "285.a", NoWeb),
    ("B602", "gRPC-Web tells an empty configuration", "285.a", EmptyConfiguration),
    ("B603", "every failure is UNKNOWN over gRPC-Web", "285.a 285.c", UnknownFailures),
    ("B225", "the expose list is missing on failures", "285.b", HidesFailures),
    ("B225b", "the expose list is missing on answers", "285.b", HidesSuccess),
    ("B225c", "the expose list lacks the details", "285.b", HidesDetails),
    ("B227", "the details get lost on gRPC-Web", "285.c", LosesDetails),
    ("B228", "a stream over gRPC-Web comes when it has ended", "285.a 285.d", Buffers),
    ("B228b", "a stream over gRPC-Web comes in bulk", "285.a 285.d", FillsABuffer),
    ("B604", "failures do not allow the origin", "285.e", RefusesOriginOnFailure),
    ("B605", "answers allow another origin", "285.e", RefusesOrigin),
    ("B606", "a preflight is not answered", "285.e", NoPreflight),
    ("B607", "a preflight does not allow a credential", "285.e", NoCredentials),
    ("B608", "a preflight allows another origin", "285.e", PreflightOfAnother),
    ("B609", "gRPC-Web carries 4 MiB", "282.a", FourMebibytes),
)
VARIANTS: tuple[Variant, ...] = tuple(
    Variant(id=name, says=says, clauses=clauses(numbers), build=bridged(web)) for name, says, numbers, web in _FAULTS
)
