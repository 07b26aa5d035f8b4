"""API-221 in recorded traffic: each entry of a publish response belongs to the envelope at its index."""

from __future__ import annotations

from dataclasses import replace

from conformance.craft.draw import Draw
from conformance.craft.traffic import Shape
from conformance.suite import covers
from conformance.suite.api.histories.recording import recorded
from conformance.target.deployment import Deployment
from conformance.target.pool import Pool

RACES = Shape(writers=8, requests=12, largest=20, overlaps=0.8, broken=0, in_step=True)


@covers("API-221.a", "API-221.c")
def test_every_entry_is_that_of_the_envelope_at_its_index(deployment: Deployment, draw: Draw) -> None:
    """API-221.a, API-221.c: in publishes that race for some of their envelopes, no two entries change places."""
    traffic = recorded(deployment, draw, RACES)
    traffic.judge("API-221.a", "API-221.c")


@covers("API-221.c")
def test_entries_keep_their_places_in_races_between_endpoints(pool: Pool, draw: Draw) -> None:
    """API-221.c: nor when the publishes go through two endpoints."""
    traffic = recorded(pool.deployment("two-endpoints"), draw, replace(RACES, endpoints=2))
    traffic.judge("API-221.c")
