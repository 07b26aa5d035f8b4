"""API-254: what comes while a stream catches up, above a cursor that lies ahead, and on many streams at once."""

from __future__ import annotations

import pytest

from conformance.craft.draw import Draw
from conformance.suite import covers
from conformance.suite.api.s5_subscribe.delivery import beyond_the_head, fanned_out, handed_over
from conformance.suite.api.s5_subscribe.kinds import SUBSCRIBE
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.target.deployment import Deployment
from conformance.target.node import Node

STREAMS = 50


@covers("API-254.b")
def test_what_is_published_during_the_history_follows_it(node: Node, draw: Draw) -> None:
    """API-254.b: streams that begin beside writers get the history and what comes without a hole or a repetition."""
    handed_over(SUBSCRIBE, Traffic(node, draw), "API-254.b")


@covers("API-254.b")
@pytest.mark.usefixtures("unhurried")
def test_a_long_history_is_caught_up_while_writers_go_on(node: Node, draw: Draw) -> None:
    """API-254.b: streams catch up with 5,000 envelopes while more come in, and nothing is missing or repeated."""
    handed_over(SUBSCRIBE, Traffic(node, draw), "API-254.b", held=5000, each=100, streams=2)


@covers("API-254.d")
def test_a_cursor_ahead_of_its_topic_holds(node: Node, draw: Draw) -> None:
    """API-254.d: above a cursor that lies beyond the head nothing comes but what gets a higher id."""
    beyond_the_head(SUBSCRIBE, Traffic(node, draw), "API-254.d")


@covers("API-254.e")
def test_every_stream_on_a_topic_gets_every_envelope(deployment: Deployment, node: Node, draw: Draw) -> None:
    """API-254.e: 50 streams of several connections that share a topic all get what is published on it."""
    fanned_out(SUBSCRIBE, deployment, Traffic(node, draw), STREAMS, "API-254.e")
