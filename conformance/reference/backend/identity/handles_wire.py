"""Handles on the wire: what this backend assumes, because no public text numbers these fields.

`HandlesTable` is the one place for the numbers and words. Claims are read with message types of their own, made from
the published ones with the ClaimHandle arm added: so a claim is a known field, which dropping unknown fields leaves in
place (API-211), and of two arms of one action the last on the wire stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Final

from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

from conformance.pb import association_pb2, backend_pb2, signature_pb2, wrapper_encryption_pb2
from conformance.pb.association_pb2 import IdentityAction
from conformance.pb.signature_pb2 import Signature

_PACKAGE = "xmtp.identity.associations"
_FILES = (signature_pb2, association_pb2, wrapper_encryption_pb2, backend_pb2)
_ARM = "claim_handle"


@dataclass(frozen=True, kw_only=True)
class HandlesTable:
    """The assumption: field numbers, the value of IDENTIFIER_KIND_HANDLE, the words that are signed, the grammar.

    `grammar` is a regular expression for a whole handle in lower case; its group `name` is the name part.
    """

    action_field: int = 5
    handle_field: int = 1
    signature_field: int = 2
    identifier_kind: int = 3
    handles_field: int = 10
    min_name_length_field: int = 1
    phrase: str = "Claim handle"
    label: str = "Handle"
    grammar: str = r"(?P<name>[a-z0-9]{1,32})\.[a-z]{2,16}"


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A ClaimHandle as sent; `signature` is None when it carries none."""

    handle: str
    signature: Signature | None


class HandlesWire:
    """Reads and writes what the published messages do not name."""

    def __init__(self, table: HandlesTable) -> None:
        self.table = table

    def known(self, request: bytes) -> bytes:
        """Re-encode a PublishRequest without its unknown fields, claims kept; DecodeError when it is none."""
        message = self._types["xmtp.backend.v1.PublishRequest"].FromString(request)
        message.DiscardUnknownFields()
        encoded: bytes = message.SerializeToString(deterministic=True)
        return encoded

    def claim(self, action: IdentityAction) -> Claim | None:
        """Return the claim of an action that `known` has left as one; None for an action of another kind."""
        if action.WhichOneof("kind") is not None:
            return None
        message = self._types[f"{_PACKAGE}.IdentityAction"].FromString(action.SerializeToString())
        if message.WhichOneof("kind") != _ARM:
            return None
        claim = message.claim_handle
        signed = claim.HasField("signature")
        return Claim(
            handle=claim.handle,
            signature=Signature.FromString(claim.signature.SerializeToString()) if signed else None,
        )

    def configuration(self, min_name_length: int) -> bytes:
        """Encode the field of GetConfigurationResponse that holds HandlesConfiguration."""
        body = _varint(self.table.min_name_length_field << 3) + _varint(min_name_length)
        return _varint(self.table.handles_field << 3 | 2) + _varint(len(body)) + body

    @cached_property
    def _types(self) -> dict[str, Any]:
        """The message types with the claim arm, by full name."""
        pool = DescriptorPool()
        for module in _FILES:
            file = FileDescriptorProto()
            module.DESCRIPTOR.CopyToProto(file)
            if module is association_pb2:
                self._add_claim(file)
            pool.Add(file)
        names = ("xmtp.backend.v1.PublishRequest", f"{_PACKAGE}.IdentityAction")
        return {name: GetMessageClass(pool.FindMessageTypeByName(name)) for name in names}

    def _add_claim(self, file: FileDescriptorProto) -> None:
        table = self.table
        file.message_type.append(
            DescriptorProto(
                name="ClaimHandle",
                field=[
                    _field("handle", table.handle_field, FieldDescriptorProto.TYPE_STRING),
                    _field("signature", table.signature_field, FieldDescriptorProto.TYPE_MESSAGE, "Signature"),
                ],
            )
        )
        action = next(message for message in file.message_type if message.name == "IdentityAction")
        arm = _field(_ARM, table.action_field, FieldDescriptorProto.TYPE_MESSAGE, "ClaimHandle")
        arm.oneof_index = 0
        action.field.append(arm)


def _field(
    name: str, number: int, kind: FieldDescriptorProto.Type.ValueType, message: str | None = None
) -> FieldDescriptorProto:
    return FieldDescriptorProto(
        name=name,
        number=number,
        label=FieldDescriptorProto.LABEL_OPTIONAL,
        type=kind,
        type_name=None if message is None else f".{_PACKAGE}.{message}",
    )


def _varint(value: int) -> bytes:
    encoded = b""
    while value >= 1 << 7:
        encoded += bytes([value & 0x7F | 0x80])
        value >>= 7
    return encoded + bytes([value])


@cache
def handles_wire(table: HandlesTable) -> HandlesWire:
    """Return the reader and writer for a table, the same one for equal tables: its message types are made once."""
    return HandlesWire(table)


HANDLES_WIRE: Final = handles_wire(HandlesTable())
