"""A node sends what it is given, shows what came back byte for byte, and blames the right side for a failure."""

from __future__ import annotations

import threading
from collections.abc import Callable

import grpc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.pb import backend_pb2
from conformance.target.errors import Undecided
from conformance.target.node import Node, Position
from conformance.target.refusals import UnexpectedAnswer, UnexpectedStatus
from conformance.wire.transcript import Code, Meta
from conformance.wire.write import bytes_field, varint

MakeNode = Callable[..., Node]
TOPIC = b"\x00" + b"g" * 16
OTHER = b"\x00" + b"h" * 16


def meta(number: int, topic: bytes = TOPIC) -> backend_pb2.EnvelopeMeta:
    return backend_pb2.EnvelopeMeta(
        cursor=backend_pb2.Cursor(sequence_id=number),
        server_ns=5,
        message_hash=backend_pb2.MessageHash(sha256=b"h" * 32),
        topic=backend_pb2.Topic(topic=topic),
        expiry_ns=9,
        is_commit_or_proposal=True,
    )


def row(number: int, topic: bytes = TOPIC) -> backend_pb2.ServerEnvelope:
    return backend_pb2.ServerEnvelope(meta=meta(number, topic), envelope=backend_pb2.ClientEnvelope())


def page(*rows: backend_pb2.ServerEnvelope, more: bool = False) -> bytes:
    continuation = backend_pb2.Continuation(has_more=more)
    return backend_pb2.QueryResponse(envelopes=rows, continuation=continuation).SerializeToString()


def receipts(*numbers: int) -> bytes:
    return backend_pb2.PublishResponse(envelope_metas=[meta(number) for number in numbers]).SerializeToString()


def refusing(code: grpc.StatusCode, text: str = "no") -> Callable[[bytes, grpc.ServicerContext], bytes]:
    def refuse(request: bytes, context: grpc.ServicerContext) -> bytes:
        context.abort(code, text)
        return request

    return refuse


def test_hand_encoded_envelopes_are_sent_as_they_stand(node_over: MakeNode) -> None:
    sent: list[bytes] = []

    def publish(request: bytes, context: grpc.ServicerContext) -> bytes:
        del context
        sent.append(request)
        return receipts(1, 2)

    odd = b"\x0a\x83\x00\x0a\x01x"  # an over-long length, which no encoder writes
    plain = backend_pb2.ClientEnvelope(group_message=backend_pb2.GroupMessage(data=b"y"))
    answer = node_over({"Publish": publish}).publish(odd, plain)
    assert sent == [bytes_field(1, odd) + bytes_field(1, plain.SerializeToString())]
    assert backend_pb2.PublishRequest.FromString(sent[0]).envelopes[0].group_message.data == b"x"
    assert [item.sequence_id for item in answer.metas] == [1, 2]
    assert (answer.status.code, answer.ok(), answer.failure) == (Code.OK, answer, None)
    with pytest.raises(ValueError, match="sent 2"):
        answer.meta  # noqa: B018 - reading it is the test


def test_a_meta_is_shown_with_what_was_absent(node_over: MakeNode) -> None:
    bare = backend_pb2.PublishResponse(envelope_metas=[backend_pb2.EnvelopeMeta(server_ns=1)]).SerializeToString()
    whole = node_over({"Publish": receipts(7)}).publish(b"").meta
    assert whole == Meta(
        sequence_id=7, server_ns=5, message_hash=b"h" * 32, topic=TOPIC, expiry_ns=9, is_commit_or_proposal=True
    )
    seen = node_over({"Publish": bare}).publish(b"").meta
    assert seen.absent == {"cursor", "message_hash", "topic"}
    assert (seen.sequence_id, seen.server_ns, seen.topic) == (0, 1, b"")


@pytest.mark.parametrize(
    ("response", "sentence"),
    [
        (receipts(1, 2), "Publish of 3 envelopes was answered with 2 metas."),
        (receipts(1), "Publish of 3 envelopes was answered with 1 meta."),
        (b"\xff", "Publish was answered with 1 byte of no PublishResponse."),
    ],
)
def test_an_answer_that_does_not_fit_is_named(node_over: MakeNode, response: bytes, sentence: str) -> None:
    answer = node_over({"Publish": response}).publish(b"", b"", b"")
    with pytest.raises(UnexpectedAnswer) as raised:
        answer.metas  # noqa: B018 - reading it is the test
    assert (str(raised.value), raised.value.reason, raised.value.call) == (sentence, "bad-answer", answer.call)


def test_a_raw_request_is_held_to_the_envelopes_it_holds_if_it_is_a_message(node_over: MakeNode) -> None:
    node = node_over({"Publish": receipts(1)})
    assert len(node.publish_raw(bytes_field(1, b"")).metas) == 1
    assert len(node.publish_raw(b"\xff").metas) == 1
    with pytest.raises(UnexpectedAnswer, match=r"^Publish of 2 envelopes was answered with 1 meta\.$"):
        node.publish_raw(bytes_field(1, b"") * 2).metas  # noqa: B018 - reading it is the test


def test_positions_are_sent_with_and_without_a_cursor(node_over: MakeNode) -> None:
    sent: list[bytes] = []

    def query(request: bytes, context: grpc.ServicerContext) -> bytes:
        del context
        sent.append(request)
        return page()

    node_over({"Query": query}).query(
        TOPIC, Position(OTHER), Position(OTHER, 0), Position(OTHER, 4), Position(None, 4), limit=9
    )
    request = backend_pb2.QueryRequest.FromString(sent[0])
    assert request.limit == 9
    assert [entry.topic.topic for entry in request.queries] == [TOPIC, OTHER, OTHER, OTHER, b""]
    assert [entry.HasField("topic") for entry in request.queries] == [True, True, True, True, False]
    assert [entry.HasField("cursor") for entry in request.queries] == [False, False, True, True, True]
    assert request.queries[3].cursor.sequence_id == 4


@given(payload=st.binary(max_size=40), over_long=st.booleans())
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_payloads_are_shown_as_received(node_over: MakeNode, payload: bytes, over_long: bool) -> None:
    group = bytes_field(1, payload)
    size = varint(len(group))
    envelope = b"\x0a" + (bytes([size[0] | 0x80]) + b"\x00" if over_long else size) + group
    stored = bytes_field(1, meta(3).SerializeToString()) + bytes_field(2, envelope)
    newest = bytes_field(1, bytes_field(1, TOPIC)) + bytes_field(2, meta(3).SerializeToString())
    node = node_over(
        {
            "Query": bytes_field(1, stored) + bytes_field(1, row(4, OTHER).SerializeToString()),
            "QueryNewest": bytes_field(1, newest + bytes_field(3, envelope)),
        }
    )
    answer = node.query(TOPIC)
    assert [seen.envelope for seen in answer.of(TOPIC)] == [envelope]
    assert ([seen.envelope for seen in answer.of(OTHER)], answer.has_more) == ([b""], False)
    assert [(seen.envelope, seen.source) for seen in node.newest(TOPIC, full=True).results] == [
        (envelope, "QueryNewest")
    ]


def test_bytes_that_only_a_lenient_reader_accepts_are_a_finding(node_over: MakeNode) -> None:
    field_zero = b"\x0b\x05\xff\xff\xff\xff\x0c"  # in a group, which is unknown here and skipped
    sentence = (
        r"^Query was answered with bytes that are no lawful protobuf message: no field has the tag 5 \(offset 1\)\.$"
    )
    with pytest.raises(UnexpectedAnswer, match=sentence):
        node_over({"Query": field_zero + page(row(1))}).query(TOPIC).seen  # noqa: B018 - reading it is the test


def test_newest_results_are_taken_by_the_topic_they_name(node_over: MakeNode) -> None:
    result = backend_pb2.QueryNewestResponse.Result
    named = result(topic=backend_pb2.Topic(topic=OTHER), meta=meta(2, TOPIC))
    nameless = result(meta=meta(3))
    response = backend_pb2.QueryNewestResponse(results=[named, nameless])
    answer = node_over({"QueryNewest": response.SerializeToString()}).newest(TOPIC, OTHER)
    assert answer.of(TOPIC) is None
    found = answer.of(OTHER)
    assert found is not None
    assert (found.meta.sequence_id, found.envelope, found.result_topic) == (2, None, OTHER)
    assert answer.results[1].result_topic is None
    twice = backend_pb2.QueryNewestResponse(results=[named, named]).SerializeToString()
    with pytest.raises(UnexpectedAnswer, match=rf"^QueryNewest answered 2 results for topic {OTHER.hex()}\.$"):
        node_over({"QueryNewest": twice}).newest(OTHER).of(OTHER)


def test_an_envelope_without_a_meta_is_named(node_over: MakeNode) -> None:
    no_meta = backend_pb2.ServerEnvelope(envelope=backend_pb2.ClientEnvelope())
    node = node_over({"Query": page(row(1), no_meta), "QueryNewest": bytes_field(1, b"")})
    with pytest.raises(UnexpectedAnswer, match=r"^Query answered an envelope without a meta \(entry 1\)\.$"):
        node.query(TOPIC).seen  # noqa: B018 - reading it is the test
    with pytest.raises(UnexpectedAnswer, match=r"^QueryNewest answered a result without a meta \(result 0\)\.$"):
        node.newest(TOPIC).results  # noqa: B018 - reading it is the test


@pytest.mark.parametrize("code", [code for code in grpc.StatusCode if code is not grpc.StatusCode.OK])
def test_a_received_status_is_a_finding_unless_it_tells_of_the_environment(
    node_over: MakeNode, code: grpc.StatusCode
) -> None:
    node = node_over({"Query": refusing(code, "because\x1b[1m\nPASS" + "x" * 500)})
    answer = node.query(TOPIC)
    assert not answer.status.local
    if code.name in {"UNAUTHENTICATED", "PERMISSION_DENIED", "UNAVAILABLE", "DEADLINE_EXCEEDED"}:
        with pytest.raises(Undecided, match=rf'^Query was answered {code.name} "because\[1m PASSx+…" by 127'):
            answer.ok()
    else:
        with pytest.raises(UnexpectedStatus) as raised:
            answer.seen  # noqa: B018 - reading it is the test
        assert (raised.value.reason, raised.value.call) == ("wrong-code", answer.call)
        start = f'Query must succeed, but {answer.call.endpoint} answered {code.name} "because[1m PASSx'
        assert raised.value.sentence.startswith(start)
        assert len(raised.value.sentence) < 350
        assert "\n" not in str(raised.value)


def test_the_publish_error_is_part_of_the_sentence(node_over: MakeNode) -> None:
    def refuse(request: bytes, context: grpc.ServicerContext) -> bytes:
        error = bytes_field(1, b"a/xmtp.backend.v1.PublishError") + bytes_field(2, b"\x08\x02\x10\x05")
        context.set_trailing_metadata((("grpc-status-details-bin", bytes_field(3, error)),))
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, "")
        return request

    answer = node_over({"Publish": refuse}).publish(b"")
    assert answer.failure is not None
    assert (answer.failure.index, answer.failure.reason) == (2, 5)
    with pytest.raises(UnexpectedStatus, match=r"answered INVALID_ARGUMENT \(PublishError reason 5, index 2\)\.$"):
        answer.metas  # noqa: B018 - reading it is the test


def test_a_call_without_an_answer_is_undecided(node_over: MakeNode) -> None:
    release = threading.Event()

    def wait(request: bytes, context: grpc.ServicerContext) -> bytes:
        del context
        release.wait(30)
        return request

    answer = node_over({"Query": wait}, deadline_s=0.2).query(TOPIC)
    release.set()
    with pytest.raises(
        Undecided, match=r"^Query got no answer from 127\.0\.0\.1:\d+ in \d+\.\d s; this side reports DEAD"
    ):
        answer.has_more  # noqa: B018 - reading it is the test


def test_an_unknown_method_is_a_finding(node_over: MakeNode) -> None:
    with pytest.raises(UnexpectedStatus, match="answered UNIMPLEMENTED"):
        node_over({}).configuration().response  # noqa: B018 - reading it is the test
