"""Blocks by the names JSON-RPC gives them, and a block as it is described."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from conformance.target.chain.call_data import NotACall

_NEWEST = frozenset({"latest", "pending", "safe", "finalized"})
_HASH_BYTES = 32
_NUMBER_BYTES = 8
_NUMBER = re.compile("0x[0-9a-fA-F]{1,16}")


class NoSuchBlock(LookupError):  # noqa: N818 - named for what the caller asked for
    """A block that no chain of this kind has."""


def block_by(named: object, head: int, chain_id: int) -> int:
    """Give the number of a block named by number, tag, or an object with either or a hash; it may be above the head.

    Raises NotACall for no name of a block, and NoSuchBlock for the hash of a block of another chain.
    """
    if isinstance(named, Mapping):
        if "blockHash" in named:
            return number_of(named["blockHash"], chain_id)
        named = named.get("blockNumber")
    if named in _NEWEST:
        return head
    if named == "earliest":
        return 0
    if isinstance(named, str) and _NUMBER.fullmatch(named):
        return int(named, 16)
    raise NotACall("a block is named neither by number nor by tag")


def hash_of(number: int, chain_id: int) -> str:
    """Give the hash of a block: made up, and different for each block of each chain."""
    return (
        "0x" + chain_id.to_bytes(_HASH_BYTES - _NUMBER_BYTES, "big").hex() + number.to_bytes(_NUMBER_BYTES, "big").hex()
    )


def number_of(block_hash: object, chain_id: int) -> int:
    """Give the number of the block of a hash. Raises NoSuchBlock."""
    if isinstance(block_hash, str):
        try:
            number = int(block_hash[-2 * _NUMBER_BYTES :], 16)
        except ValueError:
            number = 0
        if block_hash.lower() == hash_of(number, chain_id):
            return number
    raise NoSuchBlock


def described(number: int, time_s: int, chain_id: int) -> dict[str, Any]:
    """Describe an empty block with every field that strict clients look for."""
    zero = "0x" + bytes(_HASH_BYTES).hex()
    return {
        "number": hex(number),
        "timestamp": hex(time_s),
        "hash": hash_of(number, chain_id),
        "parentHash": hash_of(max(0, number - 1), chain_id),
        "sha3Uncles": zero,
        "miner": "0x" + bytes(20).hex(),
        "stateRoot": zero,
        "transactionsRoot": zero,
        "receiptsRoot": zero,
        "logsBloom": "0x" + bytes(256).hex(),
        "difficulty": "0x0",
        "totalDifficulty": "0x0",
        "gasLimit": "0x1c9c380",
        "gasUsed": "0x0",
        "baseFeePerGas": "0x1",
        "extraData": "0x",
        "mixHash": zero,
        "nonce": "0x0000000000000000",
        "size": "0x220",
        "uncles": [],
        "transactions": [],
    }
