"""API-202 in recorded traffic: every Query shows what anybody had a receipt for when it was sent."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.craft.traffic import Shape
from conformance.suite import covers
from conformance.suite.api.histories.recording import recorded
from conformance.target.deployment import Deployment
from conformance.target.pool import Pool


@covers("API-202.a")
def test_every_query_shows_what_was_confirmed_before_it(deployment: Deployment, draw: Draw) -> None:
    """API-202.a: on topics that several clients write to, no confirmed envelope is missing from a page sent later."""
    traffic = recorded(deployment, draw, Shape(topics=2, writers=6, requests=12, in_step=True))
    traffic.judge("API-202.a")


@covers("API-202.b")
def test_every_query_shows_what_was_confirmed_at_another_endpoint(pool: Pool, draw: Draw) -> None:
    """API-202.b: nor one that was confirmed by another endpoint."""
    traffic = recorded(pool.deployment("two-endpoints"), draw, Shape(topics=2, endpoints=2, writers=6, requests=8))
    traffic.judge("API-202.b")


@covers("API-202.c")
def test_only_the_limit_keeps_a_confirmed_envelope_from_a_busy_page(deployment: Deployment, draw: Draw) -> None:
    """API-202.c: beside writers, small pages of several topics leave out confirmed envelopes only at their end."""
    traffic = recorded(deployment, draw, Shape(limits=(1, 2, 3, 5), readers=("whole", "follow", "whole")))
    traffic.judge("API-202.c")


@covers("API-202.e")
def test_a_query_after_the_receipt_of_a_repeat_shows_the_envelope_beside_others(
    deployment: Deployment, draw: Draw
) -> None:
    """API-202.e: of envelopes that several clients publish again and again, none is missing from a page sent later."""
    traffic = recorded(deployment, draw, Shape(repeats=0.5, overlaps=0.3, requests=12))
    traffic.judge("API-202.e")
