"""Reading the address of an endpoint: HOST:PORT, [IPv6]:PORT, or the same behind http://."""

from __future__ import annotations

import ipaddress
import re

from conformance.target.errors import TargetError
from conformance.wire.text import printable

_HOST = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_.])?")
_FORMS = "write HOST:PORT, for example localhost:5050 or [::1]:5050"
_LAST_PORT = 65535


def parse_address(text: str) -> str:
    """Return `text` as "host:port", with brackets around an IPv6 address.

    Raises TargetError with one sentence for anything else.
    """
    shown = printable(_without_credentials(text), limit=100)
    address = text.strip()
    scheme, separator, rest = address.partition("://")
    if separator:
        if scheme.lower() == "https":
            raise TargetError(f'"{shown}" asks for TLS, but plaintext gRPC is expected: give a plaintext HOST:PORT.')
        if scheme.lower() != "http":
            raise TargetError(f'"{shown}" is no address: {_FORMS}.')
        address = rest.removesuffix("/")
    host, port = _split(address, shown)
    if not port:
        raise TargetError(f'"{shown}" names no port: {_FORMS}.')
    if not (port.isascii() and port.isdigit() and 1 <= int(port) <= _LAST_PORT):
        raise TargetError(f'"{shown}" has the port "{printable(port, limit=20)}", but a port is 1 to {_LAST_PORT}.')
    return f"{host}:{int(port)}"


def _without_credentials(text: str) -> str:
    """What may be quoted of an address: not what stands before an @ or behind a question mark."""
    scheme, separator, rest = text.partition("://")
    rest = rest if separator else text
    if "@" in rest:
        rest = "<redacted>@" + rest.rpartition("@")[2]
    if "?" in rest:
        rest = rest.partition("?")[0] + "?<redacted>"
    return f"{scheme}{separator}{rest}" if separator else rest


def host_and_port(address: str) -> tuple[str, int]:
    """Split an address made by `parse_address` for the socket library."""
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


def _split(address: str, shown: str) -> tuple[str, str]:
    if address.startswith("["):
        host, _, port = address[1:].partition("]")
        try:
            ipaddress.IPv6Address(host)
        except ValueError:
            raise TargetError(f'"{shown}" holds no IPv6 address between its brackets: {_FORMS}.') from None
        if port and not port.startswith(":"):
            raise TargetError(f'"{shown}" is no address: {_FORMS}.')
        return f"[{host}]", port[1:]
    host, _, port = address.partition(":")
    if ":" in port:
        raise TargetError(f'"{shown}" has several colons; an IPv6 address stands in brackets: {_FORMS}.')
    if not _HOST.fullmatch(host):
        raise TargetError(f'"{shown}" names no host: {_FORMS}.')
    return host, port
