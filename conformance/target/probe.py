"""What answers at an address: a gRPC server, or else one sentence on what stands there instead."""

from __future__ import annotations

import socket
import ssl
import time
from contextlib import closing
from dataclasses import dataclass

from conformance.target.address import host_and_port
from conformance.target.errors import TargetError
from conformance.wire import methods
from conformance.wire.channel import Connection
from conformance.wire.text import printable
from conformance.wire.transcript import Code

# Seconds per step. The longest way, past a silent peer, is four steps: 8 s.
_STEP_S = 2.0
_CALL_S = 4.0

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_EMPTY_SETTINGS = b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"
_HTTP1_REQUEST = b"GET / HTTP/1.1\r\nHost: probe\r\nConnection: close\r\n\r\n"
_FRAME_HEADER_BYTES = 9
_FIRST_FRAMES = frozenset({4, 7})  # SETTINGS, or GOAWAY from a server that turns us away
_TLS_ALERT = b"\x15\x03"
_TLS_HANDSHAKE_REFUSALS = ("CERTIFICATE", "ALERT", "HANDSHAKE_FAILURE", "UNSUPPORTED_PROTOCOL")


@dataclass(frozen=True, kw_only=True)
class _Answer:
    """The first bytes that came back, and whether the peer closed the connection."""

    data: bytes
    closed: bool


def probe(address: str) -> None:
    """Return when a plaintext gRPC server answers at `address` ("host:port").

    Raises TargetError with one sentence naming the address, what was met and the fix, within 10 s (the look-up of a
    host name aside). Whether the server offers the right services is not asked: any status that it sends shows that it
    speaks gRPC.
    """
    first = _first_answer(address)
    if _is_http2(first.data):
        _call(address)
        return
    if first.data.startswith(b"HTTP/"):
        raise TargetError(_http1(address))
    if first.data.startswith(_TLS_ALERT) or _speaks_tls(address):
        raise TargetError(f"{address} speaks TLS, but plaintext gRPC is expected: give the plaintext port.")
    if _shows_http1(address):
        raise TargetError(_http1(address))
    if first.data:
        raise TargetError(f"{address} answers with something that is no HTTP/2: is it the port of the backend?")
    if first.closed:
        raise TargetError(f"{address} closes every connection without an answer: is it the port of the backend?")
    raise TargetError(f"{address} accepts connections but never answers: is it the port of the backend, and is it up?")


def _first_answer(address: str) -> _Answer:
    """Connect and send what opens an HTTP/2 connection; a connection that fails is told apart here."""
    try:
        return _exchange(address, _PREFACE + _EMPTY_SETTINGS)
    except socket.gaierror:
        host, _ = host_and_port(address)
        raise TargetError(f"{address}: the host name {host} is not known; check its spelling.") from None
    except ConnectionRefusedError:
        raise TargetError(f"{address} refuses connections: is the backend running there?") from None
    except TimeoutError:
        raise TargetError(
            f"{address} does not accept a connection within {_STEP_S:g} s: check host, port and firewall."
        ) from None
    except OSError as error:
        raise TargetError(f"{address} cannot be reached: {error.strerror or error}.") from None


def _connect(address: str, until: float) -> socket.socket:
    """Try the addresses of the host in turn until the monotonic time `until`. Raises the OSError of the last one."""
    host, port = host_and_port(address)
    failure: OSError = TimeoutError()
    for family, kind, protocol, _, where in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        peer = socket.socket(family, kind, protocol)
        try:
            _patience(peer, until)
            peer.connect(where)
        except OSError as error:
            peer.close()
            failure = error
        else:
            return peer
    raise failure


def _patience(peer: socket.socket, until: float) -> None:
    left_s = until - time.monotonic()
    if left_s <= 0:
        raise TimeoutError
    peer.settimeout(left_s)


def _exchange(address: str, request: bytes) -> _Answer:
    """Send `request` on a connection of its own and read until a frame header's worth of bytes is there.

    Raises OSError only when no connection comes about.
    """
    until = time.monotonic() + _STEP_S
    data = b""
    with closing(_connect(address, until)) as peer:
        try:
            peer.sendall(request)
            while len(data) < _FRAME_HEADER_BYTES:
                _patience(peer, until)
                received = peer.recv(4096)
                if not received:
                    return _Answer(data=data, closed=True)
                data += received
        except TimeoutError:
            return _Answer(data=data, closed=False)
        except OSError:
            return _Answer(data=data, closed=True)
    return _Answer(data=data, closed=False)


def _is_http2(data: bytes) -> bool:
    return len(data) >= _FRAME_HEADER_BYTES and data[3] in _FIRST_FRAMES and not any(data[5:_FRAME_HEADER_BYTES])


def _speaks_tls(address: str) -> bool:
    # Nothing is sent over this connection, so nothing needs to be verified: only whether a handshake is understood.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    until = time.monotonic() + _STEP_S
    host, _ = host_and_port(address)
    try:
        with closing(_connect(address, until)) as peer:
            peer.settimeout(_STEP_S)
            with context.wrap_socket(peer, server_hostname=host):
                return True
    except ssl.SSLError as error:
        return any(word in str(error).upper() for word in _TLS_HANDSHAKE_REFUSALS)
    except OSError:
        return False


def _shows_http1(address: str) -> bool:
    """Ask as HTTP/1 clients do: some servers show themselves to nothing else."""
    try:
        return _exchange(address, _HTTP1_REQUEST).data.startswith(b"HTTP/")
    except OSError:
        return False


def _call(address: str) -> None:
    connection = Connection(address, fresh=True)
    try:
        call = connection.unary(methods.GET_CONFIGURATION, b"", deadline_s=_CALL_S)
    finally:
        connection.close()
    status = call.status
    if not status.local:
        return
    if status.code is Code.DEADLINE_EXCEEDED:
        raise TargetError(f"{address} speaks HTTP/2 but did not answer GetConfiguration within {_CALL_S:g} s.")
    raise TargetError(
        f'{address} speaks HTTP/2 but not gRPC ("{printable(status.message)}"): is it the port of the backend?'
    )


def _http1(address: str) -> str:
    return f"{address} speaks HTTP/1 only, but gRPC over HTTP/2 is expected: is it the port of the backend?"
