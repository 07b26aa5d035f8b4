"""Every unary call with a request that is served, and how a call near a bound or past it is judged beside that one.

UNAVAILABLE and DEADLINE_EXCEEDED may tell of the environment. They cannot where the same call is served again and again
with another request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest

from conformance.craft.any_kind import new_envelope
from conformance.craft.draw import Draw
from conformance.craft.identity.wallet import Wallet
from conformance.craft.sizes import request_bytes
from conformance.craft.topics import Kind, group_topic
from conformance.oracle.status import ENVIRONMENT, ended
from conformance.pb import backend_pb2
from conformance.suite.api.s6_identity.inboxes import asked, entry
from conformance.target.node import Node
from conformance.wire import methods
from conformance.wire.transcript import Call, Code

OUTAGES = frozenset({Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED})
_TIMES = 3


@dataclass(frozen=True, kw_only=True)
class Rpc:
    """A unary call, and a maker of encoded requests that it serves: such a one ends with one of the codes `ends`."""

    method: str
    served: Callable[[Draw], bytes]
    ends: tuple[Code, ...] = (Code.OK,)

    def is_served(self, call: Call) -> None:
        """Judge a call with such a request. Reasons: `rejected`, `wrong-code`."""
        ended(call, self.ends)


def _query(draw: Draw) -> bytes:
    request = backend_pb2.QueryRequest(limit=1)
    request.queries.add().topic.topic = group_topic(draw.group_id())
    return request.SerializeToString()


def _newest(draw: Draw) -> bytes:
    topic = backend_pb2.Topic(topic=group_topic(draw.group_id()))
    return backend_pb2.QueryNewestRequest(topics=[topic]).SerializeToString()


RPCS: Mapping[str, Rpc] = {
    "publish": Rpc(method=methods.PUBLISH, served=lambda draw: request_bytes([new_envelope(draw, Kind.GROUP_MESSAGE)])),
    "query": Rpc(method=methods.QUERY, served=_query),
    "newest": Rpc(method=methods.QUERY_NEWEST, served=_newest),
    "lookup": Rpc(
        method=methods.GET_INBOX_IDS, served=lambda draw: asked(entry(Wallet.drawn(draw))).SerializeToString()
    ),
    # of no signature at all, so that no chain is needed; the contract does not say that it may not be malformed
    "verification": Rpc(
        method=methods.VERIFY_SMART_CONTRACT_WALLET_SIGNATURES,
        served=lambda _: b"",
        ends=(Code.OK, Code.INVALID_ARGUMENT),
    ),
}
each_read = pytest.mark.parametrize("rpc", [rpc for name, rpc in RPCS.items() if name != "publish"], ids=[*RPCS][1:])


def fails(node: Node, draw: Draw, rpc: Rpc, ask: Callable[[], Call], *lawful: Code) -> None:
    """Judge that a call ends with one of the codes, and that the same call with another request is served.

    It is asked several times where it tells of an outage, which is one only where the other request tells of it too.
    """
    call = beside_a_served_one(node, draw, rpc, ask)
    ended(call, lawful, environment=ENVIRONMENT - OUTAGES)


def beside_a_served_one(node: Node, draw: Draw, rpc: Rpc, ask: Callable[[], Call]) -> Call:
    """Make a call between others that are served, until it tells of no outage; a few times at most."""
    for _ in range(_TIMES):
        rpc.is_served(node.raw(rpc.method, rpc.served(draw)))
        call = ask()
        if call.status.code not in OUTAGES:
            break
        rpc.is_served(node.raw(rpc.method, rpc.served(draw)))
    return call
