"""API-222: a stored identity update is answered with its receipt whatever has become of its inbox since."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.craft.identity.entry import encoded_update
from conformance.craft.identity.handles import HandlesProfile
from conformance.craft.identity.installation import Installation
from conformance.craft.identity.wallet import Wallet
from conformance.suite import covers
from conformance.suite.api.s3_publish.claiming import HANDLE_TOO_SOON, Claims
from conformance.suite.api.s3_publish.identity import inbox_of, opened, repeated, written
from conformance.target.node import Node


@covers("API-222.e")
def test_an_update_is_repeated_after_its_inbox_has_moved_on(node: Node, draw: Draw) -> None:
    """API-222.e: every update of a log gets its receipt again, also one whose signer has been put out since."""
    inbox, member = inbox_of(draw), Wallet.drawn(draw)
    log = [
        encoded_update(inbox.create(Installation.drawn(draw))),
        encoded_update(inbox.add(member)),
        encoded_update(inbox.add(Wallet.drawn(draw), by=member)),
        encoded_update(inbox.revoke(member)),
        encoded_update(inbox.change_recovery(Wallet.drawn(draw))),
    ]
    room = node.limits.max_identity_entries
    repeated(node, log[:room], written(node, log[:room]))


@covers("API-222.e")
def test_a_claim_is_repeated_though_none_could_be_made_now(node: Node, draw: Draw, handles: HandlesProfile) -> None:
    """API-222.e: a claim gets its receipt again within the pause that it has begun itself."""
    claims, inbox = Claims(node, draw, handles), opened(node, draw)
    claim = claims.encoded(inbox, claims.name())
    receipts = written(node, [claim])
    claims.refuse(inbox, claims.name(), HANDLE_TOO_SOON)
    repeated(node, [claim], receipts)
