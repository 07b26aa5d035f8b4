"""Group messages: an MLSMessage and the two fields a sender adds to it, as a ClientEnvelope."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.craft.mls_framing import ContentType, private_message, public_message, read_frame
from conformance.pb import backend_pb2

__all__ = ["ContentType", "content_type_of", "group_envelope", "new_message", "private_message", "public_message"]

HMAC_BYTES = 32


def group_envelope(data: bytes, *, sender_hmac: bytes = b"", should_push: bool = False) -> backend_pb2.ClientEnvelope:
    """Put the bytes of an MLSMessage, whole or broken, into an envelope."""
    return backend_pb2.ClientEnvelope(
        group_message=backend_pb2.GroupMessage(data=data, sender_hmac=sender_hmac, should_push=should_push)
    )


def new_message(
    draw: Draw, group_id: bytes, *, content_type: int = ContentType.APPLICATION, size: int = 32
) -> backend_pb2.ClientEnvelope:
    """Make a private message like a real client's, with `size` bytes of ciphertext; no two calls give the same one."""
    data = private_message(
        group_id, content_type=content_type, authenticated_data=draw.identifier(8), ciphertext=draw.bytes(size)
    )
    return group_envelope(data, sender_hmac=draw.bytes(HMAC_BYTES), should_push=True)


def content_type_of(envelope: backend_pb2.ClientEnvelope | bytes) -> ContentType | None:
    """Tell the content type of a group message, which decides its flag and retention; None for every other kind.

    Raises ValueError when a group message cannot be read that far.
    """
    message = backend_pb2.ClientEnvelope.FromString(envelope) if isinstance(envelope, bytes) else envelope
    if message.WhichOneof("payload") != "group_message":
        return None
    return read_frame(message.group_message.data).content_type
