"""Faults and variations of what carries requests and answers: their length (API-282) and compression (API-281)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from conformance.faults.backend.publish_parts import backend, clauses
from conformance.faults.backend.web import bridged
from conformance.faults.registry import Variant
from conformance.reference.backend.backend import PACKAGE, Backend, Unary
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.front.web import Web

if TYPE_CHECKING:
    from conformance.reference.backend.server import Server

CONFIGURATION = f"/{PACKAGE}.ConfigurationService/GetConfiguration"
_MIB = 1024 * 1024
_PREFIX_BYTES = 5
_EVERY_ENCODING, _IDENTITY_AND_DEFLATE, _IDENTITY_AND_GZIP = 0b111, 0b011, 0b101
_PACKED = (b"\x1f\x8b", b"\x78\x9c")  # how gzip and zlib begin
# `identity` as HTTP/2 abbreviates it in a header, and another word of the same length.
_IDENTITY, _NO_ENCODING = bytes.fromhex("3485a9264faf"), bytes.fromhex("3485a9264fbf")


class Optioned(Backend):
    """A backend whose server has other channel arguments."""

    channel: Mapping[str, int] = MappingProxyType({})

    def server(self) -> Server:
        """Return the server with the options changed."""
        from conformance.reference.backend.server import Server  # noqa: PLC0415 - the adapter program needs no grpc

        channel = self.channel

        class Changed(Server):
            def options(self) -> Sequence[tuple[str, int]]:
                return tuple(({**dict(super().options()), **channel}).items())

        return Changed(self)


def options(**changed: int) -> type[Backend]:
    """Make a backend whose server has other channel arguments."""

    class Made(Optioned):
        channel = MappingProxyType({f"grpc.{name}": value for name, value in changed.items()})

    return Made


class Packed(Optioned):
    """Takes any encoding and looks at what is compressed as it is."""

    channel = MappingProxyType(
        {
            "grpc.compression_enabled_algorithms_bitset": _EVERY_ENCODING,
            "grpc.per_message_decompression": 0,
        }
    )


class InternalWhenPacked(Packed):
    """Trips over a compressed request."""

    def serve(self, method: Unary, request: bytes) -> bytes:
        """Fail on what begins like a compressed file."""
        if request.startswith(_PACKED):
            raise Failure(Code.INTERNAL, "the request cannot be decompressed")
        return super().serve(method, request)


class NoIdentity(Web):
    """Refuses every encoding that is named, `identity` too."""

    def native(self, data: bytes) -> bytes:
        """Make another word of it, which no server knows."""
        return data.replace(_IDENTITY, _NO_ENCODING)


class FirstBytes(Backend):
    """Reads as many bytes of a request as it may have."""

    def serve(self, method: Unary, request: bytes) -> bytes:
        """Ignore the rest."""
        return super().serve(method, request[: self.settings.limits.max_request_bytes])


class CountsPrefix(Bounds):
    """Counts the five bytes before a message as part of it."""

    def wire(self, request: bytes) -> None:
        """Count them."""
        super().wire(bytes(_PREFIX_BYTES) + request)


class LowerCeiling(Bounds):
    """Carries no answer above 24 MiB."""

    def response(self, response: bytes) -> None:
        """Fail sooner."""
        if len(response) > 24 * _MIB:
            raise Failure(Code.OUT_OF_RANGE, "the response is longer than 24 MiB")
        super().response(response)


class BoundedConfiguration(Backend):
    """Bounds every answer alike."""

    def methods(self) -> Mapping[str, Unary]:
        """Bound the configuration too."""
        found = super().methods()
        return {**found, CONFIGURATION: Unary(answer=found[CONFIGURATION].answer)}


class CutConfiguration(Backend):
    """Cuts what is too long for an answer."""

    def methods(self) -> Mapping[str, Unary]:
        """Cut the configuration."""
        found, limit = super().methods(), self.settings.limits.max_response_bytes
        cut = Unary(answer=lambda request: found[CONFIGURATION].answer(request)[:limit], bounded=False)
        return {**found, CONFIGURATION: cut}


_FAULTS = (
    ("B221", "requests above the 4 MiB of the framework fail", "282.a", options(max_receive_message_length=4 * _MIB)),
    ("B221b", "answers above 4 MiB fail", "282.a", options(max_send_message_length=4 * _MIB)),
    ("B610", "answers above 24 MiB fail", "282.a", backend(bounds=LowerCeiling)),
    ("B611", "a request of exactly the limit is too long", "282.a 282.b", backend(bounds=CountsPrefix)),
    ("B222", "the first bytes of a request are read, the rest is ignored", "282.b", FirstBytes),
    ("B612", "a configuration that is too long fails", "282.c", BoundedConfiguration),
    ("B613", "a configuration that is too long is cut", "282.c", CutConfiguration),
    (
        "B229",
        "compressed requests are accepted",
        "281.p 281.q",
        options(compression_enabled_algorithms_bitset=_EVERY_ENCODING),
    ),
    (
        "B229b",
        "requests compressed with deflate are accepted",
        "281.p 281.q",
        options(compression_enabled_algorithms_bitset=_IDENTITY_AND_DEFLATE),
    ),
    (
        "B229c",
        "requests compressed with gzip are accepted",
        "281.p 281.q",
        options(compression_enabled_algorithms_bitset=_IDENTITY_AND_GZIP),
    ),
    ("B230", "compressed requests end INTERNAL", "281.p 281.q", InternalWhenPacked),
    ("B230b", "a request marked identity is refused", "281.p 281.q", bridged(NoIdentity)),
    ("B614", "compressed requests are read as if they were not", "281.p 281.q", Packed),
)

VARIANTS: tuple[Variant, ...] = tuple(
    Variant(id=name, says=says, clauses=clauses(numbers), build=build) for name, says, numbers, build in _FAULTS
)
