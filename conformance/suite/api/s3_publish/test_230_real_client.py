"""API-230: admission takes all that a real client sends, and API-212 assigns it the metadata it calls for."""

from __future__ import annotations

from conformance.craft.group_message import content_type_of
from conformance.craft.topics import Kind
from conformance.oracle.entries import stored_as_sent
from conformance.oracle.metadata import flag
from conformance.oracle.publish import one_meta_per_envelope, same_where_same
from conformance.suite import covers
from conformance.suite.api.s3_publish.judging import shown
from conformance.suite.api.s3_publish.played import lines_of, played
from conformance.target.node import Node
from conformance.target.pool import Pool


@covers("API-230.e")
def test_the_group_messages_of_a_real_client_are_taken(node: Node) -> None:
    """API-230.e: commits that lost their race, proposals and messages of several groups are stored as they came."""
    receipts = played(node, lines_of(Kind.GROUP_MESSAGE, part=0, parts=3))
    sent = [line.envelope for line in receipts]
    stored_as_sent(sent, list(receipts.values()), shown(node, *sent))


@covers("API-230.f")
def test_the_welcomes_of_a_real_client_are_taken(node: Node) -> None:
    """API-230.f: Welcomes of two builds, inline, behind pointers and the pointers, are stored as they came."""
    receipts = played(node, lines_of(Kind.WELCOME))
    sent = [line.envelope for line in receipts]
    stored_as_sent(sent, list(receipts.values()), shown(node, *sent))


@covers("API-230.k")
def test_the_commit_log_of_a_real_client_is_taken(node: Node) -> None:
    """API-230.k: entries of several groups, half of them published a second time by another member, are taken."""
    receipts = played(node, lines_of(Kind.COMMIT_LOG))
    sent = [line.envelope for line in receipts]
    same_where_same(sent, list(receipts.values()))
    stored_as_sent(sent, list(receipts.values()), shown(node, *sent))


@covers("API-230.i")
def test_the_key_packages_of_a_real_client_are_taken(pool: Pool) -> None:
    """API-230.i: first uploads before their inbox exists, and rotations after a revocation, are taken in their time."""
    lines = lines_of(Kind.KEY_PACKAGE)
    with pool.exclusive() as deployment:
        deployment.clock_to(lines[0].made_ns)
        receipts = played(deployment.node(), lines)
    one_meta_per_envelope([line.topic for line in receipts], list(receipts.values()))
    same_where_same([line.envelope for line in receipts], list(receipts.values()))


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
