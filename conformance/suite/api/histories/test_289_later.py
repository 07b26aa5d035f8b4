"""API-289 in recorded traffic: ids rise from what anybody has seen to what anybody publishes next."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.craft.traffic import Shape
from conformance.suite import covers
from conformance.suite.api.histories.recording import recorded
from conformance.target.deployment import Deployment
from conformance.target.pool import Pool


@covers("API-289.a", "API-289.b")
def test_no_publish_gets_an_id_below_what_was_seen_before_it(deployment: Deployment, draw: Draw) -> None:
    """API-289.a, API-289.b: with many clients at work, new ids lie above all that any of them has seen."""
    traffic = recorded(deployment, draw, Shape(topics=4, writers=6, requests=10, repeats=0.1))
    traffic.judge("API-289.a", "API-289.b")


@covers("API-289.c")
def test_no_publish_gets_an_id_below_what_was_seen_elsewhere(pool: Pool, draw: Draw) -> None:
    """API-289.c: nor below what was seen at another endpoint before."""
    traffic = recorded(pool.deployment("two-endpoints"), draw, Shape(topics=4, endpoints=2, writers=6, requests=10))
    traffic.judge("API-289.c")


@covers("API-289.e")
def test_no_envelope_of_a_large_publish_gets_an_id_below_what_was_seen_before(
    deployment: Deployment, draw: Draw
) -> None:
    """API-289.e: every envelope of requests of up to 20 has an id above all that was seen before its request."""
    traffic = recorded(deployment, draw, Shape(writers=4, requests=6, largest=20, repeats=0.05))
    traffic.judge("API-289.e")
