"""API-222 in recorded traffic: whoever publishes an envelope, however often and whatever it races with, it is one."""

from __future__ import annotations

from dataclasses import replace

from conformance.craft.draw import Draw
from conformance.craft.traffic import Shape
from conformance.suite import covers
from conformance.suite.api.histories.recording import recorded
from conformance.target.deployment import Deployment
from conformance.target.pool import Pool

RACES = Shape(writers=8, requests=12, largest=20, repeats=0.1, overlaps=0.8, broken=0, in_step=True)


@covers("API-222.b")
def test_racing_overlapping_publishes_all_agree(deployment: Deployment, draw: Draw) -> None:
    """API-222.b: clients that send each other's envelopes at the same moment all get one receipt and see one copy."""
    traffic = recorded(deployment, draw, RACES)
    traffic.judge("API-222.b", every_publish_succeeds=True)


@covers("API-222.b")
def test_racing_overlapping_publishes_agree_across_endpoints(pool: Pool, draw: Draw) -> None:
    """API-222.b: the same holds for clients of two endpoints."""
    traffic = recorded(pool.deployment("two-endpoints"), draw, replace(RACES, endpoints=2))
    traffic.judge("API-222.b", every_publish_succeeds=True)


@covers("API-222.a")
def test_repeats_in_other_encodings_are_recognised_among_new_envelopes(deployment: Deployment, draw: Draw) -> None:
    """API-222.a: repeats in other requests and encodings, by any client, get the stored metadata."""
    traffic = recorded(deployment, draw, Shape(repeats=0.5, overlaps=0, requests=14, broken=0))
    traffic.judge("API-222.a")


@covers("API-222.i")
def test_what_was_refused_can_be_published_while_others_write(deployment: Deployment, draw: Draw) -> None:
    """API-222.i: the good envelopes of a refused publish, sent again, are stored and seen."""
    traffic = recorded(deployment, draw, Shape(broken=0.5, repeats=0.1, requests=10))
    traffic.judge("API-222.i")
