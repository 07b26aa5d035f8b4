"""What stands at an address is told apart in seconds, in one sentence with the fix."""

from __future__ import annotations

import contextlib
import datetime
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from conformance.target import probe as probe_module
from conformance.target.errors import TargetError
from conformance.target.probe import probe

SETTINGS = b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"
SETTINGS_ACK = b"\x00\x00\x00\x04\x01\x00\x00\x00\x00"
HTTP_404_END = b"\x00\x00\x01\x01\x05\x00\x00\x00\x01\x8d"
WRONG_PORT = "is it the port of the backend?"

Speak = Callable[[socket.socket], object]


@pytest.fixture
def peer() -> Iterator[Callable[[Speak], str]]:
    """Start a peer that runs a function on every connection it accepts; gives its address."""
    with contextlib.ExitStack() as opened:

        def start(speak: Speak) -> str:
            listener = opened.enter_context(socket.create_server(("127.0.0.1", 0)))

            def serve(accepted: socket.socket) -> None:
                with accepted, contextlib.suppress(OSError):
                    speak(accepted)

            def accept() -> None:
                with contextlib.suppress(OSError):
                    while True:
                        accepted, _ = listener.accept()
                        threading.Thread(target=serve, args=(accepted,), daemon=True).start()

            accepting = threading.Thread(target=accept)
            accepting.start()
            opened.callback(accepting.join)
            opened.callback(listener.shutdown, socket.SHUT_RDWR)
            return f"127.0.0.1:{listener.getsockname()[1]}"

        yield start


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait less long for a peer that is known to stay silent."""
    monkeypatch.setattr(probe_module, "_STEP_S", 0.3)
    monkeypatch.setattr(probe_module, "_CALL_S", 0.3)


def sentence(address: str) -> str:
    with pytest.raises(TargetError) as raised:
        probe(address)
    return str(raised.value)


def drain(accepted: socket.socket) -> None:
    while accepted.recv(65536):
        pass


def saying(data: bytes) -> Speak:
    def speak(accepted: socket.socket) -> None:
        accepted.sendall(data)
        drain(accepted)

    return speak


def http2_without_grpc(accepted: socket.socket) -> None:
    accepted.sendall(SETTINGS + SETTINGS_ACK)
    seen = b""
    while b"GetConfiguration" not in seen and (more := accepted.recv(65536)):
        seen += more
    accepted.sendall(HTTP_404_END)
    drain(accepted)


def test_a_grpc_server_passes_whatever_it_answers(serve: Callable[..., str]) -> None:
    def refuse(request: bytes, context: grpc.ServicerContext) -> bytes:
        context.abort(grpc.StatusCode.UNAVAILABLE, "draining")
        return request

    probe(serve({"GetConfiguration": b""}))
    probe(serve({}))
    probe(serve({"GetConfiguration": refuse}))


def test_a_port_without_a_listener_refuses() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
    assert sentence(address) == f"{address} refuses connections: is the backend running there?"


def test_an_unknown_host_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert sentence("nowhere.example:5050") == (
        "nowhere.example:5050: the host name nowhere.example is not known; check its spelling."
    )


def test_a_host_that_swallows_connections_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Swallowing(socket.socket):
        def connect(self, address: object) -> None:
            del address
            raise TimeoutError

    monkeypatch.setattr(socket, "socket", Swallowing)
    assert sentence("127.0.0.1:5050") == (
        "127.0.0.1:5050 does not accept a connection within 2 s: check host, port and firewall."
    )


def test_an_http1_server_is_named() -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        address = f"127.0.0.1:{server.server_port}"
        told = sentence(address)
        server.shutdown()
        serving.join()
    assert told == f"{address} speaks HTTP/1 only, but gRPC over HTTP/2 is expected: {WRONG_PORT}"


def test_an_http1_server_that_answers_the_preface_is_named(peer: Callable[[Speak], str]) -> None:
    address = peer(saying(b"HTTP/1.1 400 Bad Request\r\n\r\n"))
    assert sentence(address) == f"{address} speaks HTTP/1 only, but gRPC over HTTP/2 is expected: {WRONG_PORT}"


@pytest.mark.parametrize("client_certificate", [False, True])
def test_a_tls_server_is_named(peer: Callable[[Speak], str], tmp_path: Path, client_certificate: bool) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(tmp_path))
    if client_certificate:
        context.verify_mode = ssl.CERT_REQUIRED
        context.maximum_version = ssl.TLSVersion.TLSv1_2  # refuses within the handshake

    def speak(accepted: socket.socket) -> None:
        with context.wrap_socket(accepted, server_side=True) as wrapped:
            drain(wrapped)

    address = peer(speak)
    assert sentence(address) == f"{address} speaks TLS, but plaintext gRPC is expected: give the plaintext port."


def test_http2_without_grpc_is_named(peer: Callable[[Speak], str]) -> None:
    address = peer(http2_without_grpc)
    assert sentence(address) == (
        f'{address} speaks HTTP/2 but not gRPC ("Received http2 header with status: 404"): {WRONG_PORT}'
    )


def test_http2_that_leaves_the_call_unanswered_is_named(peer: Callable[[Speak], str], hasty: None) -> None:
    del hasty
    address = peer(saying(SETTINGS + SETTINGS_ACK))
    assert sentence(address) == f"{address} speaks HTTP/2 but did not answer GetConfiguration within 0.3 s."


def test_something_else_is_named(peer: Callable[[Speak], str]) -> None:
    address = peer(saying(b"220 mail ready\r\n"))
    assert sentence(address) == f"{address} answers with something that is no HTTP/2: {WRONG_PORT}"


def test_a_peer_that_only_closes_is_named(peer: Callable[[Speak], str]) -> None:
    address = peer(lambda accepted: accepted.recv(10))
    assert sentence(address) == f"{address} closes every connection without an answer: {WRONG_PORT}"


def test_a_peer_that_drips_is_named(peer: Callable[[Speak], str], hasty: None) -> None:
    del hasty
    address = peer(saying(b"\x00"))
    assert sentence(address) == f"{address} answers with something that is no HTTP/2: {WRONG_PORT}"


def test_a_peer_that_never_answers_is_named_within_ten_seconds(peer: Callable[[Speak], str]) -> None:
    address = peer(drain)
    started = time.monotonic()
    assert sentence(address) == (
        f"{address} accepts connections but never answers: is it the port of the backend, and is it up?"
    )
    assert time.monotonic() - started < 10


def certificate(folder: Path) -> Path:
    """Make a self-signed certificate and its key in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    path = folder / "server.pem"
    encoding = serialization.Encoding.PEM
    private = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(private + made.public_bytes(encoding))
    return path
