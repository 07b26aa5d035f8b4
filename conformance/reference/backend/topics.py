"""Topics: one kind byte and an identifier (TOPIC-001)."""

from __future__ import annotations

from conformance.reference.backend.failure import Code, Failure

GROUP_MESSAGE = 0x00
WELCOME = 0x01
IDENTITY_UPDATE = 0x02
KEY_PACKAGE = 0x03
COMMIT_LOG = 0x04

IDENTIFIER_BYTES = {GROUP_MESSAGE: 16, WELCOME: 32, IDENTITY_UPDATE: 32, KEY_PACKAGE: 32, COMMIT_LOG: 16}


class MalformedPayloadError(Exception):
    """An envelope that does not parse or has no lawful topic: REASON_MALFORMED_PAYLOAD (API-230)."""


class Topics:
    """Builds the topic of an envelope and checks the topics that a request names."""

    def of(self, kind: int, identifier: bytes) -> bytes:
        """Return the topic of an envelope; MalformedPayloadError when TOPIC-002 rejects the identifier."""
        if len(identifier) != IDENTIFIER_BYTES[kind]:
            raise MalformedPayloadError(
                f"the identifier has {len(identifier)} bytes where topics of its kind take {IDENTIFIER_BYTES[kind]}"
            )
        return bytes([kind]) + identifier

    def check_named(self, topic: bytes) -> None:
        """Refuse a topic with an unknown kind byte or an identifier of the wrong length (TOPIC-003)."""
        if not topic:
            raise Failure(Code.INVALID_ARGUMENT, "a topic is empty or absent")
        expected = IDENTIFIER_BYTES.get(topic[0])
        if expected is None:
            raise Failure(Code.INVALID_ARGUMENT, f"a topic has the unknown kind byte {topic[0]}")
        if len(topic) - 1 != expected:
            raise Failure(
                Code.INVALID_ARGUMENT,
                f"a topic of kind {topic[0]} has {len(topic) - 1} identifier bytes, not {expected}",
            )
