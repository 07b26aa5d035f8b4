"""API-282: what is within the published byte limits is carried, up to 25 MiB, and what is longer fails whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import pytest

from conformance.craft.any_kind import new_envelope
from conformance.craft.draw import Draw
from conformance.craft.encodings import padded
from conformance.craft.sizes import request_bytes, request_of
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.absence import nothing_stored, value_of
from conformance.oracle.status import ended, succeeded
from conformance.oracle.violation import Violation
from conformance.suite import covers
from conformance.suite.api.s3_publish.judging import Envelope, topics_of, wire
from conformance.target.answers import Answer, Page, Published
from conformance.target.errors import Missing
from conformance.target.node import Node
from conformance.target.pool import Pool
from conformance.target.raw_http2 import confirmed
from conformance.wire.transcript import Call, Code

CEILING_BYTES = 26_214_400
# What an answer may hold around an envelope: less than this for every backend that may be started (OPS-021).
AROUND_BYTES = 256
each_way = pytest.mark.parametrize("way", ["grpc", "grpc-web"])


@contextmanager
def through(node: Node, way: str) -> Iterator[Node]:
    """Give the endpoint as it is reached this way."""
    if way == "grpc":
        yield node
        return
    with node.web() as web:
        yield web


def told(node: Node, way: str, answer: Answer) -> Call:
    """Return a call as the target answered it: of a native one the library may have made the status up."""
    return confirmed(node, answer.call) if way == "grpc" else answer.call


def longest_request(node: Node, draw: Draw) -> Sequence[Envelope]:
    """Make a publish of one topic that is as long as it may be."""
    limits = node.limits
    length = min(limits.max_request_bytes, CEILING_BYTES)
    return request_of(draw, [draw.group_id()], length, max_envelope_bytes=limits.max_envelope_bytes)


@covers("API-282.a")
@each_way
def test_a_request_as_long_as_the_limit_is_carried(node: Node, draw: Draw, way: str) -> None:
    """API-282.a: a publish of max_request_bytes, 25 MiB where that is the limit, is taken."""
    longest = longest_request(node, draw)
    with through(node, way) as each:
        answer = each.publish(*longest)
    call = told(node, way, answer)
    succeeded(call)
    Published(call=call, sent=len(longest)).confirmed()


@covers("API-282.a")
def test_a_response_near_the_limit_is_carried(node: Node, draw: Draw) -> None:
    """API-282.a: a page just within max_response_bytes, 25 MiB where that is the limit, comes whole both ways."""
    envelopes = _nearly_a_page(node, draw)
    topic = topic_of(envelopes[0])
    for way in ("grpc", "grpc-web"):
        with through(node, way) as each:
            page = each.query(topic, limit=len(envelopes))
        call = told(node, way, page)
        succeeded(call)
        shown = [seen.envelope for seen in Page(call=call).seen]
        if Counter(map(value_of, filter(None, shown))) != Counter(map(value_of, map(wire, envelopes))):
            witness = {"call": call.number, "envelopes": len(shown), "bytes": len(call.response or b"")}
            raise Violation("cut", f"A page of {len(envelopes)} envelopes did not come whole.", witness=witness)


TOO_LONG: Mapping[str, Callable[[bytes, bytes, int], bytes]] = {
    # What stands before its end is no message, or else a whole one of exactly the limit: neither may be stored.
    "one-byte": lambda _longest, more, limit: padded(more, limit + 1),
    "one-envelope": lambda longest, more, _limit: longest + more,
}


@covers("API-282.b")
@each_way
@pytest.mark.parametrize("lengthen", TOO_LONG.values(), ids=TOO_LONG)
def test_a_request_past_the_limit_fails_whole(
    small: Node, draw: Draw, way: str, lengthen: Callable[[bytes, bytes, int], bytes]
) -> None:
    """API-282.b: a publish past max_request_bytes is OUT_OF_RANGE, and nothing of it is stored; at it, it is taken."""
    longest, more = longest_request(small, draw), new_envelope(draw, Kind.GROUP_MESSAGE)
    request = request_bytes(longest)
    with through(small, way) as each:
        answer = each.publish_raw(lengthen(request, request_bytes([more]), small.limits.max_request_bytes))
        ended(told(small, way, answer), (Code.OUT_OF_RANGE,))
        nothing_stored((), small.envelopes_on(*topics_of(*longest, more)))
        succeeded(each.publish_raw(request).call)


@covers("API-282.b")
def test_a_request_past_the_ceiling_fails_whole(node: Node, draw: Draw) -> None:
    """API-282.b: a publish of all the limit allows and an envelope more is OUT_OF_RANGE, and nothing is stored."""
    longest, more = longest_request(node, draw), new_envelope(draw, Kind.GROUP_MESSAGE)
    answer = node.publish(*longest, more)
    ended(confirmed(node, answer.call), (Code.OUT_OF_RANGE,))
    nothing_stored((), node.query(topic_of(longest[0]), topic_of(more), limit=1).seen)


@covers("API-282.c")
@each_way
def test_the_configuration_is_longer_than_an_answer_may_be(pool: Pool, way: str) -> None:
    """API-282.c: GetConfiguration is answered whole where max_response_bytes is less than it takes."""
    node = pool.deployment("least-limits").node()
    with through(node, way) as each:
        answer = each.configuration()
    succeeded(answer.call)
    length, limit = len(answer.call.response or b""), node.limits.max_response_bytes
    if answer.limits != node.limits or not answer.limits.is_published("max_response_bytes"):
        raise Violation(
            "cut", f"The configuration of {length} bytes lacks limits.", witness={"call": answer.call.number}
        )
    if length <= limit:
        raise Missing("limits", f"the configuration of {length} bytes is not longer than {limit} bytes")


def _nearly_a_page(node: Node, draw: Draw) -> Sequence[Envelope]:
    """Publish what fills an answer but for a little, on one topic; raise Missing where one page may not hold it."""
    limits = node.limits
    longest, budget = limits.max_envelope_bytes, min(limits.max_response_bytes, CEILING_BYTES)
    count = budget // longest + 1
    envelopes = request_of(draw, [draw.group_id()], budget - count * AROUND_BYTES, max_envelope_bytes=longest)
    if len(envelopes) > limits.max_query_limit:
        raise Missing("big", f"no page of up to {limits.max_query_limit} envelopes is that long")
    request: list[Envelope] = []
    for envelope in envelopes:
        if request and len(request_bytes([*request, envelope])) > limits.max_request_bytes:
            node.publish(*request).ok()
            request = []
        request.append(envelope)
    node.publish(*request).ok()
    return envelopes
