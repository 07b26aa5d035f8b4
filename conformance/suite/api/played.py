"""What a real client sent, sent once more: to a target that holds none of it yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conformance.craft.real_client import Line, real_client_lines, requests
from conformance.craft.topics import Kind
from conformance.oracle.publish import admitted
from conformance.target.errors import Missing, Undecided
from conformance.target.node import Node
from conformance.wire.transcript import Meta


def lines_of(kind: Kind, *, part: int = 0, parts: int = 1) -> tuple[Line, ...]:
    """Pick the lines of a kind, or those of every `parts`-th topic of it, beginning with number `part`.

    Two cases that play the same topics would find them filled by each other.
    """
    lines = real_client_lines(kind)
    topics = list(dict.fromkeys(line.topic for line in lines))[part::parts]
    return tuple(line for line in lines if line.topic in topics)


def played(node: Node, lines: Sequence[Line]) -> Mapping[Line, Meta]:
    """Publish lines in the requests they left the client in, judge that all are taken, and return their receipts.

    Raises Missing when an envelope or a request exceeds a published bound, and Undecided when the target holds the
    first line's topic already: then nothing it answers tells what it makes of new envelopes.
    """
    longest = max(len(line.envelope) for line in lines)
    if longest > node.limits.max_envelope_bytes:
        raise Missing("limits", f"a real client's envelope of {longest} bytes exceeds max_envelope_bytes")
    widest = max(len({line.topic for line in together}) for together in requests(lines))
    if widest > node.limits.max_publish_topics:
        raise Missing("limits", f"a real client's request of {widest} topics exceeds max_publish_topics")
    if node.read_all(lines[0].topic):
        raise Undecided("What the real client sent is already stored: this case needs a target that has not seen it.")
    receipts: dict[Line, Meta] = {}
    for together in requests(lines):
        answer = node.publish(*(line.envelope for line in together))
        admitted(answer.call, answer.failure)
        receipts.update(zip(together, answer.metas, strict=True))
    return receipts
