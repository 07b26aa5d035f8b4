"""Envelopes and requests whose length on the wire is not that of their re-encoding, to the byte (API-281)."""

from __future__ import annotations

from google.protobuf.descriptor import FieldDescriptor

from conformance.craft.draw import Draw
from conformance.craft.encodings import encoded
from conformance.craft.sizes import ENVELOPES_FIELD, Envelope, growing_envelope
from conformance.craft.wire_format import field_bytes

# more than a negative enum and the length prefixes around it grow by
_MOST_GROWTH = 16
_WIDEST = 5


def growing_to(draw: Draw, installation_key: bytes, reencoded_bytes: int) -> bytes:
    """Hand-encode a Welcome that is shorter on the wire and has exactly `reencoded_bytes` when encoded again.

    Raises ValueError for a length that no such Welcome has.
    """
    for wire_bytes in range(reencoded_bytes - 1, reencoded_bytes - _MOST_GROWTH, -1):
        try:
            found = growing_envelope(draw, installation_key, wire_bytes)
        except ValueError:
            continue
        if reencoded_length(found) == reencoded_bytes:
            return found
    raise ValueError(f"no Welcome with a negative enum has {reencoded_bytes} bytes when encoded again")


def reencoded_length(envelope: bytes) -> int:
    """Count the bytes of an envelope once it is decoded and encoded again."""
    return len(Envelope.FromString(envelope).SerializeToString(deterministic=True))


def shrinking_request(envelope: Envelope, wire_bytes: int) -> bytes:
    """Hand-encode a PublishRequest of exactly `wire_bytes` that holds one envelope and is short when encoded again.

    The payload comes in two parts, which every parser merges: the first has an earlier value of its bytes, and the
    later one counts. Raises ValueError for an envelope whose payload has no bytes of its own, such as a Welcome, and
    for a length that is too short.
    """
    (payload, message), *_ = envelope.ListFields()
    body = next((field for field in message.DESCRIPTOR.fields if field.type == FieldDescriptor.TYPE_BYTES), None)
    if body is None:
        raise ValueError(f"{payload.name} has no bytes that an earlier value could stand before")
    number, later = body.number, encoded(envelope)

    def build(room: int) -> bytes:
        earlier = field_bytes(number, bytes(room), length_width=_WIDEST)
        first = field_bytes(payload.number, earlier, length_width=_WIDEST)
        return field_bytes(ENVELOPES_FIELD, first + later, length_width=_WIDEST)

    room = wire_bytes - len(build(0))
    if room < 0:
        raise ValueError(f"no request with this envelope in it has {wire_bytes} bytes")
    return build(room)
