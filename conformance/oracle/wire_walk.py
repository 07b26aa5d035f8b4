"""Reads protobuf bytes field by field and judges them against the table of the contract (API-210).

A parser of its own, so that nothing is normalised before it is judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.oracle.schema import RESPONSES, SCHEMA, VARINT_TYPES, Field
from conformance.oracle.violation import Violation
from conformance.wire.transcript import Call

VARINT, FIXED64, LEN, GROUP_START, GROUP_END, FIXED32 = range(6)
_WIRE_NAMES = ("varint", "fixed64", "length-delimited", "group", "end of group", "fixed32")
_VARINT_BYTES = 10
_MORE = 0x80
_U32_END = 1 << 32
_U64_END = 1 << 64


class WireError(ValueError):
    """The bytes are no protobuf message; the sentence says where."""


@dataclass(frozen=True, kw_only=True)
class Piece:
    """One field as it stands on the wire: an integer for varints and fixed values, bytes for the delimited ones."""

    number: int
    wire_type: int
    value: int | bytes


def pieces(data: bytes) -> Iterator[Piece]:
    """Read the fields of a message in their order on the wire, groups as one piece; WireError on malformed bytes."""
    position = 0
    while position < len(data):
        piece, position = _piece(data, position)
        if piece.wire_type == GROUP_END:
            raise WireError(f"a group ends at byte {position} that never started")
        yield piece


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """Read a varint of up to ten bytes: its value and the position behind it."""
    value = 0
    for index in range(_VARINT_BYTES):
        if position + index >= len(data):
            raise WireError(f"the bytes end within a varint at byte {position}")
        byte = data[position + index]
        value |= (byte & ~_MORE) << (7 * index)
        if not byte & _MORE:
            if value >= _U64_END:
                break
            return value, position + index + 1
    raise WireError(f"a varint at byte {position} is longer than 64 bits")


def _piece(data: bytes, position: int) -> tuple[Piece, int]:
    """Read one field: its piece and the position behind it."""
    key, start = _varint(data, position)
    number, wire_type = key >> 3, key & 7
    if not 0 < number < 1 << 29:
        raise WireError(f"a field at byte {position} has the impossible number {number}")
    if wire_type == VARINT:
        value, end = _varint(data, start)
        return Piece(number=number, wire_type=wire_type, value=value), end
    if wire_type == GROUP_END:
        return Piece(number=number, wire_type=wire_type, value=0), start
    if wire_type == GROUP_START:
        return _group(data, start, number)
    if wire_type == LEN:
        size, start = _varint(data, start)
    elif wire_type in (FIXED32, FIXED64):
        size = 4 if wire_type == FIXED32 else 8
    else:
        raise WireError(f"a field at byte {position} has the impossible wire type {wire_type}")
    if start + size > len(data):
        raise WireError(f"field {number} at byte {position} runs past the end of the message")
    body = data[start : start + size]
    return Piece(
        number=number, wire_type=wire_type, value=body if wire_type == LEN else int.from_bytes(body, "little")
    ), start + size


def _group(data: bytes, start: int, number: int) -> tuple[Piece, int]:
    """Read over a group to its own end mark."""
    open_groups, position, before = [number], start, start
    while open_groups:
        before = position
        key, behind = _varint(data, position)
        if key & 7 == GROUP_START:
            open_groups.append(key >> 3)
            position = behind
            continue
        piece, position = _piece(data, position)
        if piece.wire_type == GROUP_END and piece.number != open_groups.pop():
            raise WireError(f"a group at byte {before} ends under another number than it started")
    return Piece(number=number, wire_type=GROUP_START, value=data[start:before]), position


def lawful_message(message: str, data: bytes, *, path: str = "") -> None:
    """Judge an encoded message of the contract: each field it numbers has the type it gives (API-210.a, b, d).

    `message` names a table of `SCHEMA`. Tolerated: fields under numbers the contract does not use (V15, V11), any
    field order, over-long varints, explicit defaults. Reasons: `undecodable`, `wire-type`, `not-utf8`, `out-of-range`.
    Do not use it on answers that return payloads which the case itself sent with a wrong wire type.
    """
    where = path or message
    try:
        for piece in pieces(data):
            field = SCHEMA[message].get(piece.number)
            if field is not None:
                _judge(field, piece, f"{where}.{field.name}")
    except WireError as broken:
        raise Violation("undecodable", f"{where} cannot be decoded: {broken}.", witness={"bytes": data}) from broken


def lawful_response(call: Call) -> None:
    """Judge the answer of a Publish, Query or QueryNewest as `lawful_message` does; an answer without one is passed.

    Raises KeyError for any other call.
    """
    if call.response is not None:
        lawful_message(RESPONSES[call.rpc], call.response)


def _judge(field: Field, piece: Piece, where: str) -> None:
    """Judge one field that the contract numbers."""
    expected = VARINT if field.type in VARINT_TYPES else LEN
    if piece.wire_type != expected:
        raise Violation(
            "wire-type",
            f"{where} (field {field.number}) is written as {_WIRE_NAMES[piece.wire_type]}, "
            f"but {field.type} is {_WIRE_NAMES[expected]} on the wire.",
            witness={"value": piece.value},
        )
    if isinstance(piece.value, int):
        if field.type == "uint32" and piece.value >= _U32_END:
            raise Violation("out-of-range", f"{where} is {piece.value}, which is no uint32.")
    elif field.is_message:
        lawful_message(field.type, piece.value, path=where)
    elif field.type == "string":
        try:
            piece.value.decode()
        except UnicodeDecodeError:
            raise Violation("not-utf8", f"{where} is no UTF-8 text.", witness={"bytes": piece.value}) from None
