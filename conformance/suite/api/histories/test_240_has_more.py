"""API-240.g in recorded traffic: page and has_more stem from one read."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.craft.traffic import Shape
from conformance.suite import covers
from conformance.suite.api.histories.recording import recorded
from conformance.target.deployment import Deployment


@covers("API-240.g")
def test_has_more_fits_its_page_whatever_is_written_meanwhile(deployment: Deployment, draw: Draw) -> None:
    """API-240.g: beside writers, has_more comes only with a full page, and a full page without it misses nothing."""
    readers = ("follow", "follow", "whole", "follow")
    traffic = recorded(deployment, draw, Shape(writers=6, requests=10, limits=(1, 2, 3, 5, 8, 50), readers=readers))
    traffic.judge("API-240.g")
