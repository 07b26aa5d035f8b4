"""Envelopes on one topic that differ from a given one in a single value: each is another envelope (API-211)."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.craft.wire_format import field_varint
from conformance.pb import backend_pb2

Envelope = backend_pb2.ClientEnvelope
_EPOCH_END = 4 + 1 + 16 + 8  # in either framing: header, length of the group id, group id, epoch
_COMMIT_SEQUENCE_ID = 2
_ANOTHER_ID = 0x7E57


def _flipped(data: bytes) -> bytes:
    """Flip the lowest bit of the last byte; no bytes become one."""
    return data[:-1] + bytes([data[-1] ^ 1]) if data else b"\x00"


def _with(envelope: Envelope, path: str, value: bytes | int | bool) -> Envelope:
    """Copy an envelope with the field at a dotted path set to a value."""
    copy = Envelope()
    copy.CopyFrom(envelope)
    *parents, name = path.split(".")
    message: object = copy
    for parent in parents:
        message = getattr(message, parent)
    setattr(message, name, value)
    return copy


def _changes(envelope: Envelope) -> Mapping[str, tuple[str, bytes | int | bool]]:
    """Name the single changes of an envelope: what is changed, the field, its other value."""
    match envelope.WhichOneof("payload"):
        case "group_message":
            message = envelope.group_message
            return {
                "other-epoch": ("group_message.data", _flipped(message.data[:_EPOCH_END]) + message.data[_EPOCH_END:]),
                "byte-after-data": ("group_message.data", message.data + b"\x00"),
                "other-hmac": ("group_message.sender_hmac", _flipped(message.sender_hmac)),
                "should-push": ("group_message.should_push", not message.should_push),
            }
        case "welcome_message":
            arm = envelope.welcome_message.WhichOneof("version")
            if arm is None:
                raise ValueError("a Welcome without a version has no neighbours")
            body, content = f"welcome_message.{arm}", "data" if arm == "v1" else "welcome_pointer"
            version = getattr(envelope.welcome_message, arm)
            return {
                "last-byte-of-content": (f"{body}.{content}", _flipped(getattr(version, content))),
                "other-hpke-key": (f"{body}.hpke_public_key", _flipped(version.hpke_public_key)),
                "other-algorithm": (f"{body}.wrapper_algorithm", version.wrapper_algorithm ^ 1),
            }
        case "commit_log_entry":
            signed = "commit_log_entry.signature"
            serialized = envelope.commit_log_entry.serialized_commit_log_entry
            return {
                "other-sequence-id": (
                    "commit_log_entry.serialized_commit_log_entry",
                    serialized + field_varint(_COMMIT_SEQUENCE_ID, _ANOTHER_ID),  # of two, the later one counts
                ),
                "other-signature": (f"{signed}.bytes", _flipped(envelope.commit_log_entry.signature.bytes)),
                "other-signer": (f"{signed}.public_key", _flipped(envelope.commit_log_entry.signature.public_key)),
            }
        case kind:
            raise ValueError(f"no neighbours are known for an envelope with {kind or 'nothing'} as its payload")


def neighbours(envelope: Envelope) -> Mapping[str, Envelope]:
    """Give the envelopes that differ from this one in one value and are admitted to the same topic, by name.

    Group messages, Welcomes and commit-log entries only: the others are signed, so a changed one is another case.
    Raises ValueError for those, and for an envelope that belongs on no topic.
    """
    return {name: _with(envelope, path, value) for name, (path, value) in _changes(envelope).items()}
