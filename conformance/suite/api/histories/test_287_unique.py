"""API-287 in recorded traffic: every sequence id anybody ever saw belongs to one envelope."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.craft.traffic import Shape
from conformance.suite import covers
from conformance.suite.api.histories.recording import recorded
from conformance.target.deployment import Deployment
from conformance.target.pool import Pool


@covers("API-287.a")
def test_envelopes_of_one_busy_topic_never_share_an_id(deployment: Deployment, draw: Draw) -> None:
    """API-287.a: in no receipt and no read does an id of a busy topic stand for two envelopes."""
    traffic = recorded(deployment, draw, Shape(topics=1, writers=8, requests=8))
    traffic.judge("API-287.a")


@covers("API-287.b")
def test_envelopes_of_many_busy_topics_never_share_an_id(pool: Pool, draw: Draw) -> None:
    """API-287.b: nor an id of several topics that are written to through two endpoints."""
    traffic = recorded(pool.deployment("two-endpoints"), draw, Shape(topics=6, endpoints=2, writers=8, requests=8))
    traffic.judge("API-287.b")
