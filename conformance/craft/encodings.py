"""Other encodings of one message value: what every proto3 parser reads as the same message (API-211).

Each form has a name. None of them adds an unknown field, because a parser may keep those; `padded` does, and is for
tests of the wire length alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from conformance.craft.wire_format import WireType, field_bytes, field_varint, tag, varint, varint_size

UNKNOWN_FIELD = 994
_BYTES_LIKE = (FieldDescriptor.TYPE_BYTES, FieldDescriptor.TYPE_STRING)
_VARINTS = (
    FieldDescriptor.TYPE_BOOL,
    FieldDescriptor.TYPE_ENUM,
    FieldDescriptor.TYPE_INT32,
    FieldDescriptor.TYPE_INT64,
    FieldDescriptor.TYPE_UINT32,
    FieldDescriptor.TYPE_UINT64,
)


@dataclass(frozen=True, kw_only=True)
class Style:
    """How a message is written; each option alone keeps its value.

    descending   fields in falling order of their numbers
    tag_width    bytes of every tag (parsers read up to 5)
    length_width bytes of every length (up to 5)
    value_width  bytes of every integer (up to 10)
    defaults     fields without presence are written though they hold their default
    split        every singular submessage is written in two parts, which merge
    overridden   every singular scalar is written twice; the last one counts
    rivalled     before the set member of a oneof another member is written; the last one counts
    """

    descending: bool = False
    tag_width: int | None = None
    length_width: int | None = None
    value_width: int | None = None
    defaults: bool = False
    split: bool = False
    overridden: bool = False
    rivalled: bool = False


PLAIN = Style()
FORMS: Mapping[str, Style] = {
    "fields-descending": Style(descending=True),
    "long-tags": Style(tag_width=5),
    "long-lengths": Style(length_width=5),
    "long-values": Style(value_width=10),
    "explicit-defaults": Style(defaults=True),
    "split-submessages": Style(split=True),
    "overridden-scalars": Style(overridden=True),
    "rivalled-oneofs": Style(rivalled=True),
    "everything-at-once": Style(
        descending=True,
        tag_width=5,
        length_width=5,
        value_width=10,
        defaults=True,
        split=True,
        overridden=True,
        rivalled=True,
    ),
}


def encoded(message: Message, style: Style = PLAIN) -> bytes:
    """Encode a message in a style; `PLAIN` gives what any proto3 encoder gives.

    Raises ValueError for a message with unknown fields, and for a field of a type none of the contracts uses.
    """
    return b"".join(_pieces(message, style))


def encodings(message: Message) -> Mapping[str, bytes]:
    """Give the forms of `FORMS` that differ from the plain encoding of this message, by name."""
    plain = encoded(message)
    forms = {name: encoded(message, style) for name, style in FORMS.items()}
    return {name: form for name, form in forms.items() if form != plain}


def padded(plain: bytes, total_bytes: int) -> bytes:
    """Lengthen an encoded message to exactly `total_bytes` by an unknown field that every parser must skip.

    Only for the wire length: a backend may keep the field or drop it, so the stored bytes and the hash are open.
    Raises ValueError when the room is too small for a field (3 bytes) and not exactly filled already.
    """
    room = total_bytes - len(plain)
    if room == 0:
        return plain
    head = tag(UNKNOWN_FIELD, WireType.LEN)
    for width in range(1, 6):
        body = room - len(head) - width
        if body >= 0 and varint_size(body) <= width:
            return plain + head + varint(body, width) + bytes(body)
    raise ValueError(f"{len(plain)} bytes cannot be padded to {total_bytes}")


def _pieces(message: Message, style: Style) -> list[bytes]:
    """Encode each field of a message, whole, in the order of the style."""
    if len(UnknownFieldSet(message)):
        raise ValueError(f"{message.DESCRIPTOR.name} has unknown fields: no encoding of it is sure to be the same")
    present: list[tuple[FieldDescriptor, object]] = list(message.ListFields())
    if style.defaults:
        written = {field.number for field, _ in present}
        present += [
            (cast("FieldDescriptor", field), getattr(message, field.name))  # its stub has two names for one class
            for field in message.DESCRIPTOR.fields
            if not field.has_presence and not field.is_repeated and field.number not in written
        ]
    present.sort(key=lambda item: item[0].number, reverse=style.descending)
    return [_rival(field, style) + _field(field, value, style) for field, value in present]


def _field(field: FieldDescriptor, value: object, style: Style) -> bytes:
    """Encode a field with all its values."""
    if field.is_repeated:
        return b"".join(_one(field, item, style) for item in cast("Iterable[object]", value))
    if isinstance(value, Message):
        pieces = _pieces(value, style)
        if not style.split:
            return _delimited(field, b"".join(pieces), style)
        half = (len(pieces) + 1) // 2
        return b"".join(_delimited(field, b"".join(part), style) for part in (pieces[:half], pieces[half:]))
    earlier = _one(field, _other(field, value), style) if style.overridden else b""
    return earlier + _one(field, value, style)


def _one(field: FieldDescriptor, value: object, style: Style) -> bytes:
    """Encode one value of a field."""
    if isinstance(value, Message):
        return _delimited(field, b"".join(_pieces(value, style)), style)
    if field.type in _BYTES_LIKE:
        return _delimited(field, value.encode() if isinstance(value, str) else cast("bytes", value), style)
    if field.type in _VARINTS and isinstance(value, int):
        return field_varint(field.number, value, width=style.value_width, tag_width=style.tag_width)
    raise ValueError(f"{field.full_name} is of a type that this encoder does not write")


def _delimited(field: FieldDescriptor, body: bytes, style: Style) -> bytes:
    return field_bytes(field.number, body, length_width=style.length_width, tag_width=style.tag_width)


def _other(field: FieldDescriptor, value: object) -> object:
    """Give another value of a scalar field, to be overridden."""
    if isinstance(value, bytes | str):
        return "earlier" if isinstance(value, str) else b"earlier"
    return 0 if value else 1


def _rival(field: FieldDescriptor, style: Style) -> bytes:
    """Encode another member of the field's oneof, which the field itself then overrides.

    Another member, never the same one: two of the same submessage merge. The oneof of one optional field has none.
    """
    if not style.rivalled or field.containing_oneof is None:
        return b""
    rival = next((f for f in field.containing_oneof.fields if f.number != field.number), None)
    if rival is None:
        return b""
    if rival.type in (*_BYTES_LIKE, FieldDescriptor.TYPE_MESSAGE):
        return _delimited(rival, b"", style)
    return field_varint(rival.number, 1, width=style.value_width, tag_width=style.tag_width)
