"""API-281: a client that does not read is ended, and nobody beside it suffers."""

from __future__ import annotations

import pytest

from conformance.craft.draw import Draw
from conformance.suite import Notes, covers
from conformance.suite.api.s5_subscribe.endings import ended, lives
from conformance.suite.api.s5_subscribe.kinds import STATIC, SUBSCRIBE
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.target.errors import Undecided
from conformance.target.node import Node
from conformance.target.stream_opening import UnreadSubscription
from conformance.target.streams import Stream
from conformance.wire.transcript import Code

# More than any stream is known to hold back for its client; bytes.
VOLUME_BYTES = 24 * 1024 * 1024
# So long a client that reads leaves no frame; seconds.
STALLED_S = 1.0
LOOK_S = 0.1
LOOKS = 200


def read_to_the_end(unread: UnreadSubscription, topic: bytes, last: int, *, beside: Stream, notes: Notes) -> None:
    """Read what waits until the stream ends or has delivered it all, and judge that it may end so."""
    for _ in range(LOOKS):
        if not unread.watch(LOOK_S) or last in {row.meta.sequence_id for row in unread.rows_of(topic)}:
            break
    status = unread.call.status
    if status is None:
        unread.until(topic, last)
        notes.add(
            "A stream that was not read for a while delivered everything afterwards: it holds more than was sent."
        )
    elif status.code is Code.DEADLINE_EXCEEDED:
        raise Undecided("The stream that was not read ended for a Ping that its client may not have read either.")
    else:
        ended(unread, beside, Code.RESOURCE_EXHAUSTED)


@covers("API-281.h")
@pytest.mark.usefixtures("unhurried")
def test_a_client_that_does_not_read_harms_nobody_else(node: Node, draw: Draw, notes: Notes) -> None:
    """API-281.h: a stream that is not read ends RESOURCE_EXHAUSTED behind an unbroken beginning, or delivers all.

    Streams for the same topic and for another one deliver everything meanwhile.
    """
    traffic = Traffic(node, draw)
    topic, other = traffic.topics(2)
    size = min(node.limits.max_envelope_bytes, VOLUME_BYTES)
    with node.subscribe_unread() as unread, SUBSCRIBE.open(node, topic) as same, STATIC.open(node, other) as static:
        number = unread.add(topic)
        lives(unread, same, lambda: unread.applied(number))
        traffic.publish_one_by_one(traffic.envelopes(topic, -(-VOLUME_BYTES // size), size=size))
        unread.watch(STALLED_S)
        traffic.arrive([topic], same)
        traffic.arrive([other], static)
        unread.read_on()
        (last,) = traffic.publish(*traffic.envelopes(topic, 1))
        read_to_the_end(unread, topic, last.sequence_id, beside=static, notes=notes)
        for stream in (unread, same, static):
            traffic.judge(stream, "API-254")
