"""API-256: the Ping of a client is answered with its nonce."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.oracle.frames import Known, judge
from conformance.oracle.frames import notes as notes_of
from conformance.suite import Notes, covers
from conformance.target.errors import Missing
from conformance.target.node import Node

LARGEST = (1 << 64) - 1
NONCES = (0, 1, 1 << 31, 1 << 32, (1 << 32) + 1, 1 << 63, LARGEST, LARGEST - 1, 0)


@covers("API-256.a")
def test_each_ping_gets_a_pong_with_its_nonce(node: Node, draw: Draw, notes: Notes) -> None:
    """API-256.a: pipelined Pings get as many Pongs with the same nonces, the least, the largest and equal ones."""
    nonces = [*NONCES, *(draw.random.getrandbits(64) for _ in range(3))]
    draw.random.shuffle(nonces)
    if len(nonces) > node.limits.max_ping_burst:
        raise Missing("limits", "max_ping_burst is too small to send these Pings without a pause")
    with node.subscribe() as stream:
        stream.started()
        for nonce in nonces:
            stream.ping(nonce)
        for nonce in nonces:
            stream.ponged(nonce, times=nonces.count(nonce))
        stream.half_close()
        stream.end()
        judge(stream.call, Known(), "API-256.a")
        for sentence in notes_of(stream.call, Known()):
            notes.add(sentence)


@covers("API-256.a")
def test_a_ping_is_answered_at_any_time(node: Node, draw: Draw) -> None:
    """API-256.a: one Ping after the other gets its own Pong, before Updates, between them and after them."""
    rounds = min(4, node.limits.max_ping_burst, node.limits.max_update_burst)
    with node.subscribe() as stream:
        for _ in range(rounds):
            nonce = stream.ping(draw.random.getrandbits(64))
            number = stream.add()
            stream.ponged(nonce)
            stream.applied(number)
        judge(stream.call, Known(), "API-256.a")
