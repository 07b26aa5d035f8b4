"""A program for the EVM that judges one signature of one account (EIP-1271, EIP-6492) and returns a single byte.

Sent as the data of a call without a recipient, a node runs it as if it deployed a contract and returns its output,
0x01 for valid and 0x00 for invalid, without any contract of ours on the chain. If the account has no code, the factory
that the signature names is called first; then an account with code is asked itself, and one without is compared with
the key that the signature recovers to, unless the signature has named a factory: that had to give the account code. The
call ends with the arguments of the question, encoded by the ABI as (address, bytes32, bytes), which the program does
not read and a person with a node's log will.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

WORD = 32
MAGIC_SUFFIX = b"\x64\x92" * 16
MAGIC_VALUE = b"\x16\x26\xba\x7e"  # also the selector of isValidSignature(bytes32,bytes)
_ECDSA_BYTES = 65
_ELECTRUM_VS = (27, 28)  # the only ones that the recovery of the EVM takes
_RECOVER = 1  # address of the precompiled contract

_GT, _EQ, _ISZERO, _AND, _SHR = b"\x11", b"\x14", b"\x15", b"\x16", b"\x1c"
_CODECOPY, _EXTCODESIZE, _RETURNDATASIZE = b"\x39", b"\x3b", b"\x3d"
_POP, _MLOAD, _MSTORE8, _JUMP, _JUMPI, _GAS, _JUMPDEST = b"\x50", b"\x51", b"\x53", b"\x56", b"\x57", b"\x5a", b"\x5b"
_CALL, _RETURN, _STATICCALL = b"\xf1", b"\xf3", b"\xfa"
_PUSH_0 = 0x5F
_PLACE_BYTES = 3


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """How an account is deployed: a factory, and what to call it with."""

    factory: bytes
    calldata: bytes


def wallet_program(account: bytes, digest: bytes, signature: bytes) -> bytes:
    """Assemble the call data for one question; `account` has 20 bytes and `digest` 32.

    Raises ValueError for a signature that ends as EIP-6492 says and is not wrapped as it says.
    """
    deployment, inner = unwrapped(signature)
    question = MAGIC_VALUE + digest + abi_bytes(2 * WORD, inner)
    code = _Code(account)
    if deployment is not None:
        code.deploy(deployment)
    code.ask(question)
    code.recover(digest, inner if deployment is None else b"")
    arguments = account.rjust(WORD, b"\x00") + digest + abi_bytes(3 * WORD, signature)
    return code.assembled() + arguments


def unwrapped(signature: bytes) -> tuple[Deployment | None, bytes]:
    """Split a signature as EIP-6492 wraps it; one that is not wrapped is returned as it is."""
    if not signature.endswith(MAGIC_SUFFIX):
        return None, signature
    body = signature[: -len(MAGIC_SUFFIX)]
    factory = _word(body, 0)
    if factory >> 160:
        raise ValueError("the factory is no address")
    calldata, inner = _dynamic(body, _word(body, WORD)), _dynamic(body, _word(body, 2 * WORD))
    return Deployment(factory=factory.to_bytes(20, "big"), calldata=calldata), inner


def abi_bytes(offset: int, value: bytes) -> bytes:
    """Encode a last argument of type bytes: where it starts, its length, and itself."""
    return offset.to_bytes(WORD, "big") + len(value).to_bytes(WORD, "big") + value + bytes(-len(value) % WORD)


class _Code:
    """Instructions, and behind them the data that they copy to memory.

    The arguments of an instruction are pushed last one first. A place is a name until all is assembled; a name with a
    colon before it marks the place itself.
    """

    def __init__(self, account: bytes) -> None:
        self._account = _push(account)
        self._parts: list[bytes | str] = []
        self._data: dict[str, bytes] = {}

    def deploy(self, deployment: Deployment) -> None:
        """Call the factory unless the account has code; whether that helped shows in what follows."""
        self._add(self._account, _EXTCODESIZE, "deployed", _JUMPI)
        length = self._copy("calldata", deployment.calldata)
        self._add(_push(0), _push(0), length, _push(0), _push(0), _push(deployment.factory), _GAS, _CALL, _POP)
        self._add(":deployed")

    def ask(self, question: bytes) -> None:
        """Ask an account with code: it must succeed, and return a whole word that starts with the magic value."""
        self._add(self._account, _EXTCODESIZE, _ISZERO, "no code", _JUMPI)
        length = self._copy("question", question)
        self._add(_push(WORD), _push(0), length, _push(0), self._account, _GAS, _STATICCALL)
        self._add(_push(WORD - 1), _RETURNDATASIZE, _GT, _AND)
        self._add(_push(MAGIC_VALUE), _push(0), _MLOAD, _push(8 * (WORD - len(MAGIC_VALUE))), _SHR, _EQ, _AND)
        self._add("end", _JUMP)

    def recover(self, digest: bytes, signature: bytes) -> None:
        """Compare an account without code with the key that a signature of 65 bytes recovers to; return the byte.

        No other signature can be its own.
        """
        self._add(":no code")
        if len(signature) == _ECDSA_BYTES and signature[-1] in _ELECTRUM_VS:
            length = self._copy("signature", digest + signature[-1:].rjust(WORD, b"\x00") + signature[:-1])
            self._add(_push(WORD), _push(0), length, _push(0), _push(_RECOVER), _GAS, _STATICCALL)
            self._add(_push(WORD), _RETURNDATASIZE, _EQ, _AND)
            self._add(self._account, _push(0), _MLOAD, _EQ, _AND)
        else:
            self._add(_push(0))
        self._add(":end", _push(0), _MSTORE8, _push(1), _push(0), _RETURN)

    def assembled(self) -> bytes:
        """Return the code, filled up to whole words."""
        places: dict[str, int] = {}
        offset = 0
        for part in self._parts:
            if isinstance(part, bytes):
                offset += len(part)
            elif part.startswith(":"):
                places[part[1:]] = offset
                offset += len(_JUMPDEST)
            else:
                offset += 1 + _PLACE_BYTES
        for name, data in self._data.items():
            places[name] = offset
            offset += len(data)
        code = b"".join([*(self._encoded(part, places) for part in self._parts), *self._data.values()])
        return code + bytes(-len(code) % WORD)

    def _encoded(self, part: bytes | str, places: Mapping[str, int]) -> bytes:
        if isinstance(part, bytes):
            return part
        return _JUMPDEST if part.startswith(":") else _push(places[part].to_bytes(_PLACE_BYTES, "big"))

    def _add(self, *parts: bytes | str) -> None:
        self._parts += parts

    def _copy(self, name: str, data: bytes) -> bytes:
        """Copy data to the start of the memory; the instruction that pushes its length."""
        length = _push(len(data).to_bytes(_PLACE_BYTES, "big"))
        self._data[name] = data
        self._add(length, name, _push(0), _CODECOPY)
        return length


def _push(value: int | bytes) -> bytes:
    """Push a value of up to 32 bytes; an int is one byte."""
    data = bytes([value]) if isinstance(value, int) else value
    return bytes([_PUSH_0 + len(data)]) + data


def _word(body: bytes, offset: int) -> int:
    if not 0 <= offset <= len(body) - WORD:
        raise ValueError("the wrapped signature is cut off")
    return int.from_bytes(body[offset : offset + WORD], "big")


def _dynamic(body: bytes, offset: int) -> bytes:
    length = _word(body, offset)
    value = body[offset + WORD : offset + WORD + length]
    if len(value) != length:
        raise ValueError("the wrapped signature is cut off")
    return value
