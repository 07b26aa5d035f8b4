"""Account ids (CAIP-10) and the part of them that names an account of an Ethereum chain."""

from __future__ import annotations

import re

_ACCOUNT = re.compile(r"[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}:[-.%a-zA-Z0-9]{1,128}")
_ETHEREUM = re.compile(r"eip155:(0|[1-9][0-9]{0,19}):(0x[0-9a-fA-F]{40})")
_CHAIN = re.compile(r"eip155:(0|[1-9][0-9]{0,19})")
MAX_UINT64 = 2**64 - 1


def is_account_id(text: str) -> bool:
    """Whether a text has the form of a CAIP-10 account id, on whatever kind of chain."""
    return _ACCOUNT.fullmatch(text) is not None


def address_of(account_id: str) -> str | None:
    """Return the address in lower case; None unless this is an account of an Ethereum chain."""
    match = _ETHEREUM.fullmatch(account_id)
    return None if match is None else match[2].lower()


def chain_of(account_id: str) -> int | None:
    """Return the number of the chain; None unless this is an account of an Ethereum chain."""
    match = _ETHEREUM.fullmatch(account_id)
    return None if match is None else _number(match[1])


def chain_id(name: str) -> int | None:
    """Return the number of a chain named as in CAIP-2; None for a chain of another kind."""
    match = _CHAIN.fullmatch(name)
    return None if match is None else _number(match[1])


def _number(digits: str) -> int | None:
    return int(digits) if int(digits) <= MAX_UINT64 else None
