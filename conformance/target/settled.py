"""Every read of a topic that holds one envelope, once the reads that may lag have caught up (API section 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakSet

from conformance.target.errors import Undecided
from conformance.target.patience import PATIENCE_S, until

if TYPE_CHECKING:
    from conformance.target.answers import Newest
    from conformance.target.node import Node
    from conformance.wire.channel import Connection
    from conformance.wire.transcript import Seen

# Seconds. To wait the whole time in each of many cases would take many minutes.
_LITTLE_S = 0.1
_GIVEN_UP: WeakSet[Connection] = WeakSet()


def settled_newest(node: Node, *topics: bytes, full: bool = False) -> Newest:
    """Ask QueryNewest until one answer has as many results as there are distinct `topics`, and return that answer.

    Each topic has to hold exactly one envelope: then the first result is the last word. Raises Undecided when
    QueryNewest does not come to show them all; of an endpoint that was given up on once little is expected later.
    """
    wanted, patience_s = len(set(topics)), _LITTLE_S if node.connection in _GIVEN_UP else PATIENCE_S
    answer = until(
        lambda: node.newest(*topics, full=full), lambda given: len(given.results) >= wanted, patience_s=patience_s
    )
    if len(answer.results) < wanted:
        _GIVEN_UP.add(node.connection)
        raise Undecided(f"QueryNewest still showed nothing of a topic {patience_s:g} s after it was published to.")
    return answer


def sightings(node: Node, topic: bytes) -> tuple[Seen, ...]:
    """Return what every read shows of a topic that holds one envelope: Query, and QueryNewest in both forms.

    Raises what the reads raise, and Undecided when QueryNewest does not come to show it.
    """
    newest = (settled_newest(node, topic, full=full).results for full in (False, True))
    return (*node.read_all(topic), *(seen for results in newest for seen in results))
