"""Envelopes and requests written field by field from the numbers of the contract (API-210), without generated types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from conformance.craft.commit_log import SIGNATURE_BYTES
from conformance.craft.draw import KEY_BYTES, Draw
from conformance.craft.group_message import HMAC_BYTES
from conformance.craft.mls_framing import private_message
from conformance.craft.wire_format import field_bytes, field_varint

_NUMBER = 1 << 40  # needs more bytes than a 32-bit field could hold


def _group_message(draw: Draw) -> bytes:
    data = private_message(draw.group_id(), ciphertext=draw.bytes(40))
    return field_bytes(1, field_bytes(1, data) + field_bytes(2, draw.bytes(HMAC_BYTES)) + field_varint(3, 1))


def _welcome(draw: Draw) -> bytes:
    fields = (draw.installation_key(), draw.bytes(40), draw.bytes(KEY_BYTES))
    version = b"".join(field_bytes(number, value) for number, value in enumerate(fields, start=1))
    version += field_varint(4, 1) + field_bytes(5, draw.bytes(8))
    return field_bytes(2, field_bytes(1, version))


def _welcome_pointer(draw: Draw) -> bytes:
    fields = (draw.installation_key(), draw.bytes(40), draw.bytes(KEY_BYTES))
    version = b"".join(field_bytes(number, value) for number, value in enumerate(fields, start=1))
    return field_bytes(2, field_bytes(2, version + field_varint(4, 2)))


def _commit_log_entry(draw: Draw) -> bytes:
    authenticators = (draw.bytes(KEY_BYTES), draw.bytes(KEY_BYTES))
    entry = (
        field_bytes(1, draw.group_id())
        + field_varint(2, _NUMBER)
        + field_bytes(3, authenticators[0])
        + field_varint(4, 1)
        + field_varint(5, _NUMBER + 1)
        + field_bytes(6, authenticators[1])
    )
    signature = field_bytes(1, draw.bytes(SIGNATURE_BYTES)) + field_bytes(2, draw.bytes(KEY_BYTES))
    return field_bytes(5, field_bytes(1, entry) + field_bytes(2, signature))


# every field of every payload that needs no key to sign it, set to a value other than its default
ENVELOPES: Mapping[str, Callable[[Draw], bytes]] = {
    "group-message": _group_message,
    "welcome": _welcome,
    "welcome-pointer": _welcome_pointer,
    "commit-log-entry": _commit_log_entry,
}


def query_request(entries: Iterable[tuple[bytes, int | None]], *, limit: int = 0) -> bytes:
    """Encode a QueryRequest: topics with their cursors, None for an absent one; a limit of 0 is left out."""
    queries = (
        field_bytes(1, field_bytes(1, topic)) + (b"" if cursor is None else field_bytes(2, field_varint(1, cursor)))
        for topic, cursor in entries
    )
    return b"".join(field_bytes(1, query) for query in queries) + (field_varint(2, limit) if limit else b"")


def newest_request(topics: Iterable[bytes], *, full: bool) -> bytes:
    """Encode a QueryNewestRequest; the flag is left out when it is false."""
    return b"".join(field_bytes(1, field_bytes(1, topic)) for topic in topics) + (field_varint(2, 1) if full else b"")
