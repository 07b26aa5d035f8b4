"""Contract wallets: signatures that only a chain can judge (ERC-1271), also before the account exists (ERC-6492)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conformance.craft.draw import Draw
from conformance.craft.identity.identifier import MemberId, wallet_id
from conformance.craft.identity.signer import Signature
from conformance.craft.identity.wallet import Wallet, eip191_hash
from conformance.pb import association_pb2, signature_pb2

MAGIC_SUFFIX = b"\x64\x92" * 16
LOCAL_CHAIN = 31337
FIRST_BLOCK = 1
_WORD = 32
_ADDRESS_BYTES = 20


@dataclass(frozen=True, kw_only=True)
class ContractWallet:
    """An account of a chain, spoken for by a wallet's key.

    `block_number` is the block the signature names. The account may have no code: an honest validator then recovers
    the key and finds the address, so that the verdict is `valid` on a real chain as well. `form` turns the 65 bytes of
    the key's signature into those sent.
    """

    wallet: Wallet
    chain_id: int = LOCAL_CHAIN
    block_number: int = FIRST_BLOCK
    account: str | None = None
    form: Callable[[bytes], bytes] = bytes

    @classmethod
    def drawn(cls, draw: Draw, *, chain_id: int = LOCAL_CHAIN, block_number: int = FIRST_BLOCK) -> ContractWallet:
        """Make an account that no other case has."""
        return cls(wallet=Wallet.drawn(draw), chain_id=chain_id, block_number=block_number)

    @property
    def identifier(self) -> MemberId:
        """The address without its chain."""
        return wallet_id(self.wallet.address)

    @property
    def account_id(self) -> str:
        """The account as signatures name it (CAIP-10), or the `account` given instead."""
        return f"eip155:{self.chain_id}:{self.wallet.address}" if self.account is None else self.account

    def signature_bytes(self, text: str) -> bytes:
        """Give the bytes that the chain is asked about for a text."""
        return self.form(self.wallet.sign_hash(eip191_hash(text)))

    def sign(self, text: str) -> Signature:
        """Sign a text."""
        return erc_6492(self.account_id, self.signature_bytes(text), block_number=self.block_number)


def erc_6492(account_id: str, signature: bytes, *, block_number: int = FIRST_BLOCK) -> Signature:
    """Put a contract wallet's signature into a message."""
    wallet = signature_pb2.SmartContractWalletSignature(
        account_id=account_id, block_number=block_number, signature=signature
    )
    return Signature(erc_6492=wallet)


def wrapped(signature: bytes, *, factory: bytes = b"\xfa" * _ADDRESS_BYTES, call: bytes = b"") -> bytes:
    """Wrap a signature for an account that `factory` would deploy when called with `call` (ERC-6492)."""
    return abi_arguments(factory.rjust(_WORD, b"\x00"), call, signature) + MAGIC_SUFFIX


def wallet_signatures(update: association_pb2.IdentityUpdate) -> tuple[bytes, ...]:
    """Give the distinct contract wallets' signatures of an update, in their order."""
    slots = [
        signature
        for action in update.actions
        for signature in (
            action.create_inbox.initial_identifier_signature,
            action.add.existing_member_signature,
            action.add.new_member_signature,
            action.revoke.recovery_identifier_signature,
            action.change_recovery_address.existing_recovery_identifier_signature,
        )
    ]
    return tuple(dict.fromkeys(slot.erc_6492.signature for slot in slots if slot.WhichOneof("signature") == "erc_6492"))


def abi_arguments(*values: bytes) -> bytes:
    """Encode call arguments by the ABI, the last two as dynamic `bytes` and those before, of 32 bytes, as they are."""
    *words, first, last = values
    offset = _WORD * len(values)
    tails = [_dynamic(first), _dynamic(last)]
    heads = [offset.to_bytes(_WORD, "big"), (offset + len(tails[0])).to_bytes(_WORD, "big")]
    return b"".join([*words, *heads, *tails])


def _dynamic(value: bytes) -> bytes:
    return len(value).to_bytes(_WORD, "big") + value + bytes(-len(value) % _WORD)
