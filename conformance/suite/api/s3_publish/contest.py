"""Clients that publish conflicting updates of one inbox at the same moment, and what is then to be seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import hypothesis

from conformance.craft.any_kind import new_envelope
from conformance.craft.identity.entry import encoded_update
from conformance.craft.identity.update import IdentityUpdate
from conformance.craft.identity.wallet import Wallet
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.absence import never_visible
from conformance.oracle.entries import stored_as_sent
from conformance.oracle.identity.contest import Entrant, one_history
from conformance.suite.api.s3_publish.judging import wire
from conformance.target.together import together

if TYPE_CHECKING:
    from conformance.craft.draw import Draw
    from conformance.craft.identity.update import Inbox
    from conformance.suite.api.s3_publish.judging import Envelope
    from conformance.target.answers import Published
    from conformance.target.deployment import Deployment
    from conformance.target.node import Node

CLIENTS = 8
_A_FEW = 4
_FEW_EXAMPLES = 100
_EXAMPLES_PER_ROUND = 5
_PLACE = 1


@dataclass(frozen=True, kw_only=True)
class Request:
    """An update of an inbox, and the Welcome that goes with it in one request."""

    beside: Envelope
    update: IdentityUpdate

    @property
    def envelopes(self) -> tuple[bytes, bytes]:
        """The encoded envelopes, the update at index 1."""
        return wire(self.beside), encoded_update(self.update)


def rounds() -> int:
    """Tell how many rounds a contest has: a few, unless the profile asks for many examples (200 in `thorough`)."""
    examples = hypothesis.settings().max_examples
    return _A_FEW if examples <= _FEW_EXAMPLES else examples // _EXAMPLES_PER_ROUND


@contextmanager
def clients(deployment: Deployment) -> Iterator[list[Node]]:
    """Connect the contestants, each over a connection of its own that is open already."""
    nodes = [deployment.fresh_node() for _ in range(CLIENTS)]
    try:
        for node in nodes:
            node.configuration().ok()
        yield nodes
    finally:
        for node in nodes:
            node.close()


def with_a_welcome(draw: Draw, update: IdentityUpdate) -> Request:
    """Make a request of an update and a Welcome, as a client sends that adds somebody."""
    return Request(beside=new_envelope(draw, Kind.WELCOME), update=update)


def new_recovery(inbox: Inbox, draw: Draw) -> Request:
    """Have the owner hand an inbox over to somebody else, which nobody can do twice."""
    return with_a_welcome(draw, inbox.change_recovery(Wallet.drawn(draw)))


def contest(nodes: Sequence[Node], requests: Sequence[Request]) -> None:
    """Publish each request through its node at the same moment, and judge that one history came of it."""
    answers = together(
        *(partial(node.publish, *request.envelopes) for node, request in zip(nodes, requests, strict=True))
    )
    decided(nodes[0], requests, answers)


def decided(node: Node, requests: Sequence[Request], answers: Sequence[Published]) -> None:
    """Judge that at most one of these requests was stored, as sent, and nothing of the others."""
    entrants = [
        Entrant(update=request.update, index=_PLACE, call=answer.call, failure=answer.failure)
        for request, answer in zip(requests, answers, strict=True)
    ]
    seen = node.envelopes_on(*(topic_of(envelope) for request in requests for envelope in request.envelopes))
    lost = [request for request, entrant in zip(requests, entrants, strict=True) if not entrant.won]
    history = topic_of(requests[0].envelopes[_PLACE])
    winner = one_history([one for one in seen if one.meta.topic == history], entrants)
    never_visible(seen, (envelope for request in lost for envelope in request.envelopes))
    place = entrants.index(winner)
    stored_as_sent(requests[place].envelopes, answers[place].metas, seen)
