"""API-212: what a real client sends gets the metadata that its content calls for."""

from __future__ import annotations

from conformance.craft.group_message import content_type_of
from conformance.craft.topics import Kind
from conformance.oracle.metadata import flag
from conformance.oracle.publish import one_meta_per_envelope
from conformance.suite import covers
from conformance.suite.api.played import lines_of, played
from conformance.target.node import Node


@covers("API-212.b")
def test_the_group_messages_of_a_real_client_are_filed_under_their_groups(node: Node) -> None:
    """API-212.b: every envelope is stored on the topic of the group that its message names."""
    receipts = played(node, lines_of(Kind.GROUP_MESSAGE, part=1, parts=3))
    one_meta_per_envelope([line.topic for line in receipts], list(receipts.values()))


@covers("API-212.f")
def test_the_commits_and_proposals_of_a_real_client_are_flagged(node: Node) -> None:
    """API-212.f: commits and proposals carry the flag, and messages do not."""
    for line, receipt in played(node, lines_of(Kind.GROUP_MESSAGE, part=2, parts=3)).items():
        flag(receipt, content_type=content_type_of(line.envelope))
