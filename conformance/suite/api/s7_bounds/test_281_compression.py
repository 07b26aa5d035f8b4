"""API-281: a request that arrives with a compression encoding is refused with UNIMPLEMENTED."""

from __future__ import annotations

import pytest

from conformance.craft.any_kind import new_envelope
from conformance.craft.draw import Draw
from conformance.craft.encodings import padded
from conformance.craft.sizes import request_bytes
from conformance.craft.topics import Kind, group_topic, topic_of
from conformance.oracle.absence import nothing_stored
from conformance.oracle.status import ended, succeeded
from conformance.oracle.violation import Violation
from conformance.pb import backend_pb2
from conformance.suite import Notes, covers
from conformance.suite.api.s3_publish.judging import stored
from conformance.target.answers import Published
from conformance.target.node import Node
from conformance.target.patience import PATIENCE_S
from conformance.target.raw_http2 import ENCODERS, as_unary, raw_call, raw_stream
from conformance.target.raw_http2 import ended as stream_ended
from conformance.target.stream_requests import update_frame
from conformance.wire import methods
from conformance.wire.http2_stream import Http2Stream
from conformance.wire.transcript import Call, Code, StreamCall

PLAIN_BYTES = 4000
each_encoding = pytest.mark.parametrize("encoding", ENCODERS)
each_method = pytest.mark.parametrize(
    "method",
    [
        methods.QUERY,
        methods.QUERY_NEWEST,
        methods.GET_INBOX_IDS,
        methods.VERIFY_SMART_CONTRACT_WALLET_SIGNATURES,
        methods.GET_CONFIGURATION,
        methods.SUBSCRIBE_STATIC,
    ],
    ids=lambda method: method.rpartition("/")[2],
)


@covers("API-281.p")
@each_encoding
def test_a_compressed_publish_is_refused(node: Node, draw: Draw, encoding: str) -> None:
    """API-281.p: a publish compressed with gzip or deflate is UNIMPLEMENTED and stores nothing; as it is, it passes."""
    envelope = new_envelope(draw, Kind.GROUP_MESSAGE)
    request = request_bytes([envelope])
    packed = ENCODERS[encoding](request)
    ended(as_unary(raw_call(node, methods.PUBLISH, packed, encoding=encoding, compressed=True)), (Code.UNIMPLEMENTED,))
    nothing_stored((), node.read_all(topic_of(envelope)))
    plain = as_unary(raw_call(node, methods.PUBLISH, request, encoding="identity"))
    succeeded(plain)
    stored(node, Published(call=plain, sent=1), [envelope])


@covers("API-281.p")
@each_encoding
@each_method
def test_a_compressed_request_is_refused(node: Node, encoding: str, method: str) -> None:
    """API-281.p: a compressed request to any method is UNIMPLEMENTED, whatever it would ask for."""
    packed = ENCODERS[encoding](padded(b"", min(PLAIN_BYTES, node.limits.max_request_bytes)))
    ended(as_unary(raw_call(node, method, packed, encoding=encoding, compressed=True)), (Code.UNIMPLEMENTED,))


@covers("API-281.p")
def test_a_request_marked_identity_is_served(node: Node) -> None:
    """API-281.p: to name identity is to name no compression."""
    ended(as_unary(raw_call(node, methods.GET_CONFIGURATION, b"", encoding="identity")), (Code.OK,))
    ended(as_unary(raw_call(node, methods.GET_CONFIGURATION, b"")), (Code.OK,))


@covers("API-281.p")
@each_encoding
def test_a_request_that_only_names_a_compression_may_be_served(node: Node, notes: Notes, encoding: str) -> None:
    """API-281.p: a request that is not compressed though its headers name an encoding is served or refused."""
    call = as_unary(raw_call(node, methods.GET_CONFIGURATION, b"", encoding=encoding))
    ended(call, (Code.OK, Code.UNIMPLEMENTED))
    done = "served" if call.status.code is Code.OK else "refused"
    notes.add(f"A request whose headers name {encoding}, though it is not compressed, is {done}.")


@covers("API-281.q")
@each_encoding
@pytest.mark.parametrize("before", [0, 1], ids=["first-frame", "second-frame"])
def test_a_compressed_frame_ends_a_stream(node: Node, draw: Draw, encoding: str, before: int) -> None:
    """API-281.q: an Update that is compressed ends its Subscribe UNIMPLEMENTED, also behind one that is not."""
    topics = [group_topic(draw.group_id()) for _ in range(_many(node))]
    with raw_stream(node, methods.SUBSCRIBE, encoding=encoding) as stream:
        for number in range(before):
            stream.send(update_frame(number + 1, [], []))
        stream.send(ENCODERS[encoding](update_frame(before + 1, topics, [])), compressed=True)
        if is_applied(stream, before + 1):
            raise Violation("accepted", "Subscribe applies an Update that came compressed.", witness=told(stream.call))
        ended(as_unary(stream_ended(stream)), (Code.UNIMPLEMENTED,))


@covers("API-281.q")
def test_a_stream_marked_identity_is_served(node: Node, draw: Draw) -> None:
    """API-281.q: a Subscribe whose headers name identity goes on like any other, to an orderly end."""
    with raw_stream(node, methods.SUBSCRIBE, encoding="identity") as stream:
        stream.send(update_frame(1, [topic_of(new_envelope(draw, Kind.WELCOME))], []))
        acknowledged = is_applied(stream, 1)
        stream.half_close()
        call = as_unary(stream_ended(stream))
    succeeded(call)
    if not acknowledged:
        raise Violation("not-served", "Subscribe does not apply an Update marked identity.", witness=told(call))


def is_applied(stream: Http2Stream, number: int) -> bool:
    """Wait for the acknowledgement of an Update; say whether it came before the stream ended or patience did."""
    while (frame := stream.receive(PATIENCE_S)) is not None:
        if backend_pb2.SubscribeResponse.FromString(frame.data).applied.id == number:
            return True
    return False


def told(call: Call | StreamCall) -> dict[str, object]:
    """Say which call it was."""
    return {"call": call.number, "endpoint": call.endpoint}


def _many(node: Node) -> int:
    """Count topics that make an Update worth compressing, as many as it may add."""
    return min(100, node.limits.max_update_adds, node.limits.max_stream_topics)
