"""API-231: a chain that cannot be asked is an outage, which is retried; only a verdict makes a signature invalid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest

from conformance.craft.any_kind import new_envelope
from conformance.craft.draw import Draw
from conformance.craft.identity.contract_wallet import ContractWallet
from conformance.craft.identity.entry import BACKEND, WrongUpdate, encoded_update
from conformance.craft.identity.update import Inbox
from conformance.craft.identity.updates import WRONG_UPDATES
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.absence import nothing_stored
from conformance.oracle.outage import no_verdict
from conformance.oracle.publish import at
from conformance.suite import Notes, covers
from conformance.suite.api.s3_publish.identity import (
    in_good_health,
    on_chain,
    only_these,
    opened,
    rejected_by,
    topics_in,
    unknown_chain,
    verifying,
    written,
)
from conformance.suite.api.s3_publish.judging import Envelope, refused, stored, topics_of
from conformance.target.chain.answers import (
    INTERNAL_ERROR,
    LIMIT_EXCEEDED,
    Answer,
    ClosedSocket,
    Garbage,
    HttpStatus,
    RpcError,
    Rule,
)
from conformance.target.chain.stub import ChainStub
from conformance.target.node import Node
from conformance.target.pool import Pool
from conformance.target.with_chain import WithChain, with_chain
from conformance.wire.transcript import Code

# codes 3, -32000 and -32015 can mean a revert, which is a verdict
ANSWERS: Mapping[str, Answer] = {
    "http-500": HttpStatus(status=500),
    "closed-socket": ClosedSocket(),
    "internal-error": RpcError(code=INTERNAL_ERROR),
    "limit-exceeded": RpcError(code=LIMIT_EXCEEDED),
    "no-json": Garbage(),
}
Outage = Callable[[ChainStub, ContractWallet], Rule]


def _of_the_chain(how: Answer) -> Outage:
    return lambda stub, _: stub.fails(how)


def _of_questions(how: Answer) -> Outage:
    """Let the chain tell its blocks, and fail only where it is asked about the account."""
    return lambda stub, contract: stub.fails(how, account=contract.wallet.address)


OUTAGES: Mapping[str, Outage] = {
    **{name: _of_the_chain(how) for name, how in ANSWERS.items()},
    **{f"{name}-to-questions": _of_questions(ANSWERS[name]) for name in ("http-500", "internal-error")},
}
each_outage = pytest.mark.parametrize("outage", OUTAGES.values(), ids=OUTAGES)


def _joins(node: Node, draw: Draw, contract: ContractWallet) -> bytes:
    return encoded_update(opened(node, draw).add(contract))


def _opens(_node: Node, _draw: Draw, contract: ContractWallet) -> bytes:
    return encoded_update(Inbox(contract).create())


@pytest.fixture
def hung(pool: Pool) -> Iterator[WithChain]:
    """A deployment with a short limit for a publish, on a chain that answers nothing, and says nothing at the end."""
    with with_chain(pool, name="hasty-chain") as found:
        found.stub.fails(ClosedSocket())
        yield found


@covers("API-231.a")
@each_outage
@pytest.mark.parametrize("make", [_joins, _opens], ids=["joining", "opening"])
def test_a_publish_is_unavailable_while_the_chain_fails(
    chain: WithChain, draw: Draw, make: Callable[[Node, Draw, ContractWallet], bytes], outage: Outage
) -> None:
    """API-231.a: in an outage a publish is UNAVAILABLE and stores nothing; the same bytes are taken after it."""
    node, contract = chain.node, ContractWallet.drawn(draw)
    sent: list[Envelope | bytes] = [new_envelope(draw, Kind.GROUP_MESSAGE), make(node, draw, contract)]
    before = node.envelopes_on(*topics_of(*sent))
    failing = outage(chain.stub, contract)
    answer = node.publish(*sent)
    no_verdict(answer.call, answer.failure)
    nothing_stored(before, node.envelopes_on(*topics_of(*sent)))
    chain.stub.drop(failing)
    stored(node, in_good_health(node, sent), sent)


@covers("API-231.a")
def test_a_publish_is_not_judged_while_the_chain_hangs(hung: WithChain, draw: Draw) -> None:
    """API-231.a: a chain that never answers ends a publish as an outage, or by its time limit."""
    node, good = hung.node, new_envelope(draw, Kind.GROUP_MESSAGE)
    sent: list[Envelope | bytes] = [good, _joins(node, draw, ContractWallet.drawn(draw))]
    before = node.envelopes_on(*topics_of(*sent))
    with hung.stub.holding():
        answer = node.publish(*sent)
    no_verdict(answer.call, answer.failure, hung=True)
    nothing_stored(before, node.envelopes_on(*topics_of(*sent)))
    hung.stub.forget()
    stored(node, in_good_health(node, sent), sent)


@covers("API-231.b")
@each_outage
@pytest.mark.parametrize("at_block", [True, False], ids=["at-a-block", "at-the-latest"])
def test_a_verification_is_unavailable_while_the_chain_fails(
    chain: WithChain, draw: Draw, at_block: bool, outage: Outage
) -> None:
    """API-231.b: in an outage VerifySmartContractWalletSignatures is UNAVAILABLE; after it there is a verdict."""
    contract = ContractWallet.drawn(draw)
    request = verifying(contract, at_block=at_block)
    failing = outage(chain.stub, contract)
    no_verdict(chain.node.verify_wallets(request).call)
    chain.stub.drop(failing)
    assert [each.is_valid for each in chain.node.verify_wallets(request).response.responses] == [True]


@covers("API-231.b")
def test_a_verification_is_unavailable_while_the_chain_hangs(hung: WithChain, draw: Draw) -> None:
    """API-231.b: a chain that never answers is an outage for VerifySmartContractWalletSignatures too."""
    request = verifying(ContractWallet.drawn(draw))
    with hung.stub.holding():
        no_verdict(hung.node.verify_wallets(request).call)
    hung.stub.forget()
    assert [each.is_valid for each in hung.node.verify_wallets(request).response.responses] == [True]


@covers("API-231.c")
@pytest.mark.parametrize("wrong", on_chain(each for each in WRONG_UPDATES.values() if each.clause == BACKEND), ids=str)
def test_a_signature_that_the_chain_rejects_is_invalid(chain: WithChain, draw: Draw, wrong: WrongUpdate) -> None:
    """API-231.c: a verdict against a signature is no outage: the update is refused, whoever the signer is in it."""
    good, situation = new_envelope(draw, Kind.GROUP_MESSAGE), wrong.build(draw)
    written(chain.node, situation.before)
    answer = rejected_by(chain.stub, situation, lambda: chain.node.publish(good, situation.broken))
    refused(answer, at(1, *wrong.reasons))
    only_these(chain.node, topic_of(good), *topics_in(situation), sent=situation.before)
    stored(chain.node, chain.node.publish(good, situation.twin), [good, situation.twin])


@covers("API-231.d")
def test_an_account_on_an_unknown_chain_cannot_be_judged(node: Node, draw: Draw, notes: Notes) -> None:
    """API-231.d: of a chain that the deployment does not name there is no verdict; a publish is only noted."""
    contract = ContractWallet.drawn(draw, chain_id=unknown_chain(node, draw))
    no_verdict(node.verify_wallets(verifying(contract)).call)
    answer = node.publish(_opens(node, draw, contract))
    if answer.status.code is not Code.UNAVAILABLE:
        notes.add(f"A publish with an account on a chain that is not configured ends {answer.status.code.name}.")
