"""API-230: admission takes all that a real client sends."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.craft.group_message import new_message
from conformance.craft.topics import Kind
from conformance.oracle.entries import stored_as_sent
from conformance.oracle.publish import one_meta_per_envelope, same_where_same
from conformance.suite import covers
from conformance.suite.api.played import lines_of, played
from conformance.suite.api.s3_publish.judging import shown
from conformance.target.backend_clock import set_clock
from conformance.target.node import Node
from conformance.target.pool import Pool
from conformance.target.with_chain import with_chain


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
def test_the_key_packages_of_a_real_client_are_taken(pool: Pool, draw: Draw) -> None:
    """API-230.i: first uploads before their inbox exists, and rotations after a revocation, are taken in their time."""
    lines = lines_of(Kind.KEY_PACKAGE)
    with pool.exclusive() as deployment:
        node = deployment.node()
        set_clock(deployment, lines[0].made_ns, lambda: node.publish(new_message(draw, draw.group_id())))
        receipts = played(node, lines)
    one_meta_per_envelope([line.topic for line in receipts], list(receipts.values()))
    same_where_same([line.envelope for line in receipts], list(receipts.values()))


@covers("API-230.j")
def test_the_identity_updates_of_a_real_client_are_taken(pool: Pool) -> None:
    """API-230.j: the logs of eight inboxes, with signatures of every kind, are stored as they came."""
    with with_chain(pool, alone=True) as fresh:
        receipts = played(fresh.node, lines_of(Kind.IDENTITY_UPDATE))
        sent = [line.envelope for line in receipts]
        stored_as_sent(sent, list(receipts.values()), shown(fresh.node, *sent))
