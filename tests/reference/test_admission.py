from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.pb import backend_pb2 as pb
from conformance.reference.backend.failure import Code, PublishFailure
from tests.reference import mls_writer as mls
from tests.reference.harness import (
    PUBLISH,
    InProcess,
    commit_log,
    field,
    fresh_group,
    group_message,
    ids,
    page_ids,
    publish,
    publish_request,
    query,
    running,
    welcome,
    welcome_pointer,
)

GROUP_ID = bytes(range(16))
KEY = bytes(range(32))
DAY_NS = 86_400 * 10**9


def growing_welcome(length: int) -> bytes:
    """Encode a Welcome in `length` bytes that takes 5 more re-encoded: its enum is -1 in a 5-byte varint."""
    fill = 0
    while True:
        v1 = field(1, KEY) + field(2, b"x" * fill) + b"\x20\xff\xff\xff\xff\x0f"
        envelope = field(2, field(1, v1))
        if len(envelope) == length:
            assert pb.ClientEnvelope.FromString(envelope).ByteSize() == length + 5
            return envelope
        fill += 1


@pytest.mark.parametrize(
    ("envelope", "topic", "flag", "days"),
    [
        (group_message(GROUP_ID, content_type=1), b"\0" + GROUP_ID, False, 90),
        (group_message(GROUP_ID, content_type=2), b"\0" + GROUP_ID, True, 0),
        (group_message(GROUP_ID, content_type=3), b"\0" + GROUP_ID, True, 0),
        (welcome(KEY), b"\x01" + KEY, False, 90),
        (welcome_pointer(KEY), b"\x01" + KEY, False, 90),
        (welcome(KEY, b""), b"\x01" + KEY, False, 90),
        (commit_log(GROUP_ID), b"\x04" + GROUP_ID, False, 0),
    ],
    ids=["application", "proposal", "commit", "welcome", "pointer", "empty welcome", "commit log"],
)
def test_metadata_follows_from_the_kind(
    call: InProcess, envelope: pb.ClientEnvelope, topic: bytes, flag: bool, days: int
) -> None:
    (meta,) = publish(call, envelope)
    assert meta.topic.topic == topic
    assert meta.is_commit_or_proposal == flag
    assert meta.expiry_ns == (meta.server_ns + days * DAY_NS if days else 0)
    assert meta.message_hash.sha256 == hashlib.sha256(envelope.SerializeToString(deterministic=True)).digest()


BROKEN = {
    "no payload": pb.ClientEnvelope(),
    "group id of 0 bytes": group_message(b""),
    "group id of 15 bytes": group_message(b"g" * 15),
    "group id of 17 bytes": group_message(b"g" * 17),
    "group id of 32 bytes": group_message(b"g" * 32),
    "empty message": pb.ClientEnvelope(group_message=pb.GroupMessage()),
    "random bytes": pb.ClientEnvelope(group_message=pb.GroupMessage(data=b"\xa5" * 60)),
    "a Welcome as group message": pb.ClientEnvelope(
        group_message=pb.GroupMessage(data=mls.private_message(GROUP_ID, wire_format=3))
    ),
    "key of 0 bytes": welcome(b""),
    "key of 31 bytes": welcome(b"k" * 31),
    "key of 33 bytes": welcome_pointer(b"k" * 33),
    "no version": pb.ClientEnvelope(welcome_message=pb.WelcomeMessage()),
    "garbage entry": pb.ClientEnvelope(commit_log_entry=pb.CommitLogEntry(serialized_commit_log_entry=b"\xff\xff\xff")),
    "entry of 15 bytes": commit_log(b"g" * 15),
    "entry of 17 bytes": commit_log(b"g" * 17),
    "empty entry": pb.ClientEnvelope(commit_log_entry=pb.CommitLogEntry()),
    "only an unknown payload": pb.ClientEnvelope.FromString(field(99, b"?")),
    "only an unknown version": pb.ClientEnvelope.FromString(field(2, field(9, b"?"))),
}


@pytest.mark.parametrize("envelope", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_envelope_fails_the_request_and_names_itself(call: InProcess, envelope: pb.ClientEnvelope) -> None:
    group_id, topic = fresh_group()
    good = group_message(group_id)
    with pytest.raises(PublishFailure) as caught:
        publish(call, good, envelope, good, envelope)
    assert (caught.value.code, caught.value.reason, caught.value.index) == (Code.INVALID_ARGUMENT, 1, 1)
    assert page_ids(query(call, topic)) == []


def test_a_request_that_does_not_decode_is_malformed_without_an_index(call: InProcess) -> None:
    with pytest.raises(PublishFailure) as caught:
        call(PUBLISH, b"\x0a\xff")
    assert (caught.value.reason, caught.value.index) == (1, None)


@settings(deadline=None)
@given(
    st.permutations(["data", "hmac", "push"]),
    st.booleans(),
    st.booleans(),
    st.binary(max_size=20),
)
def test_equal_values_are_one_envelope_however_they_are_encoded(
    call: InProcess, order: list[str], unknown_inside: bool, unknown_outside: bool, noise: bytes
) -> None:
    group_id, topic = fresh_group()
    envelope = group_message(group_id)
    message = envelope.group_message
    parts = {
        "data": field(1, message.data),
        "hmac": field(2, message.sender_hmac),
        "push": b"\x18\x81\x80\x00",  # the value 1 in a longer varint than it needs
    }
    body = b"".join(parts[name] for name in order) + (field(15, noise) if unknown_inside else b"")
    other = field(1, body) + (field(15, noise) if unknown_outside else b"")
    first = publish(call, envelope)
    second = pb.PublishResponse.FromString(call(PUBLISH, field(1, other)))
    assert list(second.envelope_metas) == first
    assert page_ids(query(call, topic)) == ids(first)
    (returned,) = query(call, topic).envelopes
    assert returned.envelope == envelope


def test_the_byte_bounds_measure_the_encoding_of_the_backend(tmp_path: Path) -> None:
    limits = {"max_envelope_bytes": 200, "max_request_bytes": 405, "max_response_bytes": 1000}
    with running(tmp_path, limits=limits) as backend:
        call = InProcess(backend)
        fitting, growing = growing_welcome(195), growing_welcome(196)
        assert len(pb.PublishResponse.FromString(call(PUBLISH, field(1, fitting))).envelope_metas) == 1
        for request, index in (
            (publish_request(welcome(KEY)) + field(1, growing), 1),
            (field(1, fitting) + field(1, fitting), None),
        ):
            assert len(request) <= 405
            with pytest.raises(PublishFailure) as caught:
                call(PUBLISH, request)
            assert (caught.value.code, caught.value.reason, caught.value.index) == (Code.INVALID_ARGUMENT, 5, index)


def test_the_topic_bound_counts_distinct_topics(tmp_path: Path) -> None:
    with running(tmp_path, limits={"max_publish_topics": 2}) as backend:
        call = InProcess(backend)
        one, two, three = (fresh_group()[0] for _ in range(3))
        assert len(publish(call, *[group_message(group, bytes([n])) for n in range(3) for group in (one, two)])) == 6
        with pytest.raises(PublishFailure) as caught:
            publish(call, group_message(one, b"new"), group_message(two), group_message(three))
        assert (caught.value.reason, caught.value.index) == (5, None)
        with pytest.raises(PublishFailure) as caught:  # a duplicate is bounded like anything else
            publish(call, group_message(one, b"\0"), group_message(two, b"\0"), group_message(three))
        assert caught.value.reason == 5


def test_an_empty_request_is_answered_with_an_empty_response(call: InProcess) -> None:
    assert call(PUBLISH, publish_request()) == b""
