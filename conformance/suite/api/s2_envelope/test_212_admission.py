"""API-212: server_ns is read when admission is over."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.oracle.server_clock import taken_after
from conformance.suite import covers
from conformance.suite.api.s2_envelope.slow_verdict import SLACK_NS, verdict_awaited
from conformance.target.with_chain import WithChain


@covers("API-212.d")
def test_the_time_is_read_after_a_signature_that_took_long(chain: WithChain, draw: Draw) -> None:
    """API-212.d: no envelope of a publish carries a time before the chain has confirmed a signature in it."""
    answer, confirmed_ns = verdict_awaited(chain, draw)
    taken_after(answer.metas, confirmed_ns, slack_ns=SLACK_NS)
