"""API-281: how many signatures of contract wallets one update, and one verification, may have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from conformance.craft.any_kind import new_envelope
from conformance.craft.draw import Draw
from conformance.craft.identity.contract_wallet import ContractWallet
from conformance.craft.identity.entry import encoded_update
from conformance.craft.identity.update import Inbox
from conformance.craft.identity.wallet import Wallet
from conformance.craft.topics import Kind
from conformance.oracle.absence import nothing_stored
from conformance.oracle.publish import TOO_LARGE, at
from conformance.suite import covers
from conformance.suite.api.s3_publish.judging import placed, refused, stored, topics_of
from conformance.suite.api.s6_identity.questions import Question, Request, question, verified
from conformance.suite.api.s7_bounds.calls import RPCS, fails
from conformance.target.errors import Missing
from conformance.target.node import Node
from conformance.target.pool import Pool
from conformance.target.with_chain import with_chain
from conformance.wire.transcript import Call, Code

# what goes beyond this is no test but a load
MOST_SIGNATURES = 128


@pytest.fixture
def asking(pool: Pool) -> Iterator[Node]:
    """An endpoint that has a chain to ask, for few signatures at a time."""
    with with_chain(pool, name="small-chain") as found:
        if found.node.limits.max_scw_signatures > MOST_SIGNATURES:
            raise Missing("limits", f"max_scw_signatures is {found.node.limits.max_scw_signatures} here")
        yield found.node


def signed_by(draw: Draw, count: int) -> bytes:
    """Open an inbox for a wallet and so many contract wallets, each of which signs once."""
    inbox = Inbox(Wallet.drawn(draw))
    members = [inbox.addition(ContractWallet.drawn(draw)) for _ in range(count)]
    return encoded_update(inbox.update(inbox.creation(), *members))


def lets_in(inbox: Inbox, draw: Draw, members: Sequence[ContractWallet]) -> bytes:
    """Have each of these members let a wallet in."""
    return encoded_update(inbox.update(*(inbox.addition(Wallet.drawn(draw), by=member) for member in members)))


@covers("API-281.j")
@pytest.mark.parametrize("place", [0, 1])
def test_an_update_has_as_many_signatures_of_contract_wallets_as_it_may(asking: Node, draw: Draw, place: int) -> None:
    """API-281.j: max_scw_signatures of them are taken, one more is TOO_LARGE at its index and stores nothing."""
    good, most = [new_envelope(draw, Kind.GROUP_MESSAGE)], asking.limits.max_scw_signatures
    above, within = signed_by(draw, most + 1), signed_by(draw, most)
    refused(asking.publish(*placed(good, above, place)), at(place, TOO_LARGE))
    nothing_stored((), asking.envelopes_on(*topics_of(*good, above)))
    whole = placed(good, within, place)
    stored(asking, asking.publish(*whole), whole)


@covers("API-281.j")
def test_the_signatures_of_contract_wallets_that_are_members_count(asking: Node, draw: Draw) -> None:
    """API-281.j: max_scw_signatures members that are contract wallets may let somebody in at once, one more may not."""
    inbox = Inbox(Wallet.drawn(draw))
    members = [ContractWallet.drawn(draw) for _ in range(asking.limits.max_scw_signatures + 1)]
    before = [encoded_update(inbox.create(*members[1:])), encoded_update(inbox.add(members[0]))]
    for update in before:
        stored(asking, asking.publish(update), [update])
    above, within = (lets_in(inbox, draw, each) for each in (members, members[1:]))
    shown = asking.envelopes_on(*topics_of(*before))
    refused(asking.publish(above), at(0, TOO_LARGE))
    nothing_stored(shown, asking.envelopes_on(*topics_of(*before)))
    stored(asking, asking.publish(within), [within])


@covers("API-281.j")
def test_the_signatures_of_each_update_count_for_themselves(asking: Node, draw: Draw) -> None:
    """API-281.j: two updates of one request have max_scw_signatures each."""
    both = [signed_by(draw, asking.limits.max_scw_signatures) for _ in range(2)]
    stored(asking, asking.publish(*both), both)


@covers("API-281.c")
@pytest.mark.parametrize("repeated", [False, True], ids=["different", "repeated"])
def test_a_verification_has_as_many_signatures_as_it_may(asking: Node, draw: Draw, repeated: bool) -> None:
    """API-281.c: max_scw_signatures entries are answered, one more refused, also where all entries are one."""
    most = asking.limits.max_scw_signatures
    one = [question(draw)]
    asked = one * (most + 1) if repeated else [question(draw) for _ in range(most + 1)]
    verified(asking, *asked[1:])
    fails(asking, draw, RPCS["verification"], lambda: verify(asking, asked), Code.INVALID_ARGUMENT)


def verify(node: Node, questions: list[Question]) -> Call:
    """Ask for verdicts, however many."""
    request = Request()
    for one in questions:
        request.signatures.add(account_id=one.account, hash=one.hash, signature=one.signature)
    return node.verify_wallets(request).call
