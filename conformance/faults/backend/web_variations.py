"""Variations of gRPC-Web: other headers and frames that say the same to a page of another origin (API-285)."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping

from conformance.faults.backend.publish_parts import clauses
from conformance.faults.backend.web import ALLOW_HEADERS, EXPOSE, ORIGIN, bridged, replaced
from conformance.faults.registry import Variant
from conformance.reference.backend.front.frames import Fields, trailer_frame
from conformance.reference.backend.front.web import CONTENT_TYPE, Exchange, Headers, Web


class EchoesOrigin(Web):
    """Allows whoever asks by name, and writes header names as in the days of HTTP/1.0."""

    def preflight(self, headers: Mapping[str, str]) -> Headers | None:
        """Echo the origin; POST needs no mention."""
        return (("Access-Control-Allow-Origin", headers["origin"]), (ALLOW_HEADERS.upper(), self._asked(headers)))

    def common(self, headers: Mapping[str, str]) -> Headers:
        """Echo the origin."""
        names = "Grpc-Status,Grpc-Message , GRPC-STATUS-DETAILS-BIN,x-request-id"
        return ((ORIGIN.upper(), headers["origin"]), ("Vary", "Origin"), ("Access-Control-Expose-Headers", names))

    def failed(self, headers: Mapping[str, str]) -> Headers:
        """Do the same on failures."""
        return self.common(headers)

    @staticmethod
    def _asked(headers: Mapping[str, str]) -> str:
        return headers["access-control-request-headers"].upper()


class ExposesAll(Web):
    """Allows everything by a star, which needs no list where no credentials are."""

    def preflight(self, headers: Mapping[str, str]) -> Headers | None:
        """Allow everything."""
        del headers
        return ((ORIGIN, "*"), (ALLOW_HEADERS, "*"))

    def common(self, headers: Mapping[str, str]) -> Headers:
        """Expose everything."""
        return replaced(super().common(headers), EXPOSE, "*")

    def failed(self, headers: Mapping[str, str]) -> Headers:
        """Do the same on failures."""
        return self.common(headers)


class FailsInAFrame(Web):
    """Ends every reply with a frame of trailers, those without a message too; text is encoded more than it need be."""

    def trailers(self, fields: Fields) -> Fields:
        """Encode every character of a message, and pad what is in base64."""
        return tuple((name, self._encoded(name, value)) for name, value in fields)

    def end(self, exchange: Exchange, headers: Mapping[str, str], fields: Fields) -> None:
        """Begin the reply if need be, and end it with the frame."""
        if not exchange.begun:
            exchange.begin((("content-type", CONTENT_TYPE), *self.failed(headers)))
        super().end(exchange, headers, fields)

    @staticmethod
    def _encoded(name: str, value: str) -> str:
        if name == "grpc-message":
            return "".join(f"%{byte:02X}" for byte in value.encode())
        if name.endswith("-bin"):
            return base64.b64encode(base64.b64decode(value + "=" * (-len(value) % 4))).decode()
        return value


class EmptyFrame(Web):
    """Has the status of a failure in its headers, and an empty frame of trailers behind them."""

    def end(self, exchange: Exchange, headers: Mapping[str, str], fields: Fields) -> None:
        """Send both."""
        if exchange.begun:
            super().end(exchange, headers, fields)
            return
        exchange.begin((("content-type", f"{CONTENT_TYPE}; charset=utf-8"), *self.failed(headers), *fields))
        exchange.send(trailer_frame(()))
        exchange.end()


class InPieces(Web):
    """Hands a frame on in pieces that end anywhere, several frames in one of them."""

    def handed_on(self, frames: Iterator[bytes]) -> Iterator[bytes]:
        """Cut each frame in its header and in its body."""
        for frame in frames:
            for start, end in ((0, 2), (2, 9), (9, len(frame))):
                if piece := frame[start:end]:
                    yield piece


_VARIATIONS = (
    ("V33", "the origin is echoed, header names are in capitals", EchoesOrigin),
    ("V600", "a star allows and exposes everything", ExposesAll),
    ("V601", "failures over gRPC-Web are told in a frame, in needless encodings", FailsInAFrame),
    ("V602", "failures over gRPC-Web are told in headers, with an empty frame behind", EmptyFrame),
    ("V603", "frames over gRPC-Web come in pieces", InPieces),
)
_CLOSEST = clauses("285.a 285.b 285.c 285.d 285.e")

VARIANTS: tuple[Variant, ...] = tuple(
    Variant(id=name, says=says, clauses=_CLOSEST, build=bridged(web), kind="variation")
    for name, says, web in _VARIATIONS
)
