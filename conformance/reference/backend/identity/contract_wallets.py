"""Verdicts on the signatures of contract wallets (EIP-1271, EIP-6492), which only their chain can give."""

from __future__ import annotations

import re
from dataclasses import dataclass

from conformance.pb.signature_pb2 import SmartContractWalletSignature
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.identity.account import address_of, chain_of
from conformance.reference.backend.identity.chain import ChainClient, ChainFailure, Chains, RevertedError
from conformance.reference.backend.identity.signatures import forged
from conformance.reference.backend.identity.wallet_program import wallet_program

FRESH_S = 1800  # IDENT-062
VALID = "0x01"
_DATA = re.compile(r"0x(?:[0-9a-fA-F]{2})*")
_QUANTITY = re.compile(r"0x[0-9a-fA-F]{1,16}")


@dataclass(frozen=True, kw_only=True)
class Block:
    """The number of a block and its time in seconds since the epoch."""

    number: int
    timestamp_s: int


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a chain says of a signature, at which block."""

    is_valid: bool
    block_number: int


class ContractWallets:
    """Asks chains; ChainFailure when no verdict can be had, which is not a verdict (API-231)."""

    def __init__(self, chains: Chains) -> None:
        self.chains = chains

    def verify(self, signature: SmartContractWalletSignature, digest: bytes, deadline: Deadline) -> None:
        """Verify a signature of an identity update; CheckFailure with INVALID_SIGNATURE when it is not valid."""
        client = self.chains.client(chain_of(signature.account_id))
        if not self.is_fresh(client, signature.block_number, deadline):
            raise forged("a contract wallet's signature names a block too old, or one that does not exist yet")
        verdict = self.verdict(
            signature.account_id, signature.block_number, digest, signature.signature, deadline=deadline
        )
        if not verdict.is_valid:
            raise forged("the chain of a contract wallet says that a signature is not valid")

    def verdict(
        self, account_id: str, block_number: int | None, digest: bytes, signature: bytes, *, deadline: Deadline
    ) -> Verdict:
        """Return the verdict at a block, None for the latest."""
        client = self.chains.client(chain_of(account_id))
        number = self.latest(client, deadline) if block_number is None else block_number
        address = bytes.fromhex((address_of(account_id) or "").removeprefix("0x"))
        is_valid = self.judged(client, number, (address, digest, signature), deadline)
        return Verdict(is_valid=is_valid, block_number=number)

    def judged(
        self, client: ChainClient, number: int, question: tuple[bytes, bytes, bytes], deadline: Deadline
    ) -> bool:
        """Have the chain judge an account, a hash and a signature; what makes the judgement revert is not valid."""
        try:
            program = wallet_program(*question)
        except ValueError:
            return False  # no chain takes what is not wrapped as it says it is
        try:
            result = client.call("eth_call", [{"data": f"0x{program.hex()}"}, hex(number)], deadline)
        except RevertedError:
            return False
        if not isinstance(result, str) or _DATA.fullmatch(result) is None:
            raise ChainFailure("its node answers a call with something that is no data")
        return result == VALID

    def latest(self, client: ChainClient, deadline: Deadline) -> int:
        """Return the number of the latest block."""
        return _quantity(self._call(client, "eth_blockNumber", [], deadline))

    def is_fresh(self, client: ChainClient, number: int, deadline: Deadline) -> bool:
        """Whether a block exists and is not much older than the latest one (IDENT-062)."""
        head = self.block(client, "latest", deadline)
        if number > head.number:
            return False
        named = head if number == head.number else self.block(client, hex(number), deadline)
        return head.timestamp_s - named.timestamp_s <= FRESH_S

    def block(self, client: ChainClient, name: str, deadline: Deadline) -> Block:
        """Return a block by its number in hexadecimal, or `latest`."""
        found = self._call(client, "eth_getBlockByNumber", [name, False], deadline)
        if not isinstance(found, dict):
            raise ChainFailure("its node does not know a block below its latest")
        return Block(number=_quantity(found.get("number")), timestamp_s=_quantity(found.get("timestamp")))

    def _call(self, client: ChainClient, method: str, parameters: list[object], deadline: Deadline) -> object:
        try:
            return client.call(method, parameters, deadline)
        except RevertedError as error:
            raise ChainFailure("its node reports an error") from error


def _quantity(value: object) -> int:
    if not isinstance(value, str) or _QUANTITY.fullmatch(value) is None:
        raise ChainFailure("its node answers with something that is no number")
    return int(value, 16)
