"""What only a chain can tell: whether a contract wallet's signature is valid, asked through a function from outside."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

_ACCOUNT = re.compile(r"eip155:(0|[1-9][0-9]*):(0x[0-9a-fA-F]{40})")
_CHAIN_IDS_END = 1 << 64


class ChainVerdict(Enum):
    """What came of asking: a verdict, or none.

    OUTSIDE is a block that is not yet there or lies too far back (IDENT-062).
    """

    VALID = "valid"
    INVALID = "invalid"
    UNREACHABLE = "unreachable"
    OUTSIDE = "outside"


@dataclass(frozen=True, kw_only=True)
class ChainQuestion:
    """Whether the account at `address` (lowercase) signed the 32 bytes of `hash`, as of a block."""

    chain_id: int
    address: str
    hash: bytes
    signature: bytes
    block_number: int


Chain = Callable[[ChainQuestion], ChainVerdict]


def no_chain(_: ChainQuestion) -> ChainVerdict:
    """Be the chain of a deployment without one."""
    return ChainVerdict.UNREACHABLE


def said_yes(_: ChainQuestion) -> ChainVerdict:
    """Be the chain that judged what is stored already: it must have accepted it then."""
    return ChainVerdict.VALID


def account_of(account_id: str) -> tuple[int, str] | None:
    """Read a CAIP-10 account of an eip155 chain: chain id and address in lowercase; None for any other text.

    The chain id is a 64-bit number in its only decimal form; the address may be in mixed case (IDENT-060).
    """
    match = _ACCOUNT.fullmatch(account_id)
    if match is None or int(match[1]) >= _CHAIN_IDS_END:
        return None
    return int(match[1]), match[2].lower()
