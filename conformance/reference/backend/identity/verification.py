"""VerifySmartContractWalletSignatures: verdicts for a client that reaches no chain itself (API-271)."""

from __future__ import annotations

from google.protobuf.message import DecodeError

from conformance.pb.backend_pb2 import (
    VerifySmartContractWalletSignaturesRequest,
    VerifySmartContractWalletSignaturesResponse,
)
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.identity.account import address_of, is_account_id
from conformance.reference.backend.identity.contract_wallets import ContractWallets, Verdict

Asked = VerifySmartContractWalletSignaturesRequest.Signature
Told = VerifySmartContractWalletSignaturesResponse.Response
HASH_BYTES = 32
ETHEREUM = "eip155:"


class WalletVerification:
    """Serves VerifySmartContractWalletSignatures."""

    def __init__(self, *, wallets: ContractWallets, bounds: Bounds, publish_ms: int) -> None:
        self.wallets = wallets
        self.bounds = bounds
        self.publish_ms = publish_ms

    def answer(self, request: bytes) -> bytes:
        """Serve one request: a verdict for each entry, or UNAVAILABLE when one cannot be had (API-231)."""
        deadline = Deadline(self.publish_ms / 1000, "the verification")
        try:
            asked = VerifySmartContractWalletSignaturesRequest.FromString(request)
        except DecodeError as error:
            raise Failure(
                Code.INVALID_ARGUMENT, "the request is not a VerifySmartContractWalletSignaturesRequest"
            ) from error
        self.bounds.wallet_signatures(len(asked.signatures))
        for entry in asked.signatures:
            self.check(entry)
        responses = [self.response(entry, deadline) for entry in asked.signatures]
        return VerifySmartContractWalletSignaturesResponse(responses=responses).SerializeToString()

    def check(self, entry: Asked) -> None:
        """Refuse an entry that asks nothing: no account id, or a hash of another length than 32 bytes."""
        if not is_account_id(entry.account_id) or self.is_no_address(entry.account_id):
            raise Failure(Code.INVALID_ARGUMENT, "an account id is malformed")
        if len(entry.hash) != HASH_BYTES:
            raise Failure(Code.INVALID_ARGUMENT, f"a hash has {len(entry.hash)} bytes, not {HASH_BYTES}")

    def is_no_address(self, account_id: str) -> bool:
        """Whether an account is one of an Ethereum chain by its chain and none by its address."""
        namespace, _, address = account_id.rpartition(":")
        return namespace.startswith(ETHEREUM) and address_of(f"{ETHEREUM}1:{address}") is None

    def response(self, entry: Asked, deadline: Deadline) -> Told:
        """Answer one entry: the verdict, and the block it was reached at."""
        verdict = self.verdict(entry, deadline)
        return Told(is_valid=verdict.is_valid, block_number=verdict.block_number)

    def verdict(self, entry: Asked, deadline: Deadline) -> Verdict:
        """Return the verdict at the block of an entry, or at the latest when it names none."""
        block_number = entry.block_number if entry.HasField("block_number") else None
        return self.wallets.verdict(entry.account_id, block_number, entry.hash, entry.signature, deadline=deadline)
