"""API-230: an identity update is parsed, its signatures are verified, and then the state of its inbox decides."""

from __future__ import annotations

import pytest

from conformance.craft.draw import Draw
from conformance.craft.identity.entry import BACKEND, TOPIC, WrongUpdate, encoded_update
from conformance.craft.identity.updates import WRONG_UPDATES
from conformance.suite import covers
from conformance.suite.api.s3_publish.identity import inbox_of, joining, opened, refused_unlike_its_twin, written
from conformance.suite.api.s3_publish.judging import stored
from conformance.target.deployment import Deployment
from conformance.target.node import Node

OFF_TOPIC = [wrong for wrong in WRONG_UPDATES.values() if wrong.clause == TOPIC]
# those that a chain must judge: test_231_outage.py
FORBIDDEN = [wrong for wrong in WRONG_UPDATES.values() if wrong.clause == BACKEND and not wrong.chains]


@covers("API-230.b")
@pytest.mark.parametrize("wrong", OFF_TOPIC, ids=str)
def test_an_inbox_id_that_names_no_topic_is_malformed(node: Node, draw: Draw, wrong: WrongUpdate) -> None:
    """API-230.b: an update of an inbox whose id is not the hexadecimal form of 32 bytes is refused."""
    refused_unlike_its_twin(node, draw, wrong)


@covers("API-230.j")
@pytest.mark.parametrize("wrong", FORBIDDEN, ids=str)
def test_a_bad_signature_and_a_forbidden_act_have_reasons_of_their_own(
    node: Node, draw: Draw, wrong: WrongUpdate
) -> None:
    """API-230.j: what does not verify is an invalid signature, what the state forbids an invalid update."""
    refused_unlike_its_twin(node, draw, wrong)


@covers("API-230.m")
def test_an_inbox_is_continued_by_another_client(deployment: Deployment, draw: Draw) -> None:
    """API-230.m: an update is taken over another connection than those before it."""
    node, other = deployment.node(), deployment.fresh_node()
    inbox = opened(node, draw)
    update = joining(inbox, draw)
    stored(node, other.publish(update), [update])


@covers("API-230.m")
def test_a_client_with_an_inbox_hands_in_updates_of_others(deployment: Deployment, draw: Draw) -> None:
    """API-230.m: who has just continued an inbox may open and continue those of strangers, also in one request."""
    node, other = deployment.fresh_node(), deployment.fresh_node()
    own, strange = opened(node, draw), opened(other, draw)
    written(node, [joining(own, draw)])
    updates = [joining(strange, draw), encoded_update(inbox_of(draw).create()), joining(own, draw)]
    stored(node, node.publish(*updates), updates)
