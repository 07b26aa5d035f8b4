"""API-232: an update is judged by all that was confirmed before it, and by nothing that has changed since."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from itertools import cycle

from conformance.craft.any_kind import new_envelope
from conformance.craft.draw import Draw
from conformance.craft.identity.contract_wallet import ContractWallet
from conformance.craft.identity.entry import encoded_update
from conformance.craft.identity.signer import Signer
from conformance.craft.identity.update import IdentityUpdate, Inbox
from conformance.craft.identity.wallet import Wallet
from conformance.craft.topics import Kind
from conformance.suite import covers
from conformance.suite.api.s3_publish.contest import decided, new_recovery, rounds, with_a_welcome
from conformance.suite.api.s3_publish.identity import inbox_of, opened, written
from conformance.suite.api.s3_publish.judging import admitted
from conformance.target.errors import Undecided
from conformance.target.holding import held_publish
from conformance.target.node import Node
from conformance.target.pool import Pool
from conformance.target.with_chain import WithChain

LOG = 8
FOUND_S = 5.0


@covers("API-232.d")
def test_an_update_builds_on_one_just_confirmed(node: Node, draw: Draw) -> None:
    """API-232.d: each of a line of owners takes an inbox over from the one who was confirmed just before."""
    for _ in range(rounds()):
        _taken_over(node, node, draw=draw)


@covers("API-232.d")
def test_an_update_builds_on_one_confirmed_at_another_endpoint(pair: tuple[Node, Node], draw: Draw) -> None:
    """API-232.d: the same holds when every owner uses another endpoint than the one before."""
    for _ in range(rounds()):
        _taken_over(*pair, draw=draw)


@covers("API-232.b")
def test_an_update_beside_one_that_is_being_stored_loses_or_wins(pool: Pool, draw: Draw) -> None:
    """API-232.b: two conflicting updates, one of which waits in the store: one of them is stored, the other is not."""
    with pool.exclusive() as deployment:
        node, other = deployment.node(), deployment.fresh_node()
        inbox = opened(node, draw)
        ahead, behind = new_recovery(inbox, draw), new_recovery(inbox, draw)
        with held_publish(deployment, *ahead.envelopes) as held:
            second = held.beside(partial(other.publish, *behind.envelopes))
            # while these are stored, the update sent before them is judged by a history that will have grown
            for _ in range(LOG):
                node.publish(new_envelope(draw, Kind.WELCOME)).ok()
        decided(node, [ahead, behind], [held.answer.result(), second.result()])


@covers("API-232.b")
def test_an_update_that_waits_for_its_chain_loses_to_one_that_does_not(chain: WithChain, draw: Draw) -> None:
    """API-232.b: a member lets somebody in, and is put out before the chain has confirmed the signature."""
    inbox, member = inbox_of(draw), ContractWallet.drawn(draw)
    written(chain.node, [encoded_update(inbox.create()), encoded_update(inbox.add(member))])
    slow = with_a_welcome(draw, inbox.add(Wallet.drawn(draw), by=member))
    quick = with_a_welcome(draw, inbox.revoke(member))
    signature = slow.update.actions[0].add.existing_member_signature.erc_6492.signature
    with ThreadPoolExecutor(2) as executor, chain.stub.holding(signature=signature) as hold:
        waiting = executor.submit(chain.node.publish, *slow.envelopes)
        if not hold.wait_until_reached(FOUND_S):
            raise Undecided("The chain was not asked about the signature of the update that should wait for it.")
        first = executor.submit(chain.node.publish, *quick.envelopes)
        if not wait([first], FOUND_S).done or waiting.done():
            raise Undecided("The update that waits for its chain was not overtaken by the one that does not.")
        admitted(first.result())
    decided(chain.node, [slow, quick], [waiting.result(), first.result()])


def _taken_over(*nodes: Node, draw: Draw) -> None:
    """Hand a new inbox on from owner to owner, each through the next of the nodes, and judge that each is heard."""
    inbox = inbox_of(draw)
    turns = cycle(nodes)
    written(next(turns), [encoded_update(inbox.create())])
    for update in _line_of_owners(inbox, draw, min(LOG, nodes[0].limits.max_identity_entries) - 1):
        admitted(next(turns).publish(encoded_update(update)))


def _line_of_owners(inbox: Inbox, draw: Draw, length: int) -> Iterator[IdentityUpdate]:
    """Make updates each of which only the one that the update before names can sign."""
    owner: Signer = inbox.owner
    for _ in range(length):
        heir = Wallet.drawn(draw)
        yield inbox.change_recovery(heir, by=owner)
        owner = heir
