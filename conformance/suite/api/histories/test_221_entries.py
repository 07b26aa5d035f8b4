"""API-221 in recorded traffic: each entry of a publish response belongs to the envelope at its index."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.craft.traffic import Shape
from conformance.suite import covers
from conformance.suite.api.histories.recording import recorded
from conformance.target.deployment import Deployment


@covers("API-221.a", "API-221.c")
def test_every_entry_is_that_of_the_envelope_at_its_index(deployment: Deployment, draw: Draw) -> None:
    """API-221.a, API-221.c: in publishes that race for some of their envelopes, no two entries change places."""
    traffic = recorded(deployment, draw, Shape(writers=6, requests=6, largest=20, overlaps=0.7, broken=0, in_step=True))
    traffic.judge("API-221.a", "API-221.c")
