"""Envelopes that try to choose their own metadata, which is the backend's alone to assign (API-212)."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.craft.encodings import UNKNOWN_FIELD, encoded
from conformance.craft.wire_format import field_bytes, field_varint
from conformance.pb import backend_pb2

CLAIMED_SERVER_NS = 1
CLAIMED_EXPIRY_NS = 2
_EXPIRY_NS, _FLAG = 5, 6


def claiming_metadata(envelope: backend_pb2.ClientEnvelope) -> Mapping[str, bytes]:
    """Give encodings of an envelope with metadata claimed in fields that no envelope has, by where they stand.

    The claims use the numbers that the fields have in EnvelopeMeta, where the message leaves those free; the flag is
    claimed the wrong way round for an application message. A parser skips them all. A backend may keep or drop them
    (V11), so each may be stored as an envelope of its own. Raises ValueError for an envelope without a payload.
    """
    payload = envelope.WhichOneof("payload")
    if payload is None:
        raise ValueError("an envelope without a payload is stored nowhere and can claim nothing")
    plain, number = encoded(envelope), envelope.DESCRIPTOR.fields_by_name[payload].number
    meta = backend_pb2.EnvelopeMeta(
        cursor=backend_pb2.Cursor(sequence_id=1),
        server_ns=CLAIMED_SERVER_NS,
        expiry_ns=CLAIMED_EXPIRY_NS,
        is_commit_or_proposal=True,
    ).SerializeToString(deterministic=True)
    used = set(getattr(envelope, payload).DESCRIPTOR.fields_by_number)
    claims = {_EXPIRY_NS: CLAIMED_EXPIRY_NS, _FLAG: 1}
    inside = b"".join(field_varint(claim, value) for claim, value in claims.items() if claim not in used)
    return {
        "flag-beside-the-payload": plain + field_varint(_FLAG, 1),
        "metadata-beside-the-payload": plain + field_bytes(UNKNOWN_FIELD, meta),
        # a second part of the payload, which merges with the first
        "flag-and-expiry-in-the-payload": plain + field_bytes(number, inside),
    }
