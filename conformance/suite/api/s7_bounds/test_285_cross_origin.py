"""API-285: a page of another origin can make the calls, and its browser lets it read how they ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest

from conformance.craft.any_kind import new_envelope
from conformance.craft.draw import Draw
from conformance.craft.encodings import padded
from conformance.craft.malformed import MALFORMED
from conformance.craft.sizes import request_bytes
from conformance.craft.topics import Kind, group_topic
from conformance.oracle.status import ended
from conformance.suite import Notes, covers
from conformance.suite.api.s7_bounds.cors import (
    ASKED_HEADERS,
    HANDY_HEADERS,
    allows_the_origin,
    exposes_the_status,
    permits_the_call,
)
from conformance.target.node import Node, Position
from conformance.target.web import WebNode, headers_of
from conformance.wire import methods
from conformance.wire.transcript import Call, Code, StreamCall

Ask = Callable[[WebNode, Draw], Call | StreamCall]
CALLED_BY_PAGES = (
    methods.PUBLISH,
    methods.QUERY,
    methods.QUERY_NEWEST,
    methods.SUBSCRIBE_STATIC,
    methods.GET_INBOX_IDS,
    methods.VERIFY_SMART_CONTRACT_WALLET_SIGNATURES,
    methods.GET_CONFIGURATION,
)


@pytest.fixture
def web(node: Node) -> Iterator[WebNode]:
    """The endpoint of `node` as a page of another origin reaches it."""
    with node.web() as web:
        yield web


def streamed(web: WebNode, position: Position) -> StreamCall:
    """Open a stream and give it up with its first frame, or when it ends."""
    with web.subscribe_static(position) as stream:
        stream.carried.receive(stream.patience_s)
    return stream.call


# How a call ends is not asked of a stream, which says it last.
REPLIES: Mapping[str, tuple[Ask, Code | None]] = {
    "answer": (lambda web, _draw: web.configuration().call, Code.OK),
    "published": (lambda web, draw: web.publish(new_envelope(draw, Kind.WELCOME)).confirmed().call, Code.OK),
    "refused-publish": (
        lambda web, draw: web.publish(MALFORMED["payload-unset"].build(draw).broken).call,
        Code.INVALID_ARGUMENT,
    ),
    "refused-query": (lambda web, _draw: web.query(Position(None)).call, Code.INVALID_ARGUMENT),
    "stream": (lambda web, draw: streamed(web, Position(group_topic(draw.group_id()))), None),
    "refused-stream": (lambda web, _draw: streamed(web, Position(None)), None),
}
each_reply = pytest.mark.parametrize(("ask", "code"), REPLIES.values(), ids=REPLIES)


@covers("API-285.b")
@each_reply
def test_a_page_may_read_the_status_of_every_reply(web: WebNode, draw: Draw, ask: Ask, code: Code | None) -> None:
    """API-285.b: replies expose grpc-status, grpc-message and grpc-status-details-bin, failures and streams as well."""
    reply = ask(web, draw)
    exposes_the_status(reply)
    if isinstance(reply, Call) and code is not None:
        ended(reply, (code,))


@covers("API-285.e")
@each_reply
def test_every_reply_allows_the_origin_that_asked(web: WebNode, draw: Draw, ask: Ask, code: Code | None) -> None:
    """API-285.e: replies of success and of failure allow the origin of the page, those of streams as well."""
    reply = ask(web, draw)
    allows_the_origin(reply)
    if isinstance(reply, Call) and code is not None:
        ended(reply, (code,))


@covers("API-285.b", "API-285.e")
def test_a_page_learns_that_its_request_is_too_long(small: Node, draw: Draw) -> None:
    """API-285.b, API-285.e: a request that is refused for its length is answered so that a page can read it."""
    request = request_bytes([new_envelope(draw, Kind.GROUP_MESSAGE)])
    with small.web() as web:
        answer = web.publish_raw(padded(request, small.limits.max_request_bytes + 1))
    exposes_the_status(answer.call)
    allows_the_origin(answer.call)


@covers("API-285.e")
@pytest.mark.parametrize("method", CALLED_BY_PAGES, ids=lambda method: method.rpartition("/")[2])
def test_a_preflight_allows_the_call(web: WebNode, notes: Notes, method: str) -> None:
    """API-285.e: a browser that asks first may call every method with the headers of gRPC-Web and a credential."""
    permits_the_call(web.preflight(method, ASKED_HEADERS), ASKED_HEADERS, notes)


@covers("API-285.e")
def test_a_preflight_may_be_asked_for_what_some_clients_send(web: WebNode, notes: Notes) -> None:
    """API-285.e: headers that only some clients of gRPC-Web send are noted when a page may not send them."""
    asked = (*ASKED_HEADERS, *HANDY_HEADERS)
    told = headers_of(web.preflight(methods.QUERY, asked))
    allowed = told.items("access-control-allow-headers")
    missing = [] if "*" in allowed else [name for name in HANDY_HEADERS if name not in allowed]
    if missing:
        notes.add(f"A preflight does not allow {', '.join(missing)}, which some clients of gRPC-Web send.")
    permits_the_call(web.preflight(methods.QUERY, ASKED_HEADERS), ASKED_HEADERS, notes)
