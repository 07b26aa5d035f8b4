"""A program for the EVM that judges one signature of one account (EIP-1271, EIP-6492) and returns a single byte.

Sent as the data of a call without a recipient, a node runs it as if it deployed a contract and returns its output,
0x01 for valid and 0x00 for invalid, without any contract of ours on the chain. If the account has no code, the factory
that the signature names is called first; then an account with code is asked itself, and one without is compared with
the key that the signature recovers to. The call ends with the arguments of the question, encoded by the ABI as
(address, bytes32, bytes), which the program does not read and a person with a node's log will.
"""

from __future__ import annotations

from dataclasses import dataclass

WORD = 32
MAGIC_SUFFIX = b"\x64\x92" * 16
MAGIC_VALUE = b"\x16\x26\xba\x7e"  # also the selector of isValidSignature(bytes32,bytes)
_ECDSA_BYTES = 65
_ELECTRUM_VS = (27, 28)  # the only ones that the recovery of the EVM takes
_RECOVER = 1  # address of the precompiled contract

_EQ, _ISZERO, _AND, _LT, _SHR = b"\x14", b"\x15", b"\x16", b"\x10", b"\x1c"
_CODECOPY, _EXTCODESIZE, _RETURNDATASIZE = b"\x39", b"\x3b", b"\x3d"
_POP, _MLOAD, _MSTORE8, _JUMP, _JUMPI, _GAS, _JUMPDEST = b"\x50", b"\x51", b"\x53", b"\x56", b"\x57", b"\x5a", b"\x5b"
_CALL, _RETURN, _STATICCALL = b"\xf1", b"\xf3", b"\xfa"


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
    code.recover(digest, inner)
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
    """Instructions, and the data that they copy to memory, which stands behind them.

    A place in the code is a label until all is assembled, and takes three bytes then.
    """

    def __init__(self, account: bytes) -> None:
        self._account = _push(account)
        self._parts: list[bytes | str] = []
        self._data: dict[str, bytes] = {}

    def deploy(self, deployment: Deployment) -> None:
        """Call the factory unless the account has code; whether that helped shows in what follows."""
        self._parts += [self._account, _EXTCODESIZE, "deployed", _JUMPI]
        length = self._copy("calldata", deployment.calldata)
        self._parts += [_push(0), _push(0), length, _push(0), _push(0), _push(deployment.factory), _GAS, _CALL, _POP]
        self._parts += [":deployed"]

    def ask(self, question: bytes) -> None:
        """Ask an account with code; valid when it succeeds with a word that starts with the magic value."""
        self._parts += [self._account, _EXTCODESIZE, _ISZERO, "no_code", _JUMPI]
        length = self._copy("question", question)
        self._parts += [_push(WORD), _push(0), length, _push(0), self._account, _GAS, _STATICCALL]
        self._parts += [_push(0), _MLOAD, _push(224), _SHR, _push(MAGIC_VALUE), _EQ, _AND]
        self._parts += [_push(WORD - 1), _RETURNDATASIZE, _push(WORD - 1), _LT, _AND, "end", _JUMP]
        self._parts.remove(self._parts[-7])  # see below: the comparison needs one operand on each side

    def recover(self, digest: bytes, signature: bytes) -> None:
        """Compare an account without code with the key that a signature of 65 bytes recovers to."""
        self._parts += [":no_code"]
        if len(signature) == _ECDSA_BYTES and signature[-1] in _ELECTRUM_VS:
            words = digest + signature[-1:].rjust(WORD, b"\x00") + signature[:-1]
            length = self._copy("words", words)
            self._parts += [_push(WORD), _push(0), length, _push(0), _push(_RECOVER), _GAS, _STATICCALL]
            self._parts += [_push(0), _MLOAD, self._account, _EQ, _AND]
            self._parts += [_RETURNDATASIZE, _push(WORD), _EQ, _AND]
        else:
            self._parts += [_push(0)]
        self._parts += [":end", _push(0), _MSTORE8, _push(1), _push(0), _RETURN]

    def assembled(self) -> bytes:
        """Return the code, filled up to whole words."""
        return b""
