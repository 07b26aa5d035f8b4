"""What an eth_call asks about a wallet's signature, read from its arguments, whatever code is sent in front of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

IS_VALID_SIGNATURE = bytes.fromhex("1626ba7e")  # of ERC-1271, and the word that it answers with
MAGIC_SUFFIX = bytes.fromhex("6492" * 16)  # of ERC-6492
_SELECTOR_BYTES = 4
_WORD = 32
_ADDRESS_PADDING = bytes(12)
_THREE_HEADS = (3 * _WORD).to_bytes(_WORD, "big")
_TWO_HEADS = (2 * _WORD).to_bytes(_WORD, "big")
_LEAST = 4 * _WORD


class NotACall(ValueError):  # noqa: N818 - named for what the parameters are
    """The parameters of an eth_call are not as JSON-RPC has them; the message is one clause."""


class Asks(Enum):
    """How the verdict is asked for, and so the form of the answer."""

    BYTECODE = "code that is run and answers one byte"
    CONTRACT = "the wallet itself, which answers a word (ERC-1271)"
    VALIDATOR = "a validator contract, which answers a boolean"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The question whether `account` (20 bytes) has signed `hash` (32 bytes) with `signature`."""

    account: bytes
    hash: bytes
    signature: bytes
    how: Asks

    @property
    def inner(self) -> bytes:
        """The signature within an ERC-6492 wrapper, or the signature itself without one."""
        return unwrapped(self.signature)


def asked_of(call: object) -> Asked | None:
    """Read the first parameter of an eth_call; None when its data asks nothing that is known here.

    Raises NotACall for parameters that are no call.
    """
    if not isinstance(call, Mapping):
        raise NotACall("the first parameter is no object")
    data = hex_bytes(call.get("input", call.get("data", "0x")))
    to = call.get("to")
    if to in (None, "", "0x"):
        return _at_the_end(data, Asks.BYTECODE)
    wallet = hex_bytes(to)
    if data[:_SELECTOR_BYTES] == IS_VALID_SIGNATURE:
        return _of_wallet(wallet, data[_SELECTOR_BYTES:])
    asked = _at_the_end(data, Asks.VALIDATOR)
    return asked if asked is not None and len(data) % _WORD == _SELECTOR_BYTES else None


def hex_bytes(value: object) -> bytes:
    """Read bytes as JSON-RPC writes them. Raises NotACall."""
    if isinstance(value, str) and value.startswith("0x"):
        try:
            return bytes.fromhex(value[2:])
        except ValueError:
            pass
    raise NotACall("a value is no hex data")


def unwrapped(signature: bytes) -> bytes:
    """Take a signature out of its ERC-6492 wrapper, if it is in one."""
    if not signature.endswith(MAGIC_SUFFIX):
        return signature
    body = signature[: -len(MAGIC_SUFFIX)]
    offset = int.from_bytes(body[2 * _WORD : 3 * _WORD], "big")
    inner = _dynamic(body[offset:]) if len(body) >= _LEAST and offset <= len(body) - _WORD else None
    return signature if inner is None else inner


def _at_the_end(data: bytes, how: Asks) -> Asked | None:
    """Find `(address, bytes32, bytes)` at the end of the data: the longest such end, as nothing may follow it."""
    place = data.find(_THREE_HEADS)
    while place >= 0:
        start = place - 2 * _WORD
        if start >= 0 and data[start:].startswith(_ADDRESS_PADDING):
            signature = _dynamic(data[place + _WORD :])
            if signature is not None and len(data) == place + 2 * _WORD + len(signature) + -len(signature) % _WORD:
                account, digest = data[start + len(_ADDRESS_PADDING) : start + _WORD], data[start + _WORD : place]
                return Asked(account=account, hash=digest, signature=signature, how=how)
        place = data.find(_THREE_HEADS, place + 1)
    return None


def _of_wallet(wallet: bytes, arguments: bytes) -> Asked | None:
    """Read `(bytes32, bytes)`, the arguments of isValidSignature."""
    signature = _dynamic(arguments[2 * _WORD :]) if arguments[_WORD : 2 * _WORD] == _TWO_HEADS else None
    if signature is None:
        return None
    return Asked(account=wallet, hash=arguments[:_WORD], signature=signature, how=Asks.CONTRACT)


def _dynamic(data: bytes) -> bytes | None:
    """Read `bytes` with its length in front and zeros behind; None when the data are not that."""
    size = int.from_bytes(data[:_WORD], "big")
    end = _WORD + size
    padding = data[end : end + -size % _WORD]
    return data[_WORD:end] if len(data) >= end and not any(padding) else None
