"""Odd envelopes that admission must take, since it must not judge what is odd (API-230.c to f, i, k; API-235)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from conformance.craft.catalogue import Accepted, by_name
from conformance.craft.commit_log import commit_log_envelope, entry, signature
from conformance.craft.encodings import UNKNOWN_FIELD
from conformance.craft.group_message import group_envelope
from conformance.craft.group_shapes import SHAPES
from conformance.craft.key_package_shapes import ACCEPTED_KEY_PACKAGES
from conformance.craft.mls_framing import ContentType, Sender, private_message, public_message
from conformance.craft.topics import Kind
from conformance.craft.welcome import pointer_envelope, welcome_envelope
from conformance.craft.wire_format import field_varint
from conformance.pb import backend_pb2, signature_pb2

_LAST_EPOCH = (1 << 64) - 1
_LAST_INDEX = (1 << 32) - 1
_LAST_INT32 = (1 << 31) - 1
_NOT_UTF8 = b"\xff\xfe\x00\x80"
_NOISE = bytes(range(255, -1, -1))
_SIGNATURE = signature()


def _group(
    name: str, data: Callable[[bytes], bytes], *, sender_hmac: bytes = b"", clause: str = "API-230.e"
) -> Accepted:
    return Accepted(
        name=name,
        kind=Kind.GROUP_MESSAGE,
        clause=clause,
        make=lambda draw: group_envelope(data(draw.group_id()), sender_hmac=sender_hmac),
    )


def _trailing(name: str, suffix: bytes) -> Accepted:
    return _group(f"trailing-{name}", lambda group_id: private_message(group_id) + suffix, clause="API-230.d")


def _welcome(name: str, make: Callable[[bytes], backend_pb2.ClientEnvelope]) -> Accepted:
    return Accepted(name=name, kind=Kind.WELCOME, clause="API-230.f", make=lambda draw: make(draw.installation_key()))


def _commit_log(
    name: str,
    serialized: Callable[[bytes], bytes] = entry,
    *,
    signed: signature_pb2.RecoverableEd25519Signature | None = _SIGNATURE,
) -> Accepted:
    return Accepted(
        name=f"commit-log-{name}",
        kind=Kind.COMMIT_LOG,
        clause="API-230.k",
        make=lambda draw: commit_log_envelope(serialized(draw.group_id()), signed=signed),
    )


ACCEPTED: Mapping[str, Accepted] = by_name(
    *(_group(f"shape-{shape}", shape.data, clause="API-230.c") for shape in SHAPES.values()),
    _group("private-epoch-0", partial(private_message, epoch=0)),
    _group("private-last-epoch", partial(private_message, epoch=_LAST_EPOCH)),
    _group("public-last-epoch", partial(public_message, epoch=_LAST_EPOCH)),
    _group("commit-at-epoch-0", partial(private_message, content_type=ContentType.COMMIT, epoch=0)),
    _group("noise-as-ciphertext", partial(private_message, ciphertext=_NOISE)),
    _group("sender-data-too-short", partial(private_message, encrypted_sender_data=_NOT_UTF8)),
    _group("unknown-sender", partial(public_message, sender=Sender(index=_LAST_INDEX))),
    _group("signature-of-zeros", partial(public_message, signature=bytes(64))),
    _group("signature-empty", partial(public_message, signature=b"")),
    _group("membership-tag-empty", partial(public_message, membership_tag=b"")),
    *(_group(f"hmac-of-{size}-bytes", private_message, sender_hmac=b"\xfe" * size) for size in (0, 1, 31, 33, 1024)),
    *(_trailing(f"{size}-bytes", b"\x2a" * size) for size in (1, 2, 16, 255, 1024)),
    _trailing("zero-byte", b"\x00"),
    _trailing("second-message", private_message(b"\x2c" * 16)),
    _welcome("inline", welcome_envelope),
    _welcome("inline-data-empty", partial(welcome_envelope, data=b"")),
    _welcome("inline-data-not-utf8", partial(welcome_envelope, data=_NOT_UTF8)),
    _welcome("inline-all-else-empty", partial(welcome_envelope, data=b"", hpke_public_key=b"", wrapper_algorithm=0)),
    _welcome("inline-metadata", partial(welcome_envelope, welcome_metadata=_NOISE)),
    *(
        _welcome(f"inline-algorithm-{number}", partial(welcome_envelope, wrapper_algorithm=number))
        for number in (0, 2, 3, 4, 99, _LAST_INT32)
    ),
    _welcome("pointer", pointer_envelope),
    _welcome(
        "pointer-all-else-empty",
        partial(pointer_envelope, welcome_pointer=b"", hpke_public_key=b"", wrapper_algorithm=0),
    ),
    *(
        _welcome(f"pointer-algorithm-{number}", partial(pointer_envelope, wrapper_algorithm=number))
        for number in (1, 3, 99, _LAST_INT32)
    ),
    _commit_log("usual"),
    _commit_log("signature-unset", signed=None),
    _commit_log("signature-all-zero", signed=signature(bytes(64))),
    _commit_log("signature-too-short", signed=signature(b"\x2b" * 3)),
    _commit_log("signature-key-too-long", signed=signature(public_key=b"\x2b" * 33)),
    _commit_log("signature-fields-empty", signed=signature(b"", b"")),
    _commit_log("epoch-jump", partial(entry, applied_epoch_number=_LAST_EPOCH)),
    _commit_log("sequence-id-0", partial(entry, commit_sequence_id=0)),
    _commit_log("unknown-result", partial(entry, commit_result=99)),
    _commit_log("authenticators-empty", partial(entry, last_epoch_authenticator=b"", applied_epoch_authenticator=b"")),
    _commit_log("unknown-field-in-entry", lambda group_id: entry(group_id) + field_varint(UNKNOWN_FIELD, 1)),
    *ACCEPTED_KEY_PACKAGES.values(),
)
