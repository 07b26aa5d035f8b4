"""The digest that stands for the value of an envelope: equal for all encodings of one value (API-211)."""

from __future__ import annotations

import hashlib

from conformance.oracle.payload import payload_fields
from conformance.oracle.wire_walk import WireError

DIGEST_BYTES = 16


def value_digest(envelope: bytes) -> bytes:
    """Digest the value of an encoded ClientEnvelope; bytes that are no message stand for themselves.

    Unknown fields do not count, because a backend may keep or drop them (V11). Never equal to a message hash.
    """
    digest = hashlib.sha256()
    try:
        fields = payload_fields(envelope)
    except WireError:
        return hashlib.sha256(b"no message" + envelope).digest()[:DIGEST_BYTES]
    for path in sorted(fields):
        value = fields[path]
        shown = value if isinstance(value, bytes) else str(value).encode()
        digest.update(b"%d %s %d " % (isinstance(value, bytes), path.encode(), len(shown)) + shown)
    return digest.digest()[:DIGEST_BYTES]
