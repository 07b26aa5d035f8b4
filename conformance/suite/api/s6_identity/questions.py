"""Questions about signatures of contract wallets whose verdicts are known, each about an account of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conformance.craft.identity.contract_wallet import ContractWallet
from conformance.craft.identity.wallet import Wallet
from conformance.oracle.identity.wallet_verdicts import verdicts
from conformance.oracle.status import succeeded
from conformance.pb import backend_pb2
from conformance.target.errors import Missing

if TYPE_CHECKING:
    from conformance.craft.draw import Draw
    from conformance.target.answers import Verified
    from conformance.target.node import Node

Request = backend_pb2.VerifySmartContractWalletSignaturesRequest
HASH_BYTES = 32


@dataclass(frozen=True, kw_only=True)
class Question:
    """One signature to verify, and the verdict of a chain on which nobody has told it otherwise."""

    account: str
    hash: bytes
    signature: bytes
    valid: bool = True
    block: int | None = None

    @property
    def address(self) -> str:
        """The account without its chain."""
        return self.account.rpartition(":")[2]

    def at(self, block: int | None) -> Question:
        """Ask the same at another block, None for the latest."""
        return replace(self, block=block)


def without_account(one: Question) -> Question:
    """Leave the address out of the account, so that it is none."""
    return replace(one, account=one.account.rpartition(":")[0])


def without_last_byte(one: Question) -> Question:
    """Cut the hash one byte short."""
    return replace(one, hash=one.hash[:-1])


def question(draw: Draw, *, valid: bool = True, chain_id: int | None = None) -> Question:
    """Ask about a new account without code: its own key signs, or another, which every chain finds not valid."""
    wallet = ContractWallet.drawn(draw) if chain_id is None else ContractWallet.drawn(draw, chain_id=chain_id)
    signer = wallet.wallet if valid else Wallet.drawn(draw)
    digest = draw.identifier(HASH_BYTES)
    return Question(account=wallet.account_id, hash=digest, signature=signer.sign_hash(digest), valid=valid)


def ask(node: Node, *questions: Question) -> Verified:
    """Have signatures verified in one request. Raises Missing when the deployment allows fewer."""
    if len(questions) > node.limits.max_scw_signatures:
        raise Missing("limits", f"one request may have fewer than {len(questions)} signatures")
    request = Request()
    for one in questions:
        request.signatures.add(account_id=one.account, block_number=one.block, hash=one.hash, signature=one.signature)
    return node.verify_wallets(request)


def verified(node: Node, *questions: Question) -> Verified:
    """Judge that each signature is answered with its verdict, in its place; return the answer."""
    answer = ask(node, *questions)
    succeeded(answer.call)
    verdicts(answer.response, [one.valid for one in questions])
    return answer
