"""API-254 on SubscribeStatic, which delivers as completely as Subscribe does."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.suite import covers
from conformance.suite.api.s5_subscribe.delivery import (
    beyond_the_head,
    fanned_out,
    handed_over,
    history_of_any_size,
    of_one_publish,
    whole_history,
)
from conformance.suite.api.s5_subscribe.kinds import STATIC
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.target.deployment import Deployment
from conformance.target.node import Node

STREAMS = 50


@covers("API-254.i")
def test_a_static_stream_delivers_any_history_whole(node: Node, draw: Draw) -> None:
    """API-254.i: topics of no, some and many envelopes come whole and in order, from the start and from between."""
    whole_history(STATIC, Traffic(node, draw), (0, 1, 17, 100, 101, 1100, 3), "API-254.i")


@covers("API-254.i")
def test_a_static_stream_delivers_envelopes_of_any_size(node: Node, draw: Draw) -> None:
    """API-254.i: the longest envelopes there may be and the shortest come whole and in order."""
    history_of_any_size(STATIC, Traffic(node, draw), "API-254.i")


@covers("API-254.i")
def test_a_static_stream_goes_over_from_history_to_live(node: Node, draw: Draw) -> None:
    """API-254.i: streams that begin beside writers get the history and what comes without a hole or a repetition."""
    handed_over(STATIC, Traffic(node, draw), "API-254.i")


@covers("API-254.i")
def test_a_cursor_ahead_of_its_topic_holds_on_a_static_stream(node: Node, draw: Draw) -> None:
    """API-254.i: above a cursor that lies beyond the head nothing comes but what gets a higher id."""
    beyond_the_head(STATIC, Traffic(node, draw), "API-254.i")


@covers("API-254.i")
def test_every_static_stream_on_a_topic_gets_every_envelope(deployment: Deployment, node: Node, draw: Draw) -> None:
    """API-254.i: 50 static streams of several connections that share a topic all get what is published on it."""
    fanned_out(STATIC, deployment, Traffic(node, draw), STREAMS, "API-254.i")


@covers("API-254.i")
def test_the_envelopes_of_one_publish_come_in_rising_order_on_a_static_stream(node: Node, draw: Draw) -> None:
    """API-254.i: several envelopes of one request on one topic come by rising id, as history and live."""
    of_one_publish(STATIC, Traffic(node, draw), "API-254.i")
