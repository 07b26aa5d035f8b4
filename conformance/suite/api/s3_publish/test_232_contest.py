"""API-232: one history for each inbox, whoever writes to it at the same moment."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from conformance.craft.draw import Draw
from conformance.craft.identity.entry import encoded_update
from conformance.craft.identity.installation import Installation
from conformance.craft.identity.update import IdentityUpdate, Inbox
from conformance.craft.identity.wallet import Wallet
from conformance.craft.topics import topic_of
from conformance.oracle.absence import one_copy_of_each
from conformance.oracle.identity.directory import Directory
from conformance.oracle.publish import same_where_same
from conformance.oracle.status import ended
from conformance.suite import covers
from conformance.suite.api.s3_publish.contest import CLIENTS, clients, contest, new_recovery, rounds, with_a_welcome
from conformance.suite.api.s3_publish.identity import inbox_of, opened
from conformance.target.deployment import Deployment
from conformance.target.node import Node
from conformance.target.together import together
from conformance.wire.transcript import Code

BOTH = CLIENTS // 2


@covers("API-232.a")
def test_of_conflicting_updates_at_once_one_is_stored(deployment: Deployment, draw: Draw) -> None:
    """API-232.a: an inbox handed over by many clients at once goes to one; of the others' requests nothing stays."""
    with clients(deployment) as nodes:
        for _ in range(rounds()):
            inbox = opened(nodes[0], draw)
            contest(nodes, [new_recovery(inbox, draw) for _ in nodes])


@covers("API-232.a")
def test_of_conflicting_updates_at_two_endpoints_one_is_stored(pair: tuple[Node, Node], draw: Draw) -> None:
    """API-232.a: it makes no difference that the same moment happens at two endpoints."""
    for _ in range(rounds()):
        inbox = opened(pair[0], draw)
        contest(pair * BOTH, [new_recovery(inbox, draw) for _ in range(CLIENTS)])


@covers("API-232.c")
def test_of_first_updates_of_an_inbox_at_once_one_is_stored(deployment: Deployment, draw: Draw) -> None:
    """API-232.c: an inbox that many clients open at once is opened by one of them."""
    with clients(deployment) as nodes:
        for _ in range(rounds()):
            inbox = inbox_of(draw)
            contest(nodes, [with_a_welcome(draw, inbox.create(Installation.drawn(draw))) for _ in nodes])


@covers("API-232.c")
def test_of_first_updates_at_two_endpoints_one_is_stored(pair: tuple[Node, Node], draw: Draw) -> None:
    """API-232.c: nor does an inbox come to be twice through two endpoints."""
    for _ in range(rounds()):
        inbox = inbox_of(draw)
        requests = [with_a_welcome(draw, inbox.create(Installation.drawn(draw))) for _ in range(CLIENTS)]
        contest(pair * BOTH, requests)


@covers("API-232.e")
def test_one_update_of_many_clients_at_once_is_taken_from_all(deployment: Deployment, draw: Draw) -> None:
    """API-232.e: clients that publish one update at the same moment get one receipt; nobody has lost anything."""
    with clients(deployment) as nodes:
        for _ in range(3 * rounds()):
            inbox = opened(nodes[0], draw)
            _all_taken(nodes, inbox.add(Wallet.drawn(draw)))


@covers("API-232.e")
def test_one_update_at_two_endpoints_at_once_is_taken_from_all(pair: tuple[Node, Node], draw: Draw) -> None:
    """API-232.e: nor has anybody lost who published it through another endpoint."""
    for _ in range(3 * rounds()):
        _all_taken(pair * BOTH, inbox_of(draw).create())


@covers("API-232.f")
def test_what_many_clients_wrote_at_once_replays(deployment: Deployment, draw: Draw) -> None:
    """API-232.f: whichever updates of clients that know nothing of each other are stored, the log is in order."""
    with clients(deployment) as nodes:
        for _ in range(rounds()):
            inbox = opened(nodes[0], draw)
            works = [partial(_work, node, _works(inbox, draw)) for node in nodes]
            for answers in together(*works):
                assert answers
            Directory.of(nodes[0].read_all(topic_of(encoded_update(inbox.create()))))


def _works(inbox: Inbox, draw: Draw) -> list[IdentityUpdate]:
    """Make what one client does with an inbox: let somebody in, put them out again, hand the inbox over."""
    friend = Wallet.drawn(draw)
    return [inbox.add(friend), inbox.revoke(friend), inbox.change_recovery(friend), inbox.revoke(inbox.owner)]


def _work(node: Node, updates: Sequence[IdentityUpdate]) -> list[Code]:
    """Publish updates one after the other, whatever becomes of them."""
    calls = [node.publish(encoded_update(update)).call for update in updates]
    for call in calls:
        ended(call, (Code.OK, Code.ABORTED, Code.INVALID_ARGUMENT))
    return [call.status.code for call in calls]


def _all_taken(nodes: Sequence[Node], update: IdentityUpdate) -> None:
    envelope = encoded_update(update)
    answers = together(*(partial(node.publish, envelope) for node in nodes))
    same_where_same([envelope] * len(answers), [meta for answer in answers for meta in answer.metas])
    one_copy_of_each(nodes[0].read_all(topic_of(envelope)), [envelope])
