"""Requests that are short enough to be sent and too long to be answered, because an entry outweighs its envelope."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.craft.commit_log import commit_log_envelope, entry
from conformance.craft.draw import Draw
from conformance.craft.group_message import group_envelope, private_message
from conformance.craft.sizes import request_bytes
from conformance.craft.topics import Kind
from conformance.craft.welcome import welcome_envelope
from conformance.pb import backend_pb2

Envelope = backend_pb2.ClientEnvelope

# in an entry of a publish response: 36 bytes of hash, 21 of topic, 10 of server_ns, 4 of cursor, 2 around them
SHORTEST_ENTRY_BYTES = 73
_MARK_BYTES = 8


def _message(group_id: bytes, mark: bytes) -> Envelope:
    return group_envelope(private_message(group_id, authenticated_data=mark, encrypted_sender_data=b"", ciphertext=b""))


def _welcome(installation_key: bytes, mark: bytes) -> Envelope:
    return welcome_envelope(installation_key, data=mark, hpke_public_key=b"", wrapper_algorithm=0)


def _entry(group_id: bytes, mark: bytes) -> Envelope:
    serialized = entry(
        group_id,
        commit_sequence_id=0,
        last_epoch_authenticator=mark,
        commit_result=0,
        applied_epoch_number=0,
        applied_epoch_authenticator=b"",
    )
    return commit_log_envelope(serialized)


_MAKERS: Mapping[Kind, Callable[[bytes, bytes], Envelope]] = {
    Kind.GROUP_MESSAGE: _message,
    Kind.WELCOME: _welcome,
    Kind.COMMIT_LOG: _entry,
}


def tiny_envelope(draw: Draw, kind: Kind, identifier: bytes) -> Envelope:
    """Make an envelope of at most 50 bytes on the topic of the identifier; no two calls give the same one."""
    return _MAKERS[kind](identifier, draw.identifier(_MARK_BYTES))


def too_long_to_answer(envelopes: list[Envelope], *, max_request_bytes: int, max_response_bytes: int) -> list[Envelope]:
    """Repeat tiny envelopes until the response, with an entry for each place, must exceed its bound.

    Raises ValueError when the request would exceed its own.
    """
    places = max_response_bytes // SHORTEST_ENTRY_BYTES + 1
    repeated = envelopes * -(-places // len(envelopes))
    if len(request_bytes(repeated)) > max_request_bytes:
        raise ValueError(f"no request of {max_request_bytes} bytes has an answer of over {max_response_bytes} bytes")
    return repeated
