"""API-233: a request holds at most one new update of an inbox: the second needs a history with the first in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from conformance.craft.any_kind import new_envelope
from conformance.craft.draw import Draw
from conformance.craft.encodings import encodings
from conformance.craft.identity.entry import INVALID_IDENTITY_UPDATE, encoded_update
from conformance.craft.identity.installation import Installation
from conformance.craft.identity.update import Inbox, identity_envelope
from conformance.craft.identity.wallet import Wallet
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.absence import nothing_stored, one_copy_of_each
from conformance.oracle.metadata import same_receipt
from conformance.oracle.publish import at, same_where_same
from conformance.suite import Notes, covers
from conformance.suite.api.s3_publish.identity import inbox_of, joining, only_these, opened, written
from conformance.suite.api.s3_publish.judging import admitted, placed, refused, stored, topics_of
from conformance.target.node import Node
from conformance.wire.transcript import Code

each_place = pytest.mark.parametrize("place", [0, 1], ids=["first", "second"])
Pair = Callable[[Node, Draw], tuple[bytes, bytes]]


def _both_join(node: Node, draw: Draw) -> tuple[bytes, bytes]:
    inbox = opened(node, draw)
    return joining(inbox, draw), joining(inbox, draw)


def _builds_on_it(node: Node, draw: Draw) -> tuple[bytes, bytes]:
    inbox, device = opened(node, draw), Installation.drawn(draw)
    return encoded_update(inbox.add(device)), encoded_update(inbox.add(Wallet.drawn(draw), by=device))


def _at_other_seconds(node: Node, draw: Draw) -> tuple[bytes, bytes]:
    inbox, stranger = opened(node, draw), Wallet.drawn(draw)
    return encoded_update(inbox.revoke(stranger)), encoded_update(inbox.revoke(stranger))


def _opens_and_joins(_: Node, draw: Draw) -> tuple[bytes, bytes]:
    inbox = inbox_of(draw)
    return encoded_update(inbox.create()), joining(inbox, draw)


PAIRS: Mapping[str, Pair] = {
    "both-join": _both_join,
    "second-builds-on-first": _builds_on_it,
    "same-deed-at-other-seconds": _at_other_seconds,
    "opens-and-joins": _opens_and_joins,
}
each_pair = pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)


@covers("API-233.a")
@each_pair
@pytest.mark.parametrize("between", [0, 1], ids=["adjacent", "apart"])
def test_two_new_updates_of_an_inbox_fail_their_request(
    node: Node, draw: Draw, notes: Notes, pair: Pair, between: int
) -> None:
    """API-233.a: two different updates of one inbox are refused, though one request after the other takes both."""
    first, second = pair(node, draw)
    others = [joining(opened(node, draw), draw), *(joining(opened(node, draw), draw) for _ in range(between))]
    sent = [others[0], first, *others[1:], second]
    before = node.envelopes_on(*topics_of(*sent))
    answer = node.publish(*sent)
    refused(answer, at(len(sent) - 1, INVALID_IDENTITY_UPDATE), at(1, INVALID_IDENTITY_UPDATE))
    if answer.failure is not None and answer.failure.index == 1:
        notes.add("Of two updates of one inbox the refusal names the first.")
    nothing_stored(before, node.envelopes_on(*topics_of(*sent)))
    written(node, [first, second])


@covers("API-233.b")
def test_an_update_may_stand_in_a_request_twice(node: Node, draw: Draw) -> None:
    """API-233.b: the same update again, side by side or apart, is a duplicate and no second one."""
    opening, good = encoded_update(inbox_of(draw).create()), new_envelope(draw, Kind.GROUP_MESSAGE)
    same_where_same([0, 0, 1, 0], node.publish(opening, opening, good, opening).metas)
    one_copy_of_each(node.read_all(topic_of(opening)), [opening])


@covers("API-233.b")
def test_an_update_may_stand_in_a_request_in_every_encoding(node: Node, draw: Draw) -> None:
    """API-233.b: another encoding of an update is the same update."""
    update = identity_envelope(inbox_of(draw).create(Installation.drawn(draw)))
    forms = [encoded_update(update.identity_update), *encodings(update).values()]
    answer = node.publish(*forms)
    admitted(answer)
    same_where_same([0] * len(forms), answer.metas)
    one_copy_of_each(node.read_all(topic_of(update)), forms[:1])


@covers("API-233.c")
def test_updates_of_several_inboxes_stand_in_one_request(node: Node, draw: Draw) -> None:
    """API-233.c: inboxes are opened and continued in one request, also those that share a wallet and a device."""
    owner, device = Wallet.drawn(draw), Installation.drawn(draw)
    opening = [encoded_update(Inbox(owner, nonce=nonce).create(device)) for nonce in range(3)]
    joining_others = [joining(opened(node, draw), draw) for _ in range(2)]
    sent = [*opening, *joining_others]
    stored(node, node.publish(*sent), sent)


@covers("API-233.d")
@each_place
def test_a_stored_update_beside_a_new_one_of_its_inbox(node: Node, draw: Draw, notes: Notes, place: int) -> None:
    """API-233.d: either both have their receipts, or the new one is refused as a second update of its inbox."""
    inbox = inbox_of(draw)
    old, new = encoded_update(inbox.create()), joining(inbox, draw)
    (receipt,) = written(node, [old])
    answer = node.publish(*placed([old], new, place))
    if answer.status.code is Code.INVALID_ARGUMENT:
        refused(answer, at(place, INVALID_IDENTITY_UPDATE))
        only_these(node, receipt.topic, sent=[old])
        notes.add("A stored update beside a new one of its inbox fails the request.")
        return
    admitted(answer)
    same_receipt(receipt, answer.metas[1 - place], where="The receipt of the stored update")
    one_copy_of_each(node.read_all(receipt.topic), [old, new])
    same_where_same([0, 1], [receipt, answer.metas[place]])


@covers("API-233.e")
def test_two_stored_updates_of_an_inbox_are_repeated_in_one_request(node: Node, draw: Draw, notes: Notes) -> None:
    """API-233.e: duplicates are no new updates, so both are answered with what is stored, in either order."""
    inbox = inbox_of(draw)
    sent: Sequence[bytes] = [encoded_update(inbox.create()), joining(inbox, draw)]
    receipts = written(node, sent)
    for order in ((0, 1), (1, 0)):
        answer = node.publish(*(sent[index] for index in order))
        if answer.status.code is Code.INVALID_ARGUMENT:
            refused(answer, *(at(index, INVALID_IDENTITY_UPDATE) for index in range(len(sent))))
            notes.add("Two stored updates of one inbox fail a request that repeats both.")
        else:
            admitted(answer)
            same_where_same([0, 1, *order], [*receipts, *answer.metas])
        one_copy_of_each(node.read_all(receipts[0].topic), sent)
        only_these(node, receipts[0].topic, sent=sent)
