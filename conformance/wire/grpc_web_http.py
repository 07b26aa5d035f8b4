"""The HTTP under gRPC-Web: which version an address speaks, the headers a page sends, and what a failure means."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from enum import Enum

import httpx

from conformance.wire.grpc_web_frames import CONTENT_TYPE
from conformance.wire.transcript import Code, Status

ORIGIN = "https://page.example"

_CONNECT_S = 10.0
_SENDING_S = 20.0
_PIECE_BYTES = 256 * 1024


class HttpVersion(Enum):
    """A version of HTTP, as spoken on a connection without TLS."""

    ONE = "HTTP/1.1"
    TWO = "HTTP/2"


_lock = threading.Lock()
_spoken: dict[str, HttpVersion] = {}


def remembered(address: str) -> HttpVersion | None:
    """Return the version over which an address has answered gRPC-Web, None when that is not known."""
    with _lock:
        return _spoken.get(address)


def remember(address: str, version: HttpVersion) -> None:
    """Keep it for later connections of this process."""
    with _lock:
        _spoken[address] = version


def http_client(version: HttpVersion) -> httpx.Client:
    """Make a client that speaks one version, takes nothing from the environment and follows nothing."""
    nothing_trusted = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # none is loaded, which takes long: all is plaintext
    return httpx.Client(
        http1=version is HttpVersion.ONE, http2=version is HttpVersion.TWO, trust_env=False, verify=nothing_trusted
    )


def timeouts(read_s: float | None) -> httpx.Timeout:
    """Wait at most `read_s` seconds for each part of a reply, None for ever."""
    return httpx.Timeout(_CONNECT_S, read=read_s, write=_SENDING_S, pool=None)


def request_of(client: httpx.Client, url: str, headers: list[tuple[str, str]], body: bytes) -> httpx.Request:
    """Make a POST that sends its body in pieces and says how long it is, as a browser does."""
    return client.build_request("POST", url, headers=[*headers, ("content-length", str(len(body)))], content=_cut(body))


def page_headers(token: str | None) -> list[tuple[str, str]]:
    """Return what a page of another origin sends along with a call."""
    return [
        ("origin", ORIGIN),
        ("content-type", CONTENT_TYPE),
        ("accept", CONTENT_TYPE),
        ("accept-encoding", "identity"),
        ("x-grpc-web", "1"),
        ("user-agent", "xmtp-conformance"),
        *([] if token is None else [("authorization", f"Bearer {token}")]),
    ]


def local_status(error: httpx.HTTPError) -> Status:
    """Say what a failure of HTTP means: nothing about the contract, for no answer has come."""
    name = type(error).__name__
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return Status(code=Code.UNAVAILABLE, message=f"failed to connect ({name})", local=True)
    if isinstance(error, httpx.TimeoutException):
        return Status(code=Code.DEADLINE_EXCEEDED, message=f"no answer in time ({name})", local=True)
    return Status(code=Code.UNAVAILABLE, message=f"the connection broke ({name})", local=True)


def ends_by_itself(response: httpx.Response) -> bool:
    """Tell whether the end of a body can be told from the end of a connection that broke."""
    framing = ("content-length", "transfer-encoding")
    return response.http_version == HttpVersion.TWO.value or any(name in response.headers for name in framing)


def _cut(body: bytes) -> Iterator[bytes]:
    for start in range(0, len(body), _PIECE_BYTES):
        yield body[start : start + _PIECE_BYTES]
