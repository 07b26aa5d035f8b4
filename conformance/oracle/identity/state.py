"""The state of an inbox after a log of updates (IDENT section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from conformance.oracle.identity.identifiers import Identifier


@dataclass(frozen=True, kw_only=True)
class Member:
    """How somebody became a member: by whom, at which `client_timestamp_ns`, signing on which eip155 chain.

    `update` is the number of that update in the log, the first one being 1. The creator has no adder and no time.
    """

    adder: Identifier | None = None
    client_timestamp_ns: int | None = None
    chain_id: int | None = None
    update: int = 1


@dataclass(frozen=True, kw_only=True)
class AssociationState:
    """Members, the recovery identifier with the chain of its own, replay keys used, handles claimed in their order.

    `updates` counts the updates of the log.
    """

    inbox_id: str
    members: Mapping[Identifier, Member]
    recovery: Identifier
    recovery_chain_id: int | None = None
    seen: frozenset[bytes] = frozenset()
    handles: tuple[str, ...] = ()
    updates: int = 0
