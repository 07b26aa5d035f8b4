from __future__ import annotations

from typing import cast

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from conformance.oracle.schema import RESPONSES, SCHEMA
from conformance.pb import association_pb2, backend_pb2, signature_pb2

TYPES = {
    FieldDescriptor.TYPE_BOOL: "bool",
    FieldDescriptor.TYPE_BYTES: "bytes",
    FieldDescriptor.TYPE_ENUM: "enum",
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_UINT32: "uint32",
    FieldDescriptor.TYPE_UINT64: "uint64",
}
NESTED: dict[str, type[Message]] = {
    "WelcomeV1": backend_pb2.WelcomeMessage.V1,
    "WelcomePointer": backend_pb2.WelcomeMessage.WelcomePointer,
    "NewestResult": backend_pb2.QueryNewestResponse.Result,
}


def descriptor(name: str) -> Descriptor:
    if name in NESTED:
        return cast("Descriptor", NESTED[name].DESCRIPTOR)
    owner = next(module for module in (backend_pb2, association_pb2, signature_pb2) if hasattr(module, name))
    found: Descriptor = getattr(owner, name).DESCRIPTOR
    return found


@pytest.mark.parametrize("name", SCHEMA)
def test_the_table_and_the_wire_contract_agree_though_each_was_written_by_itself(name: str) -> None:
    described = {field.number: field for field in descriptor(name).fields}
    assert described.keys() == SCHEMA[name].keys()
    for number, field in SCHEMA[name].items():
        other = described[number]
        assert (field.name, field.repeated) == (other.name, other.is_repeated)
        assert field.has_presence == (other.has_presence or (other.is_repeated and field.is_message))
        if field.is_message:
            assert descriptor(field.type) == other.message_type
        else:
            assert field.type == TYPES[other.type]
        oneof = None if other.containing_oneof is None or field.optional else other.containing_oneof.name
        assert field.oneof == oneof


def test_every_answer_judged_has_a_table() -> None:
    assert set(RESPONSES.values()) <= SCHEMA.keys()
