"""Group messages that admission must refuse as malformed (API-230, TOPIC-002), each beside a twin it must take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from conformance.craft.catalogue import Malformed, Pair, by_name
from conformance.craft.draw import Draw
from conformance.craft.encodings import encoded
from conformance.craft.group_message import group_envelope
from conformance.craft.mls_framing import (
    REAL_SENDER_DATA,
    ContentType,
    Sender,
    WireFormat,
    mls_message,
    private_message,
    public_message,
)
from conformance.craft.mls_objects import group_info, key_package, remove, welcome
from conformance.craft.tls import u8, u64, vector
from conformance.craft.topics import Kind

FromGroupId = Callable[[bytes], bytes]
_HEADER_BYTES = 4
_NO_WIDTH = 0b1100_0000
_LONGER_THAN_SENT = b"\x3f"
_LONGEST = b"\xbf\xff\xff\xff"
_CIPHERTEXT = b"\x18" * 32


def _entry(
    name: str, broken: FromGroupId, *, twin: FromGroupId = private_message, clause: str = "API-230.c"
) -> Malformed:
    """Describe one broken message: both it and its twin are made from one group id of 16 bytes."""

    def make(draw: Draw) -> Pair:
        group_id = draw.group_id()
        return Pair(broken=encoded(group_envelope(broken(group_id))), twin=encoded(group_envelope(twin(group_id))))

    return Malformed(name=name, kind=Kind.GROUP_MESSAGE, clause=clause, make=make)


def _cut(name: str, framing: FromGroupId, start: int | None, stop: int | None) -> Malformed:
    return _entry(name, lambda group_id: framing(group_id)[start:stop], twin=framing)


def _group_id_of(size: int, framing: FromGroupId, name: str) -> Malformed:
    return _entry(
        f"{name}-group-id-of-{size}-bytes",
        lambda group_id: framing(group_id[:size].ljust(size, b"\x00")),
        twin=framing,
        clause="API-230.b",
    )


def _ciphertext(name: str, ciphertext_vector: bytes) -> Malformed:
    """Describe a private message whose last vector, length and all, is given."""

    def broken(group_id: bytes) -> bytes:
        head = vector(group_id) + u64(0) + u8(ContentType.APPLICATION) + vector(b"") + vector(REAL_SENDER_DATA)
        return mls_message(WireFormat.PRIVATE_MESSAGE, head + ciphertext_vector)

    return _entry(name, broken)


def _group_id_length_without_width(group_id: bytes) -> bytes:
    message = private_message(group_id)
    return message[:_HEADER_BYTES] + bytes([message[_HEADER_BYTES] | _NO_WIDTH]) + message[_HEADER_BYTES + 1 :]


_PRIVATE_FAULTS: Mapping[str, FromGroupId] = {
    **{f"group-wire-format-{n}": partial(private_message, wire_format=n) for n in (0, 3, 4, 5, 6, 0xFFFF)},
    **{f"group-version-{n}": partial(private_message, version=n) for n in (0, 2, 0x0100)},
    **{f"private-content-type-{n}": partial(private_message, content_type=n) for n in (0, 4)},
    **{f"group-id-length-in-{n}-bytes": partial(private_message, group_id_length_width=n) for n in (2, 4)},
    "group-id-length-without-width": _group_id_length_without_width,
}
_PUBLIC_FAULTS: Mapping[str, FromGroupId] = {
    **{f"public-content-type-{n}": partial(public_message, content_type=n, content=remove()) for n in (0, 4)},
    **{f"public-sender-type-{n}": partial(public_message, sender=Sender(type=n)) for n in (0, 5)},
    "public-group-id-length-in-2-bytes": partial(public_message, group_id_length_width=2),
}
_GROUP_ID_LENGTHS = (0, 15, 17, 32)

MALFORMED_GROUP: Mapping[str, Malformed] = by_name(
    _cut("group-data-empty", private_message, 0, 0),
    _cut("group-data-one-byte", private_message, 0, 1),
    _cut("group-data-header-only", private_message, 0, _HEADER_BYTES),
    _cut("group-data-cut-in-group-id", private_message, 0, 12),
    _cut("group-data-last-byte-missing", private_message, 0, -1),
    _cut("group-data-without-header", private_message, _HEADER_BYTES, None),
    _entry("group-data-noise", lambda _: b"\xff" + bytes(range(99))),
    _entry("group-data-zeros", lambda _: bytes(100)),
    _entry("group-data-mls-welcome", lambda _: mls_message(WireFormat.WELCOME, welcome())),
    _entry("group-data-mls-group-info", lambda group_id: mls_message(WireFormat.GROUP_INFO, group_info(group_id))),
    _entry("group-data-mls-key-package", lambda _: mls_message(WireFormat.KEY_PACKAGE, key_package())),
    *(_entry(name, broken) for name, broken in _PRIVATE_FAULTS.items()),
    *(_entry(name, broken, twin=public_message) for name, broken in _PUBLIC_FAULTS.items()),
    *(_group_id_of(size, private_message, "private") for size in _GROUP_ID_LENGTHS),
    *(_group_id_of(size, public_message, "public") for size in _GROUP_ID_LENGTHS),
    _ciphertext("ciphertext-length-in-2-bytes", vector(_CIPHERTEXT, width=2)),
    _ciphertext("ciphertext-length-without-width", bytes([_NO_WIDTH | len(_CIPHERTEXT)]) + _CIPHERTEXT),
    _ciphertext("ciphertext-length-past-the-end", _LONGER_THAN_SENT + _CIPHERTEXT),
    _ciphertext("ciphertext-length-far-past-the-end", _LONGEST + _CIPHERTEXT),
    _cut("public-cut-in-signature", public_message, 0, -60),
    _cut("public-without-membership-tag", public_message, 0, -33),
)
