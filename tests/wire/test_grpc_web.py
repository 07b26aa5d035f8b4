"""gRPC-Web as it comes: any pieces, a status in a frame or in headers, and a failure on the way is nobody's answer."""

from __future__ import annotations

import base64
import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.wire.grpc_web import WebConnection
from conformance.wire.grpc_web_frames import CONTENT_TYPE, WebReply, framed
from conformance.wire.recorder import Recorder
from conformance.wire.transcript import Code
from tests.wire.web_servers import Answer, Http1, Http2Only, replying, trailers

METHOD = "/any.Service/Talk"
SOON_S = 10.0
OK = trailers("grpc-status: 0")
HEADERS = [("Content-Type", CONTENT_TYPE)]

Connect = Callable[[Answer], WebConnection]


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def connect(opened: ExitStack) -> Connect:
    def start(answer: Answer) -> WebConnection:
        server = Http1(answer)
        opened.callback(server.close)
        connection = WebConnection(server.address)
        opened.callback(connection.close)
        return connection

    return start


@given(messages=st.lists(st.binary(max_size=40)), cuts=st.lists(st.integers(0, 200)), code=st.sampled_from(Code))
def test_a_body_means_the_same_in_whatever_pieces_it_comes(messages: list[bytes], cuts: list[int], code: Code) -> None:
    body = b"".join(map(framed, messages)) + trailers(f"grpc-status: {code}", "grpc-message: so%20be it")
    reply, got = WebReply(200, HEADERS), []
    ends = sorted({min(cut, len(body)) for cut in cuts} | {0, len(body)})
    for start, end in itertools.pairwise(ends):
        got += reply.feed(body[start:end])
    outcome = reply.end()
    assert got == messages
    assert (outcome.status.code, outcome.status.message, outcome.spoke_grpc) == (code, "so be it", True)


@given(body=st.binary(max_size=60))
def test_no_body_is_misread_as_a_success_or_breaks_the_reader(body: bytes) -> None:
    reply = WebReply(200, HEADERS)
    reply.feed(body)
    status = reply.end().status
    assert not status.local
    assert status.code is not Code.OK or b"grpc-status" in body


@pytest.mark.parametrize("behind", [b"", trailers(), trailers("other: 1"), trailers("nothing to split")], ids=str)
def test_a_status_in_the_headers_stands_whatever_an_empty_frame_says(behind: bytes) -> None:
    reply = WebReply(200, [*HEADERS, ("Grpc-Status", "11"), ("grpc-message", "too%0Along")])
    reply.feed(behind)
    status = reply.end().status
    assert (status.code, status.message) == (Code.OUT_OF_RANGE, "too\nlong")


def test_the_frame_of_trailers_counts_more_than_the_headers() -> None:
    reply = WebReply(200, [*HEADERS, ("grpc-status", "0")])
    reply.feed(trailers("GRPC-STATUS: 3"))
    assert reply.end().status.code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize("padded", [True, False])
def test_details_are_read_with_and_without_padding(padded: bool) -> None:
    encoded = base64.b64encode(b"some").decode()
    reply = WebReply(200, HEADERS)
    reply.feed(trailers("grpc-status:3", f"grpc-status-details-bin: {encoded if padded else encoded.rstrip('=')}"))
    assert reply.end().status.details_bin == b"some"


@pytest.mark.parametrize(
    ("answer", "code", "told"),
    [
        (replying(status=404), Code.UNKNOWN, "HTTP status 404"),
        (replying(status=503, grpc_status="0"), Code.UNAVAILABLE, "HTTP status 503"),
        (replying(framed(b"x")), Code.UNKNOWN, "the reply carries no grpc-status"),
        (replying(framed(b"x")[:-1]), Code.UNKNOWN, "ends inside a frame"),
        (replying(OK + framed(b"x")), Code.UNKNOWN, "something follows"),
        (replying(b"\x01" + framed(b"x")[1:] + OK), Code.UNKNOWN, "flags 0x01"),
        (replying(framed(b"a") + framed(b"b") + OK), Code.UNKNOWN, "2 messages"),
        (replying(framed(b"a") + OK, content_type="text/html"), Code.UNKNOWN, 'content-type is "text/html"'),
        (replying(framed(b"a") + OK, content_type="application/grpc-web-text"), Code.UNKNOWN, "content-type"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_the_target_sent_is_its_own_answer_even_if_it_is_no_grpc_web(
    connect: Connect, answer: Answer, code: Code, told: str
) -> None:
    status = connect(answer).unary(METHOD, b"").status
    assert (status.code, status.local) == (code, False)
    assert told in status.message


def _cut_without_a_length(handler: BaseHTTPRequestHandler, _request: bytes) -> None:
    handler.wfile.write(f"HTTP/1.1 200 OK\r\ncontent-type: {CONTENT_TYPE}\r\n\r\n".encode() + framed(b"x"))
    handler.close_connection = True


def _silent(handler: BaseHTTPRequestHandler, _request: bytes) -> None:
    handler.close_connection = True


@pytest.mark.parametrize("answer", [replying(framed(b"x"), length=99), _cut_without_a_length, _silent])
def test_an_answer_that_breaks_off_is_a_failure_on_the_way(connect: Connect, answer: Answer) -> None:
    call = connect(answer).unary(METHOD, b"")
    assert (call.status.code, call.status.local, call.response) == (Code.UNAVAILABLE, True, None)


def test_nothing_that_listens_is_a_failure_on_the_way_and_no_answer_on_a_connection_is_told_apart(
    connect: Connect, opened: ExitStack
) -> None:
    server = Http2Only()
    server.close()
    nobody = WebConnection(server.address)
    opened.callback(nobody.close)
    assert nobody.unary(METHOD, b"").status.local
    assert nobody.served() is None
    assert connect(_silent).served() is False
    assert connect(replying(status=500)).served() is True


def test_a_call_is_on_record_with_headers_and_without_its_credential(opened: ExitStack) -> None:
    server, recorder = Http1(replying(framed(b"answer") + OK, X_Other="1")), Recorder()
    opened.callback(server.close)
    connection = WebConnection(server.address, token="top-secret", recorder=recorder)  # noqa: S106 - of this test
    opened.callback(connection.close)
    call = connection.unary(METHOD, b"request")
    assert (call.response, recorder.calls[-1]) == (b"answer", call)
    assert {(":status", "200"), ("x-other", "1")} <= set(call.initial_metadata)
    assert call.trailing_metadata == (("grpc-status", "0"),)
    assert ("origin", "https://page.example") in call.request_metadata
    assert "top-secret" not in str(recorder.to_json())


def test_a_long_message_goes_both_ways(connect: Connect) -> None:
    def echo(handler: BaseHTTPRequestHandler, request: bytes) -> None:
        replying(request + OK)(handler, request)

    long = bytes(range(256)) * 8192
    assert connect(echo).unary(METHOD, long).response == long


def test_a_backend_that_speaks_http2_only_is_reached_over_it(opened: ExitStack) -> None:
    server = Http2Only()
    opened.callback(server.close)
    connection = WebConnection(server.address)
    opened.callback(connection.close)
    for message in (b"hello", bytes(range(250)) * 240):
        assert connection.unary(METHOD, message).response == message
    assert (connection.http_version, connection.served()) == ("HTTP/2", True)


@pytest.mark.parametrize("version", ["HTTP/1.1", "HTTP/2"])
def test_messages_of_a_stream_are_there_before_its_end(opened: ExitStack, version: str) -> None:
    go_on = threading.Event()
    opened.callback(go_on.set)

    def answer(handler: BaseHTTPRequestHandler, request: bytes) -> None:
        reply = request + OK
        if len(request) > len(framed(b"")):
            replying(request, length=len(reply))(handler, request)
            go_on.wait(SOON_S)
            handler.wfile.write(OK)
        else:
            replying(reply)(handler, request)

    server: Http1 | Http2Only
    first = iter([None])
    server = Http1(answer) if version == "HTTP/1.1" else Http2Only(lambda: next(first, go_on) and go_on.wait(SOON_S))
    opened.callback(server.close)
    connection = WebConnection(server.address)
    opened.callback(connection.close)
    stream = connection.open_stream(METHOD, b"hello")
    opened.callback(stream.close)
    assert connection.http_version == version
    frame = stream.receive(SOON_S)
    assert frame is not None
    assert (frame.data, stream.status) == (b"hello", None)
    go_on.set()
    assert stream.receive(SOON_S) is None
    assert stream.status is not None
    assert (stream.status.code, stream.status.local) == (Code.OK, False)


def test_giving_a_stream_up_ends_it_at_once_even_before_an_answer(opened: ExitStack) -> None:
    asked, go_on = threading.Event(), threading.Event()
    opened.callback(go_on.set)

    def answer(handler: BaseHTTPRequestHandler, request: bytes) -> None:
        if request == framed(b"wait"):
            asked.set()
            go_on.wait(SOON_S)
        replying(OK)(handler, request)

    server = Http1(answer)
    opened.callback(server.close)
    connection = WebConnection(server.address)
    opened.callback(connection.close)
    stream = connection.open_stream(METHOD, b"wait")
    assert asked.wait(SOON_S)
    stream.close()
    assert stream.status is not None
    assert (stream.status.code, stream.status.local) == (Code.CANCELLED, True)
    with pytest.raises(RuntimeError):
        stream.send(b"more")
