"""Commit-log entries: the signed bytes of one step and the signature beside them."""

from __future__ import annotations

from typing import cast

from conformance.craft.draw import Draw
from conformance.pb import backend_pb2, commit_log_pb2, signature_pb2

SIGNATURE_BYTES = 64
KEY_BYTES = 32


def entry(
    group_id: bytes,
    *,
    commit_sequence_id: int = 1,
    last_epoch_authenticator: bytes = b"\x22" * 32,
    commit_result: int = commit_log_pb2.COMMIT_RESULT_APPLIED,
    applied_epoch_number: int = 1,
    applied_epoch_authenticator: bytes = b"\x23" * 32,
) -> bytes:
    """Encode the plaintext of a step; `commit_result` may be any int32, known or not."""
    return commit_log_pb2.PlaintextCommitLogEntry(
        group_id=group_id,
        commit_sequence_id=commit_sequence_id,
        last_epoch_authenticator=last_epoch_authenticator,
        commit_result=cast("commit_log_pb2.CommitResult", commit_result),
        applied_epoch_number=applied_epoch_number,
        applied_epoch_authenticator=applied_epoch_authenticator,
    ).SerializeToString(deterministic=True)


def signature(
    signature_bytes: bytes = b"\x24" * SIGNATURE_BYTES, public_key: bytes = b"\x25" * KEY_BYTES
) -> signature_pb2.RecoverableEd25519Signature:
    """Make a signature that verifies for nobody: a backend stores it unverified (API-230)."""
    return signature_pb2.RecoverableEd25519Signature(bytes=signature_bytes, public_key=public_key)


def commit_log_envelope(
    serialized_entry: bytes, *, signed: signature_pb2.RecoverableEd25519Signature | None = None
) -> backend_pb2.ClientEnvelope:
    """Put the bytes of an entry, whole or broken, into an envelope; `signed` None leaves the signature out."""
    return backend_pb2.ClientEnvelope(
        commit_log_entry=backend_pb2.CommitLogEntry(serialized_commit_log_entry=serialized_entry, signature=signed)
    )


def new_entry(draw: Draw, group_id: bytes, *, size: int = 32) -> backend_pb2.ClientEnvelope:
    """Make an entry like a real client's, with an authenticator of `size` bytes; no two calls give the same one."""
    serialized = entry(
        group_id,
        commit_sequence_id=int.from_bytes(draw.identifier(8), "big") >> 1 or 1,
        last_epoch_authenticator=draw.bytes(size),
    )
    return commit_log_envelope(serialized, signed=signature(draw.bytes(SIGNATURE_BYTES), draw.bytes(KEY_BYTES)))
