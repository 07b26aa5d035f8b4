"""API-254: a stream whose client does not read fails after an unbroken beginning, or delivers everything later."""

from __future__ import annotations

import pytest

from conformance.craft.draw import Draw
from conformance.oracle.violation import Undecidable, Violation
from conformance.suite import Notes, covers
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.target.errors import Undecided
from conformance.target.node import Node
from conformance.target.patience import until
from conformance.target.streams import Subscription
from conformance.wire.transcript import Code

LIVE_BYTES = 24 << 20  # more than any stream is known to hold for its client
LONG_BYTES = 900_000
MOST = 200
AT_A_TIME = 10
GLANCE_S = 0.02
# A client that reads leaves no frame for so long, in seconds.
STALLED_S = 1.0
# Codes of the status table that tell of the backend or its surroundings and not of this client.
_ENVIRONMENT = (Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED, Code.UNAUTHENTICATED, Code.PERMISSION_DENIED)


@covers("API-254.f")
@pytest.mark.usefixtures("unhurried")
def test_a_stream_that_is_not_read_breaks_off_or_delivers_all(node: Node, draw: Draw, notes: Notes) -> None:
    """API-254.f: behind 24 MiB that nobody reads a stream ends RESOURCE_EXHAUSTED, or leaves nothing out."""
    traffic = Traffic(node, draw)
    topic = traffic.stocked(3)
    size = min(LONG_BYTES, node.limits.max_envelope_bytes)
    with node.subscribe_unread() as stream:
        stream.add(topic)
        stream.until(topic, traffic.last_of(topic))
        for _ in range(min(MOST, LIVE_BYTES // size) // AT_A_TIME + 1):
            traffic.publish(*traffic.envelopes(topic, AT_A_TIME, size=size))
        stream.watch(STALLED_S)
        stream.read_on()
        traffic.publish(*traffic.envelopes(topic, 1))
        if catches_up(stream, topic, traffic.last_of(topic)):
            notes.add("A stream that was not read for 24 MiB has gone on when it was read again.")
        traffic.judge(stream, "API-254.f", "wrong-code")


def catches_up(stream: Subscription, topic: bytes, last: int) -> bool:
    """Tell whether a stream comes to deliver an id; raise a Violation when it ends otherwise than for its client."""

    def there() -> bool:
        return any(row.meta.sequence_id == last for row in stream.rows_of(topic))

    until(lambda: not stream.watch(GLANCE_S) or there(), bool, patience_s=stream.patience_s)
    status = stream.call.status
    if status is None:
        stream.until(topic, last)
        return True
    if status.local:
        raise Undecided("The stream that was not read ended, but not by the target.")
    if status.code in _ENVIRONMENT:
        raise Undecidable(f"A stream that is not read was ended {status.code.name}, which says nothing of its reader")
    if status.code is not Code.RESOURCE_EXHAUSTED:
        raise Violation("wrong-code", f"A stream that is not read ended {status.code.name}, not RESOURCE_EXHAUSTED.")
    return False
