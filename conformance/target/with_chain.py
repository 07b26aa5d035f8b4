"""A deployment that asks the suite's own chain about contract wallets, and that chain, for one case."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.target.chain.stub import ChainStub
    from conformance.target.deployment import Deployment
    from conformance.target.node import Node
    from conformance.target.pool import Pool

CHAIN = "chain"


@dataclass(frozen=True, kw_only=True)
class WithChain:
    """A deployment, an endpoint of it, and the only chain it knows."""

    deployment: Deployment
    node: Node
    stub: ChainStub


@contextmanager
def with_chain(pool: Pool, *, alone: bool = False, name: str = CHAIN) -> Iterator[WithChain]:
    """Give the deployment of a configuration with a chain; what the case tells the chain is forgotten afterwards.

    With `alone` the deployment is started for this case only, which may move its clock or break it. The chain is that
    of the pool all the same. Raises what `Pool.deployment` and `Pool.exclusive` raise: Missing when the target cannot
    be told a chain.
    """
    if alone:
        with pool.exclusive(name) as deployment:
            yield from _of(pool, deployment)
    else:
        yield from _of(pool, pool.deployment(name))


def _of(pool: Pool, deployment: Deployment) -> Iterator[WithChain]:
    stub = pool.chain
    stub.forget()
    try:
        yield WithChain(deployment=deployment, node=deployment.node(), stub=stub)
    finally:
        stub.forget()
