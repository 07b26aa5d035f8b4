"""API-296: a handle belongs to the inbox that claimed it, for good and against everybody else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pytest

from conformance.craft.draw import Draw
from conformance.craft.identity.handles import HandlesProfile
from conformance.oracle.identity.contest import Claimant, one_holder
from conformance.oracle.identity.verdict import HANDLE_NOT_ALLOWED, INVALID_IDENTITY_UPDATE, MALFORMED_PAYLOAD
from conformance.oracle.publish import at
from conformance.suite import Notes, covers
from conformance.suite.api.s3_publish.claiming import (
    HANDLE_TAKEN,
    HANDLE_TOO_SOON,
    Claims,
    calendar,
)
from conformance.suite.api.s3_publish.contest import CLIENTS, clients, rounds
from conformance.suite.api.s3_publish.identity import joining
from conformance.suite.api.s3_publish.judging import admitted, refused
from conformance.target.deployment import Deployment
from conformance.target.node import Node
from conformance.target.pool import Pool
from conformance.target.together import together
from conformance.wire.transcript import Code

# where a claim may hold no capitals, nobody says which reason the refusal for that has
TAKEN_OR_NO_HANDLE = (HANDLE_TAKEN, HANDLE_NOT_ALLOWED, INVALID_IDENTITY_UPDATE, MALFORMED_PAYLOAD)


@pytest.fixture
def claims(node: Node, draw: Draw, handles: HandlesProfile) -> Claims:
    """Claims on the deployment under test."""
    return Claims(node, draw, handles)


@covers("API-296.a")
def test_what_another_inbox_has_claimed_is_taken(claims: Claims) -> None:
    """API-296.a: a claim of another's handle is refused as taken; a claim of a handle that is free is not."""
    handle = claims.name()
    claims.inbox(handle)
    other = claims.inbox()
    claims.refuse(other, handle, HANDLE_TAKEN)
    claims.take(other, claims.name())


@covers("API-296.b")
def test_an_own_handle_can_be_claimed_again(pool: Pool, draw: Draw, handles: HandlesProfile) -> None:
    """API-296.b: once the pause is over an inbox can claim what it has claimed before: it is taken for others only."""
    with calendar(pool, draw) as (node, clock):
        claims = Claims(node, draw, handles)
        handle, inbox = claims.name(), claims.inbox()
        clock.a_week_after(claims.take(inbox, handle))
        claims.take(inbox, handle)


@covers("API-296.c")
def test_of_two_claims_in_a_request_the_second_fails(claims: Claims) -> None:
    """API-296.c: two inboxes that claim one handle in a request fail at the second; with a handle each both succeed."""
    handle, one, other = claims.name(), claims.inbox(), claims.inbox()
    first, second = claims.encoded(one, handle), claims.encoded(other, handle)
    refused(claims.node.publish(joining(claims.inbox(), claims.draw), first, second), at(2, HANDLE_TAKEN))
    claims.never_stored(first, second)
    admitted(claims.node.publish(first, claims.encoded(other, claims.name())))


@covers("API-296.d")
def test_of_many_claims_at_once_one_is_stored(
    deployment: Deployment, draw: Draw, handles: HandlesProfile, notes: Notes
) -> None:
    """API-296.d: of inboxes that claim one handle at the same moment one gets it."""
    with clients(deployment) as nodes:
        for _ in range(rounds()):
            _race(nodes, Claims(nodes[0], draw, handles), notes)


@covers("API-296.d")
def test_of_many_claims_at_two_endpoints_one_is_stored(
    pair: tuple[Node, Node], draw: Draw, handles: HandlesProfile, notes: Notes
) -> None:
    """API-296.d: nor do two inboxes get one handle through two endpoints."""
    for _ in range(rounds()):
        _race(pair * (CLIENTS // 2), Claims(pair[0], draw, handles), notes)


@covers("API-296.e")
def test_an_earlier_handle_stays_taken(pool: Pool, draw: Draw, handles: HandlesProfile) -> None:
    """API-296.e: a handle is not free again when its inbox claims another one."""
    with calendar(pool, draw) as (node, clock):
        claims = Claims(node, draw, handles)
        handle, inbox = claims.name(), claims.inbox()
        clock.a_week_after(claims.take(inbox, handle))
        claims.take(inbox, claims.name())
        other = claims.inbox()
        claims.refuse(other, handle, HANDLE_TAKEN)
        claims.take(other, claims.name())


@covers("API-296.f")
def test_capitals_make_no_other_handle(claims: Claims, notes: Notes) -> None:
    """API-296.f: a claim that is in capitals what another inbox has claimed is not taken, whatever is said of it."""
    handle = claims.name()
    claims.inbox(handle)
    other = claims.inbox()
    shouted = claims.encoded(other, handle.upper())
    answer = claims.node.publish(shouted)
    refused(answer, at(0, *TAKEN_OR_NO_HANDLE))
    claims.never_stored(shouted)
    if answer.failure is not None and answer.failure.reason != HANDLE_TAKEN:
        notes.add("A claim in capitals is refused for its form.")
    claims.take(other, claims.name())


@covers("API-296.g")
def test_a_claim_of_two_faults_is_refused_for_one_of_them(claims: Claims) -> None:
    """API-296.g: a handle that is taken, claimed a moment after another one, is refused as taken or as too soon."""
    handle = claims.name()
    claims.inbox(handle)
    hasty = claims.inbox(claims.name())
    claims.refuse(hasty, handle, HANDLE_TAKEN, HANDLE_TOO_SOON)


def _race(nodes: Sequence[Node], claims: Claims, notes: Notes) -> None:
    """Have an inbox per node claim one handle at the same moment, and judge that one has it."""
    handle, inboxes = claims.name(), [claims.inbox() for _ in nodes]
    wires = [claims.encoded(inbox, handle) for inbox in inboxes]
    answers = together(*(partial(node.publish, wire) for node, wire in zip(nodes, wires, strict=True)))
    stored = [claims.is_stored(wire) for wire in wires]
    one_holder(
        [
            Claimant(call=answer.call, failure=answer.failure, stored=held)
            for answer, held in zip(answers, stored, strict=True)
        ]
    )
    for answer in answers:
        if answer.status.code not in {Code.OK, Code.INVALID_ARGUMENT}:
            notes.add(f"The loser of a race for a handle is answered {answer.status.code.name}.")
