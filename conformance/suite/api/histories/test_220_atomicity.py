"""API-220 in recorded traffic: nothing is ever seen of a publish that was refused."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.craft.traffic import Shape
from conformance.suite import covers
from conformance.suite.api.histories.recording import recorded
from conformance.target.deployment import Deployment


@covers("API-220.a")
def test_no_reader_ever_sees_an_envelope_of_a_refused_publish(deployment: Deployment, draw: Draw) -> None:
    """API-220.a: beside many failing publishes no read, newest ones included, shows what was only in those."""
    readers = ("newest", "newest-full", "newest-full", "follow", "whole")
    traffic = recorded(deployment, draw, Shape(broken=0.5, repeats=0.05, requests=10, readers=readers))
    traffic.judge("API-220.a")
