"""API-288 in recorded traffic: receipts and reads of an envelope show one id and one metadata."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.craft.traffic import Shape
from conformance.suite import covers
from conformance.suite.api.histories.recording import recorded
from conformance.target.deployment import Deployment
from conformance.target.pool import Pool


@covers("API-288.a")
def test_the_receipt_of_every_repeat_shows_the_first_id(pool: Pool, draw: Draw) -> None:
    """API-288.a: of envelopes published again by other clients and at another endpoint, each keeps its id."""
    traffic = recorded(pool.deployment("two-endpoints"), draw, Shape(endpoints=2, repeats=0.5, requests=12))
    traffic.judge("API-288.a")


@covers("API-288.b")
def test_every_read_beside_writers_shows_the_id_of_the_receipt(deployment: Deployment, draw: Draw) -> None:
    """API-288.b: pages and newest reads, in both forms, show the ids that the receipts show."""
    traffic = recorded(deployment, draw, Shape(requests=10, readers=("follow", "whole", "newest", "newest-full")))
    traffic.judge("API-288.b")


@covers("API-212.h")
def test_every_sighting_beside_writers_has_the_same_metadata(deployment: Deployment, draw: Draw) -> None:
    """API-212.h: all six fields of an envelope are the same in its receipts, its pages and its newest reads."""
    traffic = recorded(deployment, draw, Shape(requests=10, readers=("whole", "newest", "newest-full", "newest")))
    traffic.judge("API-212.h")


@covers("API-211.a")
def test_every_sighting_beside_writers_carries_what_was_sent(deployment: Deployment, draw: Draw) -> None:
    """API-211.a: every payload that a busy topic shows is one that was sent there, under the id of its receipt."""
    traffic = recorded(deployment, draw, Shape(requests=10, long=0.3, readers=("whole", "follow", "newest-full")))
    traffic.judge("API-211.a")
