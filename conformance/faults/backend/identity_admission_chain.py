"""Faults of what is made of a chain's verdict, and of a chain that gives none (API-231)."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.faults.backend.identity_admission_parts import with_identity
from conformance.faults.backend.publish_parts import clauses
from conformance.faults.registry import Variant
from conformance.pb.signature_pb2 import SmartContractWalletSignature
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import CheckFailure, Code, Failure
from conformance.reference.backend.identity.account import chain_of
from conformance.reference.backend.identity.chain import ChainClient, ChainFailure, Chains
from conformance.reference.backend.identity.contract_wallets import ContractWallets
from conformance.reference.backend.identity.identifiers import refused
from conformance.reference.backend.identity.signatures import forged
from conformance.reference.backend.identity.verification import Asked, Told, WalletVerification


class OutageIsForged(ContractWallets):
    """Takes a chain that gives no verdict for one that rejects the signature."""

    def verify(self, signature: SmartContractWalletSignature, digest: bytes, deadline: Deadline) -> None:
        """Report an invalid signature."""
        try:
            super().verify(signature, digest, deadline)
        except ChainFailure as failure:
            raise forged("no verdict") from failure


class SilenceIsForged(ContractWallets):
    """Takes a chain that has not answered in time for one that rejects the signature."""

    def verify(self, signature: SmartContractWalletSignature, digest: bytes, deadline: Deadline) -> None:
        """Report an invalid signature when no time is left."""
        try:
            super().verify(signature, digest, deadline)
        except ChainFailure as failure:
            if deadline.remaining() <= 0:
                raise forged("no verdict in time") from failure
            raise


class OutageIsGenuine(ContractWallets):
    """Trusts a signature that no chain has judged."""

    def verify(self, signature: SmartContractWalletSignature, digest: bytes, deadline: Deadline) -> None:
        """Pass."""
        try:
            super().verify(signature, digest, deadline)
        except ChainFailure:
            return


class OutageIsRemembered(ContractWallets):
    """Keeps, for a signature that has met an outage, a verdict that nobody gave."""

    def __init__(self, chains: Chains) -> None:
        super().__init__(chains)
        self.unjudged: set[bytes] = set()

    def verify(self, signature: SmartContractWalletSignature, digest: bytes, deadline: Deadline) -> None:
        """Ask no second time."""
        if signature.signature in self.unjudged:
            raise forged("it was not verified before")
        try:
            super().verify(signature, digest, deadline)
        except ChainFailure:
            self.unjudged.add(signature.signature)
            raise


class ForgedIsOutage(ContractWallets):
    """Takes a chain that rejects a signature for one that gives no verdict."""

    def verify(self, signature: SmartContractWalletSignature, digest: bytes, deadline: Deadline) -> None:
        """Report an outage."""
        try:
            super().verify(signature, digest, deadline)
        except CheckFailure as failure:
            raise ChainFailure(failure.message) from failure


class ForgedIsForbidden(ContractWallets):
    """Reports a rejected signature as an update that the state forbids."""

    def verify(self, signature: SmartContractWalletSignature, digest: bytes, deadline: Deadline) -> None:
        """Change the reason."""
        try:
            super().verify(signature, digest, deadline)
        except CheckFailure as failure:
            raise refused(failure.message) from failure


class NeverAsks(ContractWallets):
    """Takes every signature of a contract wallet."""

    def verify(self, signature: SmartContractWalletSignature, digest: bytes, deadline: Deadline) -> None:
        """Pass."""


class EndsByTheClock(ContractWallets):
    """Ends a publish whose chain does not answer by its own time limit."""

    def verify(self, signature: SmartContractWalletSignature, digest: bytes, deadline: Deadline) -> None:
        """Look at the clock first."""
        try:
            super().verify(signature, digest, deadline)
        except ChainFailure:
            deadline.check()
            raise


class UnknownIsForged(ContractWallets):
    """Refuses an update with an account on a chain that is not configured."""

    def verify(self, signature: SmartContractWalletSignature, digest: bytes, deadline: Deadline) -> None:
        """Look for the chain first."""
        try:
            self.chains.client(chain_of(signature.account_id))
        except ChainFailure as failure:
            raise forged("its chain is not known") from failure
        super().verify(signature, digest, deadline)


class KeepsVerdicts(ContractWallets):
    """Asks for a verdict once, and keeps it."""

    def __init__(self, chains: Chains) -> None:
        super().__init__(chains)
        self.kept: dict[tuple[int, tuple[bytes, bytes, bytes]], bool] = {}

    def judged(
        self, client: ChainClient, number: int, question: tuple[bytes, bytes, bytes], deadline: Deadline
    ) -> bool:
        """Look for it among those kept."""
        if (number, question) not in self.kept:
            self.kept[number, question] = super().judged(client, number, question, deadline)
        return self.kept[number, question]


class ErrorIsAVerdict(ChainClient):
    """Takes every error that a node reports for that of a call which reverted."""

    def is_revert(self, error: object) -> bool:
        """Take it so."""
        return error is not None


class ErrorsAreVerdicts(Chains):
    """The chains behind such nodes."""

    client_type = ErrorIsAVerdict


class OutageIsAnswered(WalletVerification):
    """Answers that a signature is not valid when no chain has judged it."""

    def response(self, entry: Asked, deadline: Deadline) -> Told:
        """Say so, with an error in words."""
        try:
            return super().response(entry, deadline)
        except ChainFailure as failure:
            return Told(is_valid=False, error=failure.message)


class SilenceIsAnswered(WalletVerification):
    """Answers that a signature is not valid when the chain does not answer in time."""

    def response(self, entry: Asked, deadline: Deadline) -> Told:
        """Say so when no time is left."""
        try:
            return super().response(entry, deadline)
        except ChainFailure as failure:
            if deadline.remaining() <= 0:
                return Told(is_valid=False, error=failure.message)
            raise


class UnknownIsMalformed(WalletVerification):
    """Takes an account on a chain that is not configured for a malformed one."""

    def check(self, entry: Asked) -> None:
        """Refuse it with the malformed ones."""
        super().check(entry)
        try:
            self.wallets.chains.client(chain_of(entry.account_id))
        except ChainFailure as failure:
            raise Failure(Code.INVALID_ARGUMENT, "an account is on an unknown chain") from failure


class UnknownIsInvalid(WalletVerification):
    """Answers that a signature of an account on an unknown chain is not valid."""

    def response(self, entry: Asked, deadline: Deadline) -> Told:
        """Say so."""
        try:
            self.wallets.chains.client(chain_of(entry.account_id))
        except ChainFailure as failure:
            return Told(is_valid=False, error=failure.message)
        return super().response(entry, deadline)


def _faults() -> Iterator[Variant]:
    for name, says, numbers, parts in (
        ("B092", "an outage of the chain makes a signature invalid", "231.a", {"wallets_class": OutageIsForged}),
        ("B440", "a chain that hangs makes a signature invalid", "231.a", {"wallets_class": SilenceIsForged}),
        ("B441", "in an outage signatures are trusted", "231.a", {"wallets_class": OutageIsGenuine}),
        ("B442", "an outage makes a signature invalid afterwards", "231.a", {"wallets_class": OutageIsRemembered}),
        ("B443", "every error of a node is a verdict", "231.a 231.b", {"chains_class": ErrorsAreVerdicts}),
        ("B094", "an outage is answered as not valid", "231.b 231.d", {"verification_class": OutageIsAnswered}),
        ("B444", "a chain that hangs is answered as not valid", "231.b", {"verification_class": SilenceIsAnswered}),
        ("B095", "a rejected signature is an outage", "231.c", {"wallets_class": ForgedIsOutage}),
        ("B445", "a rejected signature is called a forbidden act", "231.c", {"wallets_class": ForgedIsForbidden}),
        ("B446", "no chain is asked", "231.a 231.c", {"wallets_class": NeverAsks}),
        ("B447", "an unknown chain is malformed", "231.d", {"verification_class": UnknownIsMalformed}),
        ("B448", "an account on an unknown chain is not valid", "231.d", {"verification_class": UnknownIsInvalid}),
    ):
        yield Variant(id=name, says=says, clauses=clauses(numbers), build=with_identity(**parts))


_EVERY = clauses("231.a 231.b 231.c 231.d")

VARIANTS: tuple[Variant, ...] = (
    *_faults(),
    Variant(
        id="V440",
        says="a chain that hangs ends a publish by its time limit",
        clauses=_EVERY,
        build=with_identity(wallets_class=EndsByTheClock),
        kind="variation",
    ),
    Variant(
        id="V441",
        says="an update with an account on an unknown chain is refused",
        clauses=_EVERY,
        build=with_identity(wallets_class=UnknownIsForged),
        kind="variation",
    ),
    Variant(
        id="V442",
        says="a verdict is asked for once and kept",
        clauses=_EVERY,
        build=with_identity(wallets_class=KeepsVerdicts),
        kind="variation",
    ),
)
