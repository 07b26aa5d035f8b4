"""API-281: each failure that a client can bring about without a control has the code of its row in the status table.

The rows of streams are decided where streams are, those of outages and of a stop where the controls for them are.
"""

from __future__ import annotations

import pytest

from conformance.craft.draw import Draw
from conformance.craft.encodings import encoded
from conformance.craft.identity.contract_wallet import ContractWallet
from conformance.craft.identity.update import Inbox, identity_envelope
from conformance.craft.sizes import request_bytes
from conformance.suite import covers
from conformance.suite.api.s6_identity.questions import ask, question, verified, without_last_byte
from conformance.suite.api.s7_bounds.calls import RPCS, fails
from conformance.suite.api.s7_bounds.provoked import INVALID, TOO_LONG, Condition
from conformance.target.chain.answers import RpcError
from conformance.target.node import Node
from conformance.target.with_chain import WithChain
from conformance.wire.transcript import Code


def fails_as_it_must(node: Node, draw: Draw, condition: Condition) -> None:
    """Judge the code of a request that brings a condition about."""
    request = condition.make(node, draw)
    fails(node, draw, condition.rpc, lambda: node.raw(condition.rpc.method, request), condition.code)


@covers("API-281.a")
@pytest.mark.parametrize("condition", INVALID.values(), ids=INVALID)
def test_a_fault_that_the_contract_names_is_an_invalid_argument(small: Node, draw: Draw, condition: Condition) -> None:
    """API-281.a: a bad envelope, an exceeded bound or a malformed field ends INVALID_ARGUMENT, and nothing else."""
    fails_as_it_must(small, draw, condition)


@covers("API-281.a", "API-281.b")
@pytest.mark.parametrize("condition", TOO_LONG.values(), ids=TOO_LONG)
def test_a_message_that_is_too_long_is_out_of_range(small: Node, draw: Draw, condition: Condition) -> None:
    """API-281.a, API-281.b: a request too long on the wire, and one whose response would be, end OUT_OF_RANGE."""
    fails_as_it_must(small, draw, condition)


@covers("API-281.a", "API-281.b")
def test_a_publish_without_a_verdict_of_the_chain_is_unavailable(chain: WithChain, draw: Draw) -> None:
    """API-281.a, API-281.b: a chain that fails makes a publish UNAVAILABLE, never its signature invalid."""
    contract = ContractWallet.drawn(draw)
    chain.stub.fails(RpcError(), account=contract.wallet.address)
    request = request_bytes([encoded(identity_envelope(Inbox(contract).create()))])
    rpc = RPCS["publish"]
    fails(chain.node, draw, rpc, lambda: chain.node.raw(rpc.method, request), Code.UNAVAILABLE)


@covers("API-281.a", "API-281.b")
def test_a_verification_without_a_verdict_of_the_chain_is_unavailable(chain: WithChain, draw: Draw) -> None:
    """API-281.a, API-281.b: a chain that fails makes a verification UNAVAILABLE, never a verdict or a fault of it."""
    one, rpc = question(draw), RPCS["verification"]
    chain.stub.fails(RpcError(), account=one.address)
    fails(chain.node, draw, rpc, lambda: ask(chain.node, one).call, Code.UNAVAILABLE)


@covers("API-281.a")
def test_a_malformed_entry_of_a_verification_is_an_invalid_argument(chain: WithChain, draw: Draw) -> None:
    """API-281.a: an entry without a hash of 32 bytes ends INVALID_ARGUMENT where the chain has a verdict for others."""
    good, broken, rpc = question(draw), without_last_byte(question(draw)), RPCS["verification"]
    verified(chain.node, good)
    fails(chain.node, draw, rpc, lambda: ask(chain.node, good, broken).call, Code.INVALID_ARGUMENT)
