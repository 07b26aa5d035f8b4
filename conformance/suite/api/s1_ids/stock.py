"""What the tests of this section publish: a topic of its own, and envelopes for it."""

from __future__ import annotations

from conformance.craft.any_kind import Envelope
from conformance.craft.draw import Draw
from conformance.craft.group_message import new_message
from conformance.craft.topics import group_topic


def a_topic_of(draw: Draw, count: int, *, size: int = 32) -> tuple[bytes, list[Envelope]]:
    """Make a new topic and so many different envelopes for it, of about `size` bytes each."""
    group_id = draw.group_id()
    return group_topic(group_id), [new_message(draw, group_id, size=size) for _ in range(count)]
