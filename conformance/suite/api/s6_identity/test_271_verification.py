"""API-271: the backend asks a chain about each signature, and answers with its verdict and the block of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.oracle.identity.wallet_verdicts import blocks
from conformance.oracle.status import ENVIRONMENT, ended
from conformance.suite import Notes, covers
from conformance.suite.api.s6_identity.questions import (
    Question,
    ask,
    question,
    verified,
    without_account,
    without_last_byte,
)
from conformance.target.chain.answers import Answer, ClosedSocket, Garbage, HttpStatus, RpcError
from conformance.target.node import Node
from conformance.target.with_chain import WithChain
from conformance.wire.transcript import Code

OUTAGES: dict[str, Answer] = {
    "internal-error": RpcError(),
    "limit-exceeded": RpcError(code=-32005, message="limit exceeded"),
    "http-500": HttpStatus(status=500),
    "garbage": Garbage(),
    "closed-socket": ClosedSocket(),
}
NO_ACCOUNTS = {
    "empty": "",
    "chain-alone": "eip155:31337",
    "address-alone": "{address}",
    "four-parts": "eip155:31337:{address}:1",
    "namespace-too-short": "ei:31337:{address}",
    "namespace-in-capitals": "EIP155:31337:{address}",
    "no-reference": "eip155::{address}",
    "no-address": "eip155:31337:",
    "space-within": "eip155:31337: {address}",
    "newline-behind": "eip155:31337:{address}\n",
}
SHAPED_ONLY = {"no-ethereum-address": "eip155:31337:0xab", "leading-zero": "eip155:01:{address}"}
no_verdict = ENVIRONMENT - {Code.UNAVAILABLE}
malformed = pytest.mark.parametrize("broken", [without_account, without_last_byte], ids=["account", "hash"])
Break = Callable[[Question], Question]


@covers("API-271.a")
@given(plan=st.lists(st.tuples(st.booleans(), st.none() | st.integers(0, 1000)), min_size=1, max_size=6))
def test_each_signature_has_its_verdict_and_its_block(
    chain: WithChain, draw: Draw, plan: list[tuple[bool, int | None]]
) -> None:
    """API-271.a: valid and invalid signatures, at a block or the latest, are answered in their order with the block."""
    asked = [question(draw, valid=valid).at(block) for valid, block in plan]
    answer = verified(chain.node, *asked)
    blocks(answer.response, [chain.stub.head if one.block is None else one.block for one in asked])


@covers("API-271.a")
def test_a_question_asked_twice_is_answered_twice(chain: WithChain, draw: Draw) -> None:
    """API-271.a: repeated entries keep their places, also where they differ in nothing but the block."""
    one, other = question(draw), question(draw, valid=False)
    asked = [one, other, one.at(0), one, other.at(chain.stub.head)]
    answer = verified(chain.node, *asked)
    blocks(answer.response, [chain.stub.head if each.block is None else each.block for each in asked])


@covers("API-271.b")
@pytest.mark.parametrize("place", [0, 1, 2])
def test_an_invalid_signature_is_a_verdict(chain: WithChain, draw: Draw, place: int) -> None:
    """API-271.b: an invalid signature before, between and behind valid ones is answered, and so are they."""
    verified(chain.node, *(question(draw, valid=number != place) for number in range(3)))


@covers("API-271.b")
def test_nothing_but_invalid_signatures_is_answered(chain: WithChain, draw: Draw) -> None:
    """API-271.b: an invalid signature alone is answered, and so is one of the right key that the chain rejects."""
    verified(chain.node, question(draw, valid=False))
    told = question(draw)
    chain.stub.says(False, account=told.address)
    verified(chain.node, replace(told, valid=False))


@covers("API-271.c")
@pytest.mark.parametrize("form", NO_ACCOUNTS.values(), ids=NO_ACCOUNTS)
def test_an_account_that_is_none_fails_the_request(node: Node, draw: Draw, form: str) -> None:
    """API-271.c: a text that is no CAIP-10 account is refused, whether there is a chain to ask or not."""
    right = question(draw)
    ended(ask(node, replace(right, account=form.replace("{address}", right.address))).call, (Code.INVALID_ARGUMENT,))


@covers("API-271.c")
@pytest.mark.parametrize("size", [0, 1, 31, 33, 64])
def test_a_hash_of_another_length_fails_the_request(chain: WithChain, draw: Draw, size: int) -> None:
    """API-271.c: a hash that is not 32 bytes is refused, and the same question with its own hash is answered."""
    right = question(draw)
    answer = ask(chain.node, replace(right, hash=bytes(size)))
    ended(answer.call, (Code.INVALID_ARGUMENT,), environment=no_verdict)
    verified(chain.node, right)


@covers("API-271.c")
@pytest.mark.parametrize("place", [0, 1, 2])
@malformed
def test_one_malformed_entry_fails_the_others(chain: WithChain, draw: Draw, broken: Break, place: int) -> None:
    """API-271.c: among entries that are answered without it, a malformed one fails the request."""
    good = [question(draw) for _ in range(2)]
    verified(chain.node, *good)
    good.insert(place, broken(question(draw)))
    ended(ask(chain.node, *good).call, (Code.INVALID_ARGUMENT,), environment=no_verdict)


@covers("API-271.c")
@pytest.mark.parametrize("form", SHAPED_ONLY.values(), ids=SHAPED_ONLY)
def test_an_account_that_has_only_the_shape_of_one_may_be_refused(
    node: Node, draw: Draw, notes: Notes, form: str
) -> None:
    """API-271.c: an account of CAIP-10's shape that cannot exist on its chain has no verdict; how it ends is noted."""
    right = question(draw)
    account = form.replace("{address}", right.address)
    answer = ask(node, replace(right, account=account))
    ended(answer.call, (Code.INVALID_ARGUMENT, Code.UNAVAILABLE, Code.OK), environment=no_verdict)
    shown = form.replace("{address}", "ADDRESS")
    notes.add(f"A verification for the account {shown} ends {answer.status.code.name}.")


@covers("API-271.d")
@pytest.mark.parametrize("how", OUTAGES.values(), ids=OUTAGES)
def test_one_verdict_that_cannot_be_had_fails_the_request(chain: WithChain, draw: Draw, how: Answer) -> None:
    """API-271.d: while the chain fails for one account, the request ends UNAVAILABLE; for the others it is answered."""
    others, lost = [question(draw), question(draw, valid=False)], question(draw)
    outage = chain.stub.fails(how, account=lost.address)
    for place in range(3):
        asked = [*others[:place], lost, *others[place:]]
        ended(ask(chain.node, *asked).call, (Code.UNAVAILABLE,), environment=no_verdict)
    verified(chain.node, *others)
    chain.stub.drop(outage)
    verified(chain.node, *others, lost)


@covers("API-271.e")
def test_the_verdict_is_that_of_the_block_asked_at(chain: WithChain, draw: Draw) -> None:
    """API-271.e: an account that changes its mind at a block is answered as it was at each block asked for."""
    asked, head = [], chain.stub.head
    for valid in (True, False):
        account, block = question(draw, valid=valid), draw.random.randrange(2, head)
        for number in (block, head):
            chain.stub.says(not valid, account=account.address, block=number)
        asked += [account.at(block - 1), replace(account, valid=not valid).at(block)]
        asked.append(replace(account, valid=not valid).at(None))
    draw.random.shuffle(asked)
    verified(chain.node, *asked)


@covers("API-271.f")
@pytest.mark.parametrize("place", [0, 1])
@malformed
def test_a_malformed_entry_beside_an_outage_fails_either_way(
    chain: WithChain, draw: Draw, broken: Break, place: int
) -> None:
    """API-271.f: a malformed entry before or behind one without a verdict ends INVALID_ARGUMENT or UNAVAILABLE."""
    lost = question(draw)
    verified(chain.node, lost)
    chain.stub.fails(RpcError(), account=lost.address)
    asked = [lost, broken(question(draw))]
    answer = ask(chain.node, *(reversed(asked) if place else asked))
    ended(answer.call, (Code.INVALID_ARGUMENT, Code.UNAVAILABLE), environment=no_verdict)
