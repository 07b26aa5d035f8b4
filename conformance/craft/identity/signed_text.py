"""The one text that every signature of an update is made over (IDENT section 3)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

_SIGNED_64 = 1 << 63
_NANOSECONDS = 1_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# the two lines of an action: what it does, and to whom
Lines = tuple[str, str]


def signed_text(inbox_id: str, client_timestamp_ns: int, actions: Iterable[Lines]) -> str:
    """Write the text of an update with these actions, each given by its two lines."""
    lines = [line for action in actions for line in action]
    return "\n".join(
        [
            "XMTP : Authenticate to inbox",
            "",
            f"Inbox ID: {inbox_id}",
            f"Current time: {shown_time(client_timestamp_ns)}",
            "",
            *lines,
            "",
            "For more info: https://xmtp.org/signatures",
        ]
    )


def shown_time(client_timestamp_ns: int) -> str:
    """Write a time in nanoseconds since the epoch, read as a signed 64-bit number, to the whole second below."""
    signed = client_timestamp_ns - 2 * _SIGNED_64 if client_timestamp_ns >= _SIGNED_64 else client_timestamp_ns
    return (_EPOCH + timedelta(seconds=signed // _NANOSECONDS)).strftime("%Y-%m-%dT%H:%M:%SZ")


def lines(phrase: str, label: str, identifier: str) -> Lines:
    """Write the two lines of an action."""
    return f"- {phrase}", f"  ({label}: {identifier})"
