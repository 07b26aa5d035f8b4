"""A connection hands over bytes and statuses as they are, keeps the token to itself, and records every call."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import NoReturn, Protocol

import grpc
import pytest

from conformance.wire.channel import Connection
from conformance.wire.recorder import Recorder, recording
from conformance.wire.transcript import Code, Status

METHOD = "/any.Service/Method"
TOKEN = "a-token-of-some-length"  # noqa: S105 - made up
MIB = 1024 * 1024


class Serving(Protocol):
    address: str
    port: int

    def stop(self) -> None: ...


Serve = Callable[..., Serving]


def echo(request: bytes, context: grpc.ServicerContext) -> bytes:
    del context
    return request


@pytest.mark.parametrize(
    "request_bytes", [b"", b"\x00\xff not protobuf", b"x" * (5 * MIB)], ids=["none", "odd", "long"]
)
def test_bytes_pass_both_ways_untouched(serve: Serve, request_bytes: bytes) -> None:
    with closing(Connection(serve(echo).address)) as connection:
        call = connection.unary(METHOD, request_bytes)
    assert (call.request, call.response) == (request_bytes, request_bytes)
    assert call.status == Status(code=Code.OK)
    assert (call.method, call.rpc) == (METHOD, "Method")
    assert 0 < call.started_ns < call.ended_ns


@pytest.mark.parametrize("code", [code for code in grpc.StatusCode if code is not grpc.StatusCode.OK])
def test_every_status_of_a_real_server_arrives_as_received(serve: Serve, code: grpc.StatusCode) -> None:
    def refuse(request: bytes, context: grpc.ServicerContext) -> NoReturn:
        context.set_trailing_metadata((("grpc-status-details-bin", request), ("x-note", "seen")))
        context.abort(code, "no, thanks; 100 % sure: ümläut")

    with closing(Connection(serve(refuse).address)) as connection:
        call = connection.unary(METHOD, b"\x01\x02")
    assert call.status == Status(
        code=Code[code.name], message="no, thanks; 100 % sure: ümläut", local=False, details_bin=b"\x01\x02"
    )
    assert ("x-note", "seen") in call.trailing_metadata
    assert ("grpc-status-details-bin", base64.b64encode(b"\x01\x02").decode()) in call.trailing_metadata
    assert call.response is None


def test_a_call_that_outlives_its_deadline_is_local_even_if_the_server_would_have_answered(serve: Serve) -> None:
    release = threading.Event()

    def wait(request: bytes, context: grpc.ServicerContext) -> bytes:
        del context
        release.wait(30)
        return request

    with closing(Connection(serve(wait).address)) as connection:
        call = connection.unary(METHOD, b"", deadline_s=0.2)
        release.set()
    assert (call.status.code, call.status.local) == (Code.DEADLINE_EXCEEDED, True)


def test_the_token_is_sent_and_appears_nowhere_else(serve: Serve) -> None:
    received: list[object] = []

    def leak(request: bytes, context: grpc.ServicerContext) -> NoReturn:
        received.append(dict(context.invocation_metadata()).get("authorization"))
        context.send_initial_metadata((("x-echo", f"<{TOKEN}>"), ("set-cookie", "session=1")))
        context.set_trailing_metadata((("grpc-status-details-bin", b"##" + TOKEN.encode()), ("x-echo", TOKEN)))
        context.abort(grpc.StatusCode.UNAUTHENTICATED, f"bad token {TOKEN}")

    recorder = Recorder()
    with closing(Connection(serve(leak).address, token=TOKEN, recorder=recorder)) as connection:
        call = connection.unary(METHOD, TOKEN.encode(), metadata=[("x-more", "1")])
    assert received == [f"Bearer {TOKEN}"]
    assert call.request_metadata == (("x-more", "1"), ("authorization", "<redacted>"))
    assert call.status.message == "bad token <redacted>"
    assert call.status.details_bin == b"##" + b"*" * len(TOKEN)
    assert TOKEN not in repr(call)
    shown = recorder.to_json()
    assert TOKEN not in str(shown)
    assert base64.b64encode(TOKEN.encode()).decode() not in str(shown)
    assert "session" not in str(shown)


def test_connections_share_a_tcp_connection_unless_they_are_fresh(serve: Serve) -> None:
    def who(request: bytes, context: grpc.ServicerContext) -> bytes:
        del request
        return context.peer().encode()

    address = serve(who).address
    shared = Connection(address), Connection(address)
    fresh = Connection(address, fresh=True), Connection(address, fresh=True)
    peers = [connection.unary(METHOD, b"").response for connection in (*shared, *fresh)]
    for connection in (*shared, *fresh):
        connection.close()
    assert peers[0] == peers[1]
    assert len(set(peers)) == 3


def test_a_connection_reaches_a_server_that_came_back_on_the_same_port(serve: Serve) -> None:
    first = serve(echo)
    with closing(Connection(first.address)) as connection:
        assert connection.unary(METHOD, b"1").response == b"1"
        first.stop()
        gone = connection.unary(METHOD, b"2")
        assert (gone.status.code, gone.status.local) == (Code.UNAVAILABLE, True)
        serve(echo, first.port)
        connection.reconnect()
        assert connection.unary(METHOD, b"3").response == b"3"


def test_a_call_in_flight_survives_a_reconnect(serve: Serve) -> None:
    arrived, release = threading.Event(), threading.Event()

    def wait(request: bytes, context: grpc.ServicerContext) -> bytes:
        del context
        arrived.set()
        release.wait(30)
        return request

    other = serve(echo)
    with closing(Connection(serve(wait).address)) as connection, ThreadPoolExecutor(1) as pool:
        running = pool.submit(connection.unary, METHOD, b"slow")
        assert arrived.wait(30)
        connection.reconnect(other.address)
        assert connection.address == other.address
        assert connection.unary(METHOD, b"quick").response == b"quick"
        release.set()
        assert running.result(30).response == b"slow"


def test_a_closed_connection_refuses_to_be_used() -> None:
    connection = Connection("127.0.0.1:1")
    connection.close()
    connection.close()
    with pytest.raises(RuntimeError, match=r"127\.0\.0\.1:1 has been closed"):
        connection.unary(METHOD, b"")
    with pytest.raises(RuntimeError, match="closed"):
        connection.reconnect()


def test_metadata_that_cannot_be_sent_ends_as_a_local_status(serve: Serve) -> None:
    with closing(Connection(serve(echo).address)) as connection:
        call = connection.unary(METHOD, b"", metadata=[("x-broken", "a\nb")])
    assert (call.status.code, call.status.local) == (Code.INTERNAL, True)


def test_many_threads_record_into_the_case_that_runs(serve: Serve) -> None:
    recorder = Recorder()
    with closing(Connection(serve(echo).address)) as connection:
        connection.unary(METHOD, b"before")
        with recording(recorder), ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda n: connection.unary(METHOD, b"%d" % n), range(160)))
        connection.unary(METHOD, b"after")
    assert [call.request for call in answers] == [b"%d" % n for n in range(160)]
    assert [call.number for call in recorder.calls] == list(range(1, 161))
    assert set(recorder.calls) == set(answers)
