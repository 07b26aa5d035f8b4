"""API-201 in recorded traffic: whatever anybody ever saw fits into one order of each topic, read from its beginning."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.craft.traffic import Shape
from conformance.suite import covers
from conformance.suite.api.histories.recording import recorded
from conformance.target.deployment import Deployment
from conformance.target.pool import Pool


@covers("API-201.a")
def test_no_read_leaves_out_what_another_shows_below_its_end(deployment: Deployment, draw: Draw) -> None:
    """API-201.a: on a busy topic no page passes an id that anybody sees before or after."""
    traffic = recorded(deployment, draw, Shape(topics=1, writers=6, requests=10))
    traffic.judge("API-201.a")


@covers("API-201.a")
def test_reads_of_two_endpoints_fit_into_one_order(pool: Pool, draw: Draw) -> None:
    """API-201.a: the same holds for pages of several topics, written and read through two endpoints."""
    traffic = recorded(pool.deployment("two-endpoints"), draw, Shape(endpoints=2, writers=6, requests=8))
    traffic.judge("API-201.a")


@covers("API-201.c")
def test_pages_beside_writers_list_each_topic_in_rising_order(deployment: Deployment, draw: Draw) -> None:
    """API-201.c: pages of several busy topics, cut and whole, show the ids of each topic in rising order."""
    traffic = recorded(deployment, draw, Shape(writers=4, requests=8, readers=("whole", "follow", "whole")))
    traffic.judge("API-201.c")
