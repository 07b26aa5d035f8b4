"""API-281 in recorded traffic: INVALID_ARGUMENT stands where the request explains it, and nowhere else."""

from __future__ import annotations

import pytest

from conformance.craft.draw import Draw
from conformance.craft.traffic import Shape
from conformance.suite import covers
from conformance.suite.api.histories.recording import recorded
from conformance.target.deployment import Deployment
from conformance.target.pool import Pool

SHAPES = {
    "half-of-it-broken": Shape(broken=0.5, repeats=0.1, requests=10),
    "races": Shape(writers=6, requests=10, largest=20, repeats=0.3, overlaps=0.8, broken=0.1, in_step=True),
}


@covers("API-281.b")
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_only_broken_requests_are_invalid(deployment: Deployment, draw: Draw, shape: Shape) -> None:
    """API-281.b: with many clients at work no call but a publish of a broken envelope is refused so."""
    recorded(deployment, draw, shape).explain_refusals()


@covers("API-281.b")
def test_only_broken_requests_are_invalid_at_small_bounds(pool: Pool, draw: Draw) -> None:
    """API-281.b: nor is a request that keeps within its bounds where those are small."""
    recorded(pool.deployment("small-limits"), draw, Shape(requests=10, largest=20, long=0.3)).explain_refusals()
