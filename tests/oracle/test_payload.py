from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.craft.encodings import encoded, encodings, padded
from conformance.craft.neighbours import neighbours
from conformance.craft.plans import Cast, EnvelopePlan
from conformance.craft.strategies import envelope_plans
from conformance.craft.welcome import negative_enum_welcome, welcome_envelope
from conformance.craft.wire_format import (
    WireType,
    field_bytes,
    field_fixed32,
    field_fixed64,
    field_group,
    field_varint,
    tag,
)
from conformance.oracle.absence import value_of
from conformance.oracle.payload import payload_fields, same_payload
from conformance.oracle.violation import Violation
from conformance.oracle.wire_walk import WireError, lawful_message, pieces
from conformance.pb import backend_pb2

META = backend_pb2.EnvelopeMeta(
    cursor=backend_pb2.Cursor(sequence_id=5),
    server_ns=1_800_000_000_000_000_000,
    message_hash=backend_pb2.MessageHash(sha256=bytes(32)),
    topic=backend_pb2.Topic(topic=bytes(17)),
    expiry_ns=1_800_000_001_000_000_000,
    is_commit_or_proposal=True,
)


@given(plan=envelope_plans(largest=300), seed=st.integers(0, 1000))
def test_all_encodings_of_an_envelope_have_one_value_and_each_neighbour_another(plan: EnvelopePlan, seed: int) -> None:
    envelope = Cast(Draw(seed, b"payload")).envelope(plan)
    plain = encoded(envelope)
    for name, form in {**encodings(envelope), "padded": padded(plain, len(plain) + 50)}.items():
        assert payload_fields(form) == payload_fields(plain), name
        same_payload(plain, form, where=name)
        lawful_message("ClientEnvelope", form)
    for name, other in neighbours(envelope).items():
        assert value_of(encoded(other)) != value_of(plain), name
        with pytest.raises(Violation) as caught:
            same_payload(plain, encoded(other), where="Query")
        assert caught.value.reason == "payload-changed"
        assert len(str(caught.value)) < 1000


def test_a_negative_enum_is_one_value_in_five_bytes_and_in_ten() -> None:
    wire = negative_enum_welcome(b"\x01" * 32)
    again = backend_pb2.ClientEnvelope.FromString(wire).SerializeToString()
    assert len(again) > len(wire)
    assert payload_fields(wire)["welcome_message.v1.wrapper_algorithm"] == -1
    same_payload(wire, again, where="Query")


def test_presence_is_part_of_the_value_only_where_the_contract_gives_it() -> None:
    def of(**fields: object) -> backend_pb2.ClientEnvelope:
        return backend_pb2.ClientEnvelope(commit_log_entry=backend_pb2.CommitLogEntry(**fields))  # type: ignore[arg-type] # any field

    absent, empty = encoded(of()), encoded(of(signature={}))
    assert payload_fields(absent) != payload_fields(empty)
    explicit = field_bytes(5, field_bytes(1, b""))
    assert payload_fields(explicit) == payload_fields(absent) == {"commit_log_entry": 1}


@pytest.mark.parametrize("data", [b"\x0a\x05ab", b"\x0a", b"\x80" * 11, b"\x00\x00", b"\x0c", b"\x0f\x00"])
def test_bytes_that_are_no_message_are_refused_as_such(data: bytes) -> None:
    with pytest.raises(WireError):
        list(pieces(data))
    with pytest.raises(Violation) as caught:
        lawful_message("ClientEnvelope", data)
    assert caught.value.reason == "undecodable"
    with pytest.raises(Violation) as caught:
        same_payload(b"", data, where="Query")
    assert caught.value.reason == "undecodable"


@given(data=st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        found = list(pieces(data))
    except WireError:
        return
    assert (not found) == (not data)


GROUPS = field_group(7, field_group(7, field_varint(1, 1)) + field_fixed32(2, 1) + field_bytes(3, b"\x3c\x3b"))


def test_new_fields_and_groups_are_read_over() -> None:
    body = META.SerializeToString() + GROUPS + field_varint(99, 1) + field_fixed64(100, 1) + field_bytes(101, b"x")
    lawful_message("EnvelopeMeta", body)
    for broken in (GROUPS[:-1], field_group(7, field_group(8, b""))[:-1] + b"\x44", field_group(8, b"")[:-1] + b"\x3c"):
        with pytest.raises(WireError):
            list(pieces(broken))


@given(has_more=st.booleans(), padding=st.integers(3, 200))
def test_a_lawful_answer_passes_the_wire_walk_with_new_fields_anywhere(has_more: bool, padding: int) -> None:
    server = backend_pb2.ServerEnvelope(meta=META, envelope=backend_pb2.ClientEnvelope(group_message={"data": b"\xff"}))
    response = backend_pb2.QueryResponse(envelopes=[server], continuation={"has_more": has_more})
    for form in (encoded(response), *encodings(response).values()):
        lawful_message("QueryResponse", padded(form, len(form) + padding))


WRONG_TYPES = {
    "server_ns-fixed64": ("EnvelopeMeta", field_fixed64(2, 5), "wire-type"),
    "sequence_id-bytes": ("EnvelopeMeta", field_bytes(1, field_bytes(1, b"\x05")), "wire-type"),
    "topic-bare": ("EnvelopeMeta", field_varint(4, 5), "wire-type"),
    "flag-fixed32": ("EnvelopeMeta", field_fixed32(6, 1), "wire-type"),
    "hash-group": ("EnvelopeMeta", field_group(3, b""), "wire-type"),
    "nested-far-below": (
        "QueryResponse",
        field_bytes(1, field_bytes(2, field_bytes(1, field_varint(1, 7)))),
        "wire-type",
    ),
    "inner-undecodable": ("QueryResponse", field_bytes(2, b"\x08"), "undecodable"),
    "text-not-utf8": ("PublishError", field_bytes(3, b"\xff"), "not-utf8"),
    "index-too-large": ("PublishError", field_varint(1, 1 << 32), "out-of-range"),
}


@pytest.mark.parametrize("name", WRONG_TYPES)
def test_a_field_of_another_type_than_the_contract_gives_is_flagged(name: str) -> None:
    message, body, reason = WRONG_TYPES[name]
    with pytest.raises(Violation) as caught:
        lawful_message(message, body)
    assert caught.value.reason == reason
    assert message in caught.value.sentence


@pytest.mark.parametrize(
    "data",
    [
        b"\x08" + b"\x80" * 10 + b"\x00",
        b"\x08" + b"\xff" * 9 + b"\x02",
        b"\x08" + b"\x80" * 9 + b"\x02",
        tag(1 << 29, WireType.VARINT) + b"\x00",
        field_group(7, b"")[:-1],
        b"\x0b" * 5000,
    ],
    ids=[
        "eleven-byte-varint",
        "over-64-bits",
        "exactly-2-to-the-64",
        "number-2-to-the-29",
        "group-cut",
        "deep-group-cut",
    ],
)
def test_what_lies_past_a_limit_of_the_wire_format_is_no_message(data: bytes) -> None:
    with pytest.raises(WireError):
        list(pieces(data))


def test_what_lies_at_a_limit_of_the_wire_format_is_read() -> None:
    last = (1 << 64) - 1
    numbers = (field_varint(1, last), field_varint(1, 0, width=10), field_varint((1 << 29) - 1, 1))
    assert [piece.value for piece in pieces(b"".join(numbers))] == [last, 0, 1]
    deep = b"\x0b" * 5000 + b"\x0c" * 5000
    assert [piece.value for piece in pieces(deep + field_varint(1, 3))] == [deep[1:-1], 3]


@pytest.mark.parametrize("number", [-(1 << 31), -1, 0, 1, (1 << 31) - 1])
def test_an_enum_is_read_as_a_signed_number_of_32_bits(number: int) -> None:
    fields = payload_fields(encoded(welcome_envelope(b"\x01" * 32, wrapper_algorithm=number)))
    assert fields.get("welcome_message.v1.wrapper_algorithm", 0) == number


def test_a_number_is_read_as_wide_as_its_type() -> None:
    assert payload_fields(field_bytes(1, field_varint(3, 1 << 40))) == {
        "group_message": 1,
        "group_message.should_push": 1,
    }
    stamp = {"identity_update": 1, "identity_update.client_timestamp_ns": (1 << 64) - 1}
    assert payload_fields(field_bytes(4, field_varint(2, (1 << 64) - 1))) == stamp


def test_a_changed_payload_is_told_by_its_first_different_byte() -> None:
    def data(content: bytes) -> bytes:
        return field_bytes(1, field_bytes(1, content))

    for found, where in ((b"abXd", 2), (b"abc", 3), (b"abcde", 4)):
        with pytest.raises(Violation, match=f"different from byte {where}"):
            same_payload(data(b"abcd"), data(found), where="Query")
    with pytest.raises(Violation) as caught:
        same_payload(data(b"abcd"), field_bytes(1, b""), where="Query")
    assert caught.value.witness == {"published": b"abcd", "returned": None}
