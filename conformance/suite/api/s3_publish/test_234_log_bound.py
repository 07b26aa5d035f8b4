"""API-234: an inbox takes max_identity_entries updates and no more."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from conformance.craft.draw import Draw
from conformance.craft.identity.entry import INVALID_IDENTITY_UPDATE, encoded_update
from conformance.craft.identity.installation import Installation
from conformance.craft.identity.update import Inbox
from conformance.craft.identity.wallet import Wallet
from conformance.oracle.absence import nothing_stored, one_copy_of_each
from conformance.oracle.publish import at
from conformance.suite import covers
from conformance.suite.api.s3_publish.identity import inbox_of, joining, opened, repeated, written
from conformance.suite.api.s3_publish.judging import admitted, refused
from conformance.target.errors import Missing
from conformance.target.node import Node
from conformance.wire.transcript import Meta

# what goes beyond this is no test but a load
MOST_ENTRIES = 64
# actions beside the first of an update
FEW = 4
DEEDS: Mapping[str, Callable[[Inbox, Draw], bytes]] = {
    "adds": joining,
    "revokes": lambda inbox, _: encoded_update(inbox.revoke(inbox.owner.identifier)),
    "changes-recovery": lambda inbox, draw: encoded_update(inbox.change_recovery(Wallet.drawn(draw))),
}


def _room(node: Node) -> int:
    """Tell how many updates an inbox takes; raise Missing when that is more than a test can write."""
    most = node.limits.max_identity_entries
    if most > MOST_ENTRIES:
        raise Missing("limits", f"an inbox takes {most} updates here")
    return most


def _filled(node: Node, draw: Draw) -> tuple[Inbox, list[bytes], list[Meta]]:
    """Write an inbox up to its bound, the first update with several actions; its updates and their receipts."""
    inbox = inbox_of(draw)
    opening = encoded_update(inbox.create(*(Installation.drawn(draw) for _ in range(FEW))))
    receipts = written(node, [opening])
    more = [joining(inbox, draw) for _ in range(_room(node) - 1)]
    return inbox, [opening, *more], [*receipts, *written(node, more)]


@covers("API-234.a")
@pytest.mark.parametrize("deed", DEEDS.values(), ids=DEEDS)
def test_a_full_inbox_takes_no_further_update(small: Node, draw: Draw, deed: Callable[[Inbox, Draw], bytes]) -> None:
    """API-234.a: an inbox takes as many updates as are published, refuses one more, and can be read all along."""
    inbox, updates, receipts = _filled(small, draw)
    before = small.read_all(receipts[0].topic)
    one_copy_of_each(before, updates)
    neighbour = joining(opened(small, draw), draw)
    refused(small.publish(neighbour, deed(inbox, draw)), at(1, INVALID_IDENTITY_UPDATE))
    nothing_stored(before, small.read_all(receipts[0].topic))
    admitted(small.publish(neighbour))


@covers("API-234.a")
def test_only_what_is_stored_takes_up_room(small: Node, draw: Draw) -> None:
    """API-234.a: repeats and refused updates of an inbox, and updates of others, leave it its room."""
    inbox, stranger = inbox_of(draw), Wallet.drawn(draw)
    log = [encoded_update(inbox.create())]
    written(small, [log[0], log[0]])
    for _ in range(_room(small) - 1):
        refused(small.publish(encoded_update(inbox.revoke(stranger, by=stranger))), at(0, INVALID_IDENTITY_UPDATE))
        opened(small, draw)
        log.append(joining(inbox, draw))
        written(small, [log[-1], log[-1]])
    refused(small.publish(joining(inbox, draw)), at(0, INVALID_IDENTITY_UPDATE))


@covers("API-234.b", "API-222.e")
def test_the_updates_of_a_full_inbox_can_be_repeated(small: Node, draw: Draw) -> None:
    """API-234.b, API-222.e: each update of a full inbox is answered with its receipt, and none is stored twice."""
    _, updates, receipts = _filled(small, draw)
    repeated(small, updates, receipts)
    one_copy_of_each(small.read_all(receipts[0].topic), updates)
