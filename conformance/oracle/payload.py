"""Reads an encoded ClientEnvelope as the value it stands for, so that two encodings can be compared leaf by leaf."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.oracle.schema import SCHEMA, VARINT_TYPES, Field
from conformance.oracle.violation import Violation
from conformance.oracle.wire_walk import LEN, VARINT, WireError, pieces

ENVELOPE = "ClientEnvelope"
_I32_END = 1 << 31
_U32_END = 1 << 32

Leaf = bytes | int


def payload_fields(envelope: bytes) -> Mapping[str, Leaf]:
    """Give every value of an encoded envelope under its dotted path; equal for all encodings of one value.

    Bytes and text as bytes, numbers as int, a submessage that is present as 1 under its own path. Read as proto3
    prescribes: the last of several values counts, submessages merge, the last member of a oneof wins, a default
    without presence is no value. Fields under numbers the contract does not use are left out, because a backend may
    keep or drop them (V11). Raises WireError when the bytes are no message.
    """
    leaves: dict[str, Leaf] = {}
    _collect(ENVELOPE, envelope, "", leaves)
    return leaves


def same_payload(sent: bytes, seen: bytes, *, where: str) -> None:
    """Judge that an envelope came back with the value that was sent, every bytes field byte for byte (API-211).

    `where` names the read. Tolerated: any other encoding of the same value and unknown fields kept or dropped (V11).
    Reasons: `payload-changed`, `undecodable`.
    """
    try:
        found = payload_fields(seen)
    except WireError as broken:
        raise Violation(
            "undecodable", f"{where} returned an envelope that cannot be decoded: {broken}.", witness={"bytes": seen}
        ) from broken
    expected = payload_fields(sent)
    for path in sorted(expected.keys() | found.keys()):
        if expected.get(path) != found.get(path):
            raise Violation(
                "payload-changed",
                f"{where} returned another value of {path} than was published.",
                witness={
                    "published": expected.get(path),
                    "returned": found.get(path),
                    **_first_difference(expected.get(path), found.get(path)),
                },
            )


def _first_difference(expected: Leaf | None, found: Leaf | None) -> Mapping[str, object]:
    """Tell from which byte two byte strings differ."""
    if not isinstance(expected, bytes) or not isinstance(found, bytes):
        return {}
    common = next(
        (i for i, (a, b) in enumerate(zip(expected, found, strict=False)) if a != b), min(len(expected), len(found))
    )
    return {"lengths": f"{len(expected)} published, {len(found)} returned, different from byte {common}"}


def _collect(message: str, data: bytes, path: str, leaves: dict[str, Leaf]) -> None:
    """Add the values of one message under its path."""
    raw: dict[int, list[Leaf]] = {}
    table = SCHEMA[message]
    for piece in pieces(data):
        field = table.get(piece.number)
        if field is None or piece.wire_type != (VARINT if field.type in VARINT_TYPES else LEN):
            continue
        for rival in table.values():
            if field.oneof is not None and rival.oneof == field.oneof and rival.number != field.number:
                raw.pop(rival.number, None)
        raw.setdefault(piece.number, []).append(piece.value)
    for number, values in raw.items():
        field = table[number]
        name = f"{path}.{field.name}" if path else field.name
        if field.repeated:
            for index, value in enumerate(values):
                _add(field, value, f"{name}[{index}]", leaves)
        elif field.is_message:
            # two of the same submessage merge, which is what reading their bytes one after the other gives
            _add(field, b"".join(v for v in values if isinstance(v, bytes)), name, leaves)
        else:
            _add(field, values[-1], name, leaves)


def _add(field: Field, value: Leaf, name: str, leaves: dict[str, Leaf]) -> None:
    """Add one value, unless it is a default that the wire does not tell from no value."""
    if field.is_message:
        leaves[name] = 1
        _collect(field.type, value if isinstance(value, bytes) else b"", name, leaves)
        return
    if isinstance(value, int):
        value = _number(field.type, value)
    if value or field.has_presence or field.repeated:
        leaves[name] = value


def _number(type_name: str, value: int) -> int:
    """Read a varint as its type does: an enum as a signed 32-bit number, whatever its width on the wire."""
    if type_name == "bool":
        return int(value != 0)
    if type_name == "uint64":
        return value
    low = value % _U32_END
    return low - _U32_END if type_name == "enum" and low >= _I32_END else low
