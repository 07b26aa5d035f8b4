"""A page of another origin has the verbs of a node; what the gRPC library may have made up is asked for again."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler

import grpc
import pytest

from conformance.pb import backend_pb2 as pb
from conformance.target.errors import Undecided
from conformance.target.limits import Limits
from conformance.target.node import Node
from conformance.target.raw_http2 import as_unary, confirmed, raw_call, raw_stream
from conformance.target.refusals import UnexpectedStatus
from conformance.target.web import ORIGIN, WebNode, headers_of
from conformance.wire import methods
from conformance.wire.channel import Connection
from conformance.wire.grpc_web_frames import framed
from conformance.wire.recorder import Recorder, recording
from conformance.wire.transcript import Code
from tests.wire.web_servers import Answer, Http1, replying, trailers

OK = trailers("grpc-status: 0")
TOPIC = b"\0" + b"g" * 16
STARTED = pb.SubscribeStaticResponse(started=pb.SubscribeStaticResponse.Started(keepalive_interval_ms=300))

OverWeb = Callable[[Answer], WebNode]
MakeNode = Callable[..., Node]


@pytest.fixture
def over_web() -> Iterator[OverWeb]:
    """Return the web side of a node over a server that answers HTTP alone."""
    with ExitStack() as opened:

        def make(answer: Answer) -> WebNode:
            server = Http1(answer)
            opened.callback(server.close)
            native = Node(Connection(server.address, fresh=True), Limits(), deadline_s=10.0)
            opened.callback(native.close)
            return opened.enter_context(native.web())

        yield make


def by_method(**bodies: bytes) -> Answer:
    """Answer each method with its message, and others with none."""

    def answer(handler: BaseHTTPRequestHandler, request: bytes) -> None:
        found = bodies.get(handler.path.rpartition("/")[2])
        replying((b"" if found is None else framed(found)) + OK)(handler, request)

    return answer


def test_the_verbs_of_a_node_go_over_web_and_read_the_same_answers(over_web: OverWeb) -> None:
    envelope = pb.ServerEnvelope(meta=pb.EnvelopeMeta(cursor=pb.Cursor(sequence_id=7), topic=pb.Topic(topic=TOPIC)))
    web = over_web(by_method(Query=pb.QueryResponse(envelopes=[envelope]).SerializeToString()))
    assert [meta.sequence_id for meta in web.query(TOPIC).metas] == [7]
    assert headers_of(web.query(TOPIC).call).http_status == 200
    assert web.served()


def test_a_stream_over_web_has_the_verbs_of_a_stream(over_web: OverWeb) -> None:
    web = over_web(by_method(SubscribeStatic=STARTED.SerializeToString()))
    with web.subscribe_static(TOPIC) as stream:
        assert stream.started().interval_ms == 300
        assert stream.end().code is Code.OK
    assert headers_of(stream.call).get("content-type") == "application/grpc-web+proto"


def test_a_page_cannot_do_what_only_a_client_of_grpc_can(over_web: OverWeb) -> None:
    web = over_web(by_method())
    for forbidden in (web.subscribe, web.subscribe_unread, lambda: web.publish_abandoned(b"", after_s=1.0)):
        with pytest.raises(RuntimeError, match="over gRPC-Web"):
            forbidden()


def test_a_reply_that_is_no_grpc_web_is_a_finding_and_no_reply_is_none(over_web: OverWeb) -> None:
    with pytest.raises(UnexpectedStatus, match="HTTP status 404"):
        over_web(replying(status=404)).configuration().ok()

    def silent(handler: BaseHTTPRequestHandler, _request: bytes) -> None:
        handler.close_connection = True

    with pytest.raises(Undecided):
        over_web(silent).configuration().ok()


def test_a_preflight_is_what_a_browser_sends_and_its_headers_are_read_in_any_case(over_web: OverWeb) -> None:
    web = over_web(replying(OK))
    recorder = Recorder()
    with recording(recorder):
        call = web.preflight(methods.QUERY, ["x-grpc-web", "authorization"])
    assert call.status.message == "HTTP status 501"  # the server knows no OPTIONS
    assert set(call.request_metadata) == {
        ("origin", ORIGIN),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "authorization,x-grpc-web"),
    }
    assert recorder.calls[-1] == call
    call = over_web(replying(OK, X_List="A, b", x_list="c")).configuration().call
    assert headers_of(call).items("x-list") == {"a", "b", "c"}


def test_a_status_the_library_may_have_made_up_is_asked_for_again(node_over: MakeNode) -> None:
    asked: list[bytes] = []

    def exhausted(request: bytes, context: grpc.ServicerContext) -> bytes:
        asked.append(request)
        context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "Received message larger than max")
        return b""

    node = node_over({"Publish": exhausted, "Query": b""})
    call = node.publish(b"x").call
    assert call.status.local
    told = confirmed(node, call)
    assert (told.status.code, told.status.local, told.request) == (Code.RESOURCE_EXHAUSTED, False, call.request)
    assert asked == [call.request] * 2
    answer = node.query(TOPIC).call
    assert confirmed(node, answer) is answer


def test_a_call_by_raw_http2_says_what_it_is_told_about_compression(node_over: MakeNode) -> None:
    node = node_over({"GetConfiguration": lambda request, _context: request})
    plain = b"a" * 500
    packed = raw_call(node, methods.GET_CONFIGURATION, gzip.compress(plain), encoding="gzip", compressed=True)
    assert as_unary(packed).response == plain  # a library that decompresses
    with raw_stream(node, methods.GET_CONFIGURATION) as stream, pytest.raises(ValueError, match="not ended"):
        as_unary(stream.call)


def test_nobody_at_an_address_decides_nothing() -> None:
    node = Node(Connection("127.0.0.1:1", fresh=True), Limits())
    with pytest.raises(Undecided), raw_stream(node, methods.GET_CONFIGURATION):
        pass
    node.close()
