"""Faults of the stored bytes and their hash (API-211)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import ClientEnvelope, ServerEnvelope
from conformance.reference.backend.admission import Admission, Candidate, Encoder
from conformance.reference.backend.admission import Stored as StoredKeys
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.responses import Responses
from conformance.reference.backend.store import Stored
from conformance.reference.backend.tls_reader import TlsError, TlsReader

PRIVATE_MESSAGE = 2
SHORT_TEXT_BYTES = 65_535
HASHED_BYTES = 1024
CONTINUES = 0x80


def _through_text(data: bytes) -> bytes:
    return data.decode("utf-8", "replace").encode()


class ThroughText(Backend):
    """B027."""

    class _Encoder(Encoder):
        def encode(self, envelope: ClientEnvelope) -> bytes:
            welcome = envelope.welcome_message
            if envelope.WhichOneof("payload") == "group_message":
                envelope.group_message.sender_hmac = _through_text(envelope.group_message.sender_hmac)
            elif welcome.WhichOneof("version") == "v1":
                welcome.v1.data = _through_text(welcome.v1.data)
            return super().encode(envelope)

    encoder_class = _Encoder


def _without_trailing_bytes(private_message: bytes) -> bytes:
    reader, left = TlsReader(private_message), 0
    reader.take(4)  # version and wire format
    reader.opaque()  # group id
    reader.take(9)  # epoch and content type
    for _ in range(3):
        reader.opaque()
    while not reader.at_end:
        reader.u8()
        left += 1
    return private_message[: len(private_message) - left]


class TrailingBytesCut(Backend):
    """B028."""

    class _Encoder(Encoder):
        def encode(self, envelope: ClientEnvelope) -> bytes:
            data = envelope.group_message.data
            with suppress(TlsError):
                if data[3:4] == bytes([PRIVATE_MESSAGE]):
                    envelope.group_message.data = _without_trailing_bytes(data)
            return super().encode(envelope)

    encoder_class = _Encoder


class LongValuesCut(Backend):
    """B314."""

    class _Responses(Responses):
        def payload(self, stored: Stored) -> ClientEnvelope | None:
            envelope = super().payload(stored)
            if envelope is not None and len(envelope.welcome_message.v1.data) > SHORT_TEXT_BYTES:
                envelope.welcome_message.v1.data = envelope.welcome_message.v1.data[:SHORT_TEXT_BYTES]
            return envelope

    responses_class = _Responses


class HexHash(Backend):
    """B029."""

    class _Encoder(Encoder):
        def hash(self, payload: bytes) -> bytes:
            return super().hash(payload).hex().encode()

    encoder_class = _Encoder


class QueryHashesAgain(Backend):
    """B315."""

    class _Responses(Responses):
        def envelope(self, stored: Stored) -> ServerEnvelope:
            hashed_again = hashlib.sha256((stored.payload or b"") + b"\n").digest()
            return super().envelope(replace(stored, message_hash=hashed_again))

    responses_class = _Responses


def _envelopes_on_the_wire(request: bytes) -> Iterator[bytes]:
    position = 0
    while position < len(request):
        position += 1  # the tag
        size, shift = 0, 0
        while True:
            byte = request[position]
            size |= (byte & 0x7F) << shift
            position, shift = position + 1, shift + 7
            if byte < CONTINUES:
                break
        yield request[position : position + size]
        position += size


class HashOfTheWire(Backend):
    """B030."""

    class _Admission(Admission):
        def admit(self, request: bytes, stored: StoredKeys) -> list[Candidate]:
            pairs = zip(super().admit(request, stored), _envelopes_on_the_wire(request), strict=True)
            return [replace(candidate, message_hash=hashlib.sha256(sent).digest()) for candidate, sent in pairs]

    admission_class = _Admission


class HashWithoutPush(Backend):
    """B316."""

    class _Encoder(Encoder):
        def hash(self, payload: bytes) -> bytes:
            envelope = ClientEnvelope.FromString(payload)
            if envelope.WhichOneof("payload") == "group_message":
                envelope.group_message.ClearField("should_push")
            return super().hash(envelope.SerializeToString())

    encoder_class = _Encoder


class HashOfTheBeginning(Backend):
    """B317."""

    class _Encoder(Encoder):
        def hash(self, payload: bytes) -> bytes:
            return super().hash(payload[:HASHED_BYTES])

    encoder_class = _Encoder


VARIANTS = (
    Variant(
        id="B027",
        says="payload bytes pass through a text type, which replaces what is no UTF-8",
        clauses=("API-211.a",),
        build=ThroughText,
    ),
    Variant(
        id="B028",
        says="bytes after the MLS message of a group message are cut off",
        clauses=("API-211.a",),
        build=TrailingBytesCut,
    ),
    Variant(
        id="B314",
        says="a Welcome's data is returned only up to 65,535 bytes",
        clauses=("API-211.a",),
        build=LongValuesCut,
    ),
    Variant(
        id="B029",
        says="the hash is stored and shown as hexadecimal text",
        clauses=("API-211.b",),
        build=HexHash,
    ),
    Variant(
        id="B315",
        says="Query shows a hash made over other bytes than the receipt's",
        clauses=("API-211.b",),
        build=QueryHashesAgain,
    ),
    Variant(
        id="B030",
        says="the hash is taken over the bytes the client sent",
        clauses=("API-211.c",),
        build=HashOfTheWire,
    ),
    Variant(
        id="B316",
        says="the hash leaves out should_push",
        clauses=("API-211.d",),
        build=HashWithoutPush,
    ),
    Variant(
        id="B317",
        says="the hash covers the first KiB only",
        clauses=("API-211.d",),
        build=HashOfTheBeginning,
    ),
)
