"""API-298: seven days lie between the claims of an inbox."""

from __future__ import annotations

import pytest

from conformance.craft.draw import Draw
from conformance.craft.identity.handles import HandlesProfile
from conformance.suite import covers
from conformance.suite.api.s3_publish.claiming import (
    DAY_NS,
    HANDLE_TOO_SOON,
    LEEWAY_NS,
    PAUSE_NS,
    Claims,
    calendar,
)
from conformance.suite.api.s3_publish.identity import joining, written
from conformance.target.node import Node
from conformance.target.pool import Pool


@pytest.fixture
def claims(node: Node, draw: Draw, handles: HandlesProfile) -> Claims:
    """Claims on the deployment under test."""
    return Claims(node, draw, handles)


@covers("API-298.a")
def test_another_claim_a_moment_later_is_too_soon(claims: Claims) -> None:
    """API-298.a: a second claim is refused as too soon; another update of the inbox is taken."""
    inbox = claims.inbox(claims.name())
    claims.refuse(inbox, claims.name(), HANDLE_TOO_SOON)
    written(claims.node, [joining(inbox, claims.draw)])


@covers("API-298.a")
def test_the_same_claim_a_moment_later_is_too_soon(claims: Claims) -> None:
    """API-298.a: a new claim of the handle that the inbox holds has to wait like any other."""
    handle = claims.name()
    inbox = claims.inbox(handle)
    claims.refuse(inbox, handle, HANDLE_TOO_SOON)
    written(claims.node, [joining(inbox, claims.draw)])


@covers("API-298.b")
def test_the_pause_ends_after_seven_days(pool: Pool, draw: Draw, handles: HandlesProfile) -> None:
    """API-298.b: two seconds before the seven days are over a claim is too soon; two seconds after it is not."""
    with calendar(pool, draw) as (node, clock):
        claims = Claims(node, draw, handles)
        inbox = claims.inbox()
        receipt = claims.take(inbox, claims.name())
        clock.move_to(receipt.server_ns + PAUSE_NS - LEEWAY_NS)
        with clock.before(receipt.server_ns + PAUSE_NS):
            claims.refuse(inbox, claims.name(), HANDLE_TOO_SOON)
        clock.a_week_after(receipt)
        claims.take(inbox, claims.name())


@covers("API-298.c")
def test_other_updates_do_not_lengthen_the_pause(pool: Pool, draw: Draw, handles: HandlesProfile) -> None:
    """API-298.c: an inbox that changed a day ago can claim when its last claim is seven days old."""
    with calendar(pool, draw) as (node, clock):
        claims = Claims(node, draw, handles)
        inbox = claims.inbox()
        receipt = claims.take(inbox, claims.name())
        clock.move_to(receipt.server_ns + PAUSE_NS - DAY_NS)
        written(node, [joining(inbox, draw)])
        clock.a_week_after(receipt)
        claims.take(inbox, claims.name())


@covers("API-298.c")
def test_other_updates_do_not_end_the_pause(claims: Claims) -> None:
    """API-298.c: an inbox that changes after its claim has to wait all the same; one that never claimed has not."""
    inbox = claims.inbox(claims.name())
    written(claims.node, [joining(inbox, claims.draw)])
    claims.refuse(inbox, claims.name(), HANDLE_TOO_SOON)
    changed = claims.inbox()
    written(claims.node, [joining(changed, claims.draw)])
    claims.take(changed, claims.name())


@covers("API-298.d")
def test_claims_of_other_inboxes_do_not_count(claims: Claims) -> None:
    """API-298.d: inboxes claim handles one right after the other, also one that has been there before."""
    first = claims.inbox()
    for _ in range(2):
        claims.inbox(claims.name())
    claims.take(first, claims.name())
