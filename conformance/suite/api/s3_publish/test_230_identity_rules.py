"""API-230: what the rules of identity updates decide is reported apart, and decides nothing about the backend's own."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from conformance.craft.draw import Draw
from conformance.craft.identity.attempts import Attempt
from conformance.craft.identity.contract_wallet import LOCAL_CHAIN
from conformance.craft.identity.entry import IDENT, OddUpdate, WrongUpdate, encoded_update
from conformance.craft.identity.strategies import histories, lives
from conformance.craft.identity.updates import ODD_UPDATES, OPEN_UPDATES, WRONG_UPDATES
from conformance.craft.identity.world import Move, World
from conformance.suite import Notes, covers
from conformance.suite.api.s3_publish.contest import rounds
from conformance.suite.api.s3_publish.identity import (
    on_chain,
    refused_or_unjudged,
    refused_though_alone,
    taken_or_refused,
    taken_whole,
    written,
)
from conformance.suite.api.s3_publish.living import REFUSES_OTHERS, Life
from conformance.target.node import Node
from conformance.target.with_chain import WithChain

WRONG = [wrong for wrong in WRONG_UPDATES.values() if wrong.clause == IDENT]
MOST_MOVES = 3


@covers("API-230.j.ident")
@pytest.mark.parametrize("wrong", [each for each in WRONG if not each.chains], ids=str)
def test_an_update_against_a_rule_is_refused(node: Node, draw: Draw, wrong: WrongUpdate) -> None:
    """API-230.j.ident: an update that a rule forbids is refused for a fitting reason."""
    refused_though_alone(node, draw, wrong)


@covers("API-230.j.ident")
@pytest.mark.parametrize("wrong", on_chain(WRONG), ids=str)
def test_an_update_of_a_contract_wallet_against_a_rule_is_refused(
    chain: WithChain, draw: Draw, wrong: WrongUpdate
) -> None:
    """API-230.j.ident: a contract wallet is known by its account and its chain, and must be named rightly."""
    refused_though_alone(chain.node, draw, wrong)


@covers("API-230.j.ident")
@pytest.mark.parametrize("wrong", [each for each in WRONG if len(each.chains) > 1], ids=str)
def test_a_member_of_one_chain_does_not_act_from_another(chain: WithChain, draw: Draw, wrong: WrongUpdate) -> None:
    """API-230.j.ident: the same address on another chain is not the member, whether or not that chain can be asked."""
    refused_or_unjudged(chain.node, draw, wrong)


@covers("API-230.j.ident")
@pytest.mark.parametrize("odd", [each for each in ODD_UPDATES.values() if not each.chains], ids=str)
def test_an_odd_update_is_taken(node: Node, draw: Draw, odd: OddUpdate) -> None:
    """API-230.j.ident: what no rule forbids is taken."""
    taken_whole(node, draw, odd)


@covers("API-230.j.ident")
@pytest.mark.parametrize("odd", [each for each in ODD_UPDATES.values() if each.chains == (LOCAL_CHAIN,)], ids=str)
def test_an_odd_update_of_a_contract_wallet_is_taken(chain: WithChain, draw: Draw, odd: OddUpdate) -> None:
    """API-230.j.ident: whatever form a contract wallet's signature has, the verdict of its chain counts."""
    chain.stub.says(True)
    taken_whole(chain.node, draw, odd)


@covers("API-230.j.ident")
@pytest.mark.parametrize("odd", [each for each in OPEN_UPDATES.values() if not each.chains], ids=str)
def test_an_update_that_the_rules_leave_open_may_be_taken_or_not(
    node: Node, draw: Draw, notes: Notes, odd: WrongUpdate
) -> None:
    """API-230.j.ident: where no public rule decides, either answer is only noted."""
    taken_or_refused(node, draw, notes, odd)


@covers("API-230.j.ident")
@pytest.mark.parametrize("odd", on_chain(OPEN_UPDATES.values()), ids=str)
def test_an_update_that_the_rules_leave_open_about_a_chain_may_be_taken_or_not(
    chain: WithChain, draw: Draw, notes: Notes, odd: WrongUpdate
) -> None:
    """API-230.j.ident: where no public rule decides what a block must be, either answer is only noted."""
    taken_or_refused(chain.node, draw, notes, odd)


@covers("API-230.j.ident")
@given(history=histories(most=MOST_MOVES))
def test_every_lawful_history_is_taken(node: Node, draw: Draw, history: list[Move]) -> None:
    """API-230.j.ident: inboxes that share wallets and passkeys grow as their owners like."""
    world = World(draw)
    written(node, (encoded_update(world.play(move).update) for move in history))


@covers("API-230.j.ident")
@settings(max_examples=rounds())
@given(plan=lives())
def test_what_a_history_forbids_is_refused_however_it_grew(node: Node, draw: Draw, plan: list[Move | Attempt]) -> None:
    """API-230.j.ident: whatever came before, an update against the rules is refused for a reason that they give."""
    Life(node, draw, judges=REFUSES_OTHERS).live(plan)
