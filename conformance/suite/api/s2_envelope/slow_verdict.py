"""A publish that waits for the verdict of a chain."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from conformance.craft.any_kind import new_envelope
from conformance.craft.identity.contract_wallet import ContractWallet
from conformance.craft.identity.entry import encoded_update
from conformance.craft.topics import Kind
from conformance.suite.api.s3_publish.identity import opened
from conformance.suite.api.s3_publish.judging import backend_clock
from conformance.target.errors import Undecided

if TYPE_CHECKING:
    from conformance.craft.draw import Draw
    from conformance.target.answers import Published
    from conformance.target.with_chain import WithChain

# steps of a coarse clock, and the clocks of several machines, fit in here (V10)
SLACK_NS = 100 * 1_000_000
_HELD_S = 0.3  # well above the slack
_ASKED_S = 10.0


def verdict_awaited(chain: WithChain, draw: Draw) -> tuple[Published, int]:
    """Publish a message beside an update whose signature the chain confirms late.

    Returns the answer, and when the chain confirmed, by the clock of the backend in nanoseconds. Raises Undecided when
    the chain was not asked, or the publish did not wait for it.
    """
    inbox, clock = opened(chain.node, draw), backend_clock(chain.node, draw)
    sent = new_envelope(draw, Kind.GROUP_MESSAGE), encoded_update(inbox.add(ContractWallet.drawn(draw)))
    with ThreadPoolExecutor(1) as executor, chain.stub.holding() as hold:
        waiting = executor.submit(chain.node.publish, *sent)
        if not hold.wait_until_reached(_ASKED_S):
            raise Undecided("The chain was not asked about the signature of the update.")
        clock.wait_until(clock.now_ns() / 1e9 + _HELD_S, patience_s=2 * _HELD_S)
        if waiting.done():
            raise Undecided("The publish did not wait for its chain.")
        confirmed_ns = clock.now_ns()
        hold.release()
        return waiting.result(), confirmed_ns
