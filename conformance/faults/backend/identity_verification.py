"""Faults and variations of VerifySmartContractWalletSignatures (API-271)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.faults.backend.identity_admission_parts import with_identity
from conformance.faults.backend.publish_parts import clauses
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import (
    VerifySmartContractWalletSignaturesRequest as Request,
)
from conformance.pb.backend_pb2 import (
    VerifySmartContractWalletSignaturesResponse as Response,
)
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.identity.chain import ChainFailure
from conformance.reference.backend.identity.contract_wallets import Verdict
from conformance.reference.backend.identity.verification import HASH_BYTES, Asked, Told, WalletVerification


class BlockAsAsked(WalletVerification):
    """Names a block only where the request did."""

    def response(self, entry: Asked, deadline: Deadline) -> Told:
        """Leave the latest block out."""
        told = super().response(entry, deadline)
        if not entry.HasField("block_number"):
            told.ClearField("block_number")
        return told


class LatestBlockTold(WalletVerification):
    """Names the latest block, whichever the verdict was reached at."""

    def response(self, entry: Asked, deadline: Deadline) -> Told:
        """Ask for the latest too."""
        told = super().response(entry, deadline)
        latest = Asked(account_id=entry.account_id, hash=entry.hash, signature=entry.signature)
        told.block_number = self.verdict(latest, deadline).block_number
        return told


class BlockZeroIsLatest(WalletVerification):
    """Takes block 0 for none."""

    def verdict(self, entry: Asked, deadline: Deadline) -> Verdict:
        """Leave block 0 out."""
        unset = Asked(account_id=entry.account_id, hash=entry.hash, signature=entry.signature)
        return super().verdict(entry if entry.block_number else unset, deadline)


class LatestVerdict(WalletVerification):
    """Has every signature judged at the latest block."""

    def verdict(self, entry: Asked, deadline: Deadline) -> Verdict:
        """Ask for the latest, and tell it as asked."""
        latest = super().verdict(
            Asked(account_id=entry.account_id, hash=entry.hash, signature=entry.signature), deadline
        )
        block = entry.block_number if entry.HasField("block_number") else latest.block_number
        return Verdict(is_valid=latest.is_valid, block_number=block)


class ValidFirst(WalletVerification):
    """Answers valid signatures before the others."""

    def answer(self, request: bytes) -> bytes:
        """Sort the verdicts."""
        told = Response.FromString(super().answer(request)).responses
        valid, others = ([entry for entry in told if entry.is_valid is which] for which in (True, False))
        return Response(responses=[*valid, *others]).SerializeToString()


class EachOnce(WalletVerification):
    """Answers equal questions once."""

    def answer(self, request: bytes) -> bytes:
        """Drop repeated entries."""
        entries = Request.FromString(request).signatures
        once = {entry.SerializeToString(deterministic=True): entry for entry in entries}
        return super().answer(Request(signatures=once.values()).SerializeToString())


class InvalidFailsAll(WalletVerification):
    """Fails a request for an invalid signature."""

    def response(self, entry: Asked, deadline: Deadline) -> Told:
        """Refuse."""
        told = super().response(entry, deadline)
        if not told.is_valid:
            raise Failure(Code.INVALID_ARGUMENT, "a signature is not valid")
        return told


class AnyHash(WalletVerification):
    """Takes a hash of another length for one that nobody signed."""

    def check(self, entry: Asked) -> None:
        """Look at the account only."""
        super().check(Asked(account_id=entry.account_id, hash=bytes(HASH_BYTES)))

    def response(self, entry: Asked, deadline: Deadline) -> Told:
        """Find it not valid."""
        return super().response(entry, deadline) if len(entry.hash) == HASH_BYTES else Told(is_valid=False)


class AnyAccount(WalletVerification):
    """Takes a text that is no account for one that signed nothing."""

    def is_account(self, entry: Asked) -> bool:
        """Tell whether an account would be accepted."""
        try:
            super().check(Asked(account_id=entry.account_id, hash=bytes(HASH_BYTES)))
        except Failure:
            return False
        return True

    def check(self, entry: Asked) -> None:
        """Look at the hash only."""
        if self.is_account(entry):
            super().check(entry)

    def response(self, entry: Asked, deadline: Deadline) -> Told:
        """Find it not valid."""
        return super().response(entry, deadline) if self.is_account(entry) else Told(is_valid=False)


class OutageAmongOthers(WalletVerification):
    """Takes a verdict that cannot be had for a bad one as long as there are others."""

    def responses_of(self, entries: Sequence[Asked], deadline: Deadline) -> list[Told]:
        """Ask about each, and keep what can be had."""
        told = []
        for entry in entries:
            try:
                told.append(self.response(entry, deadline))
            except ChainFailure:
                told.append(Told(is_valid=False))
        return told

    def answer(self, request: bytes) -> bytes:
        """Answer with what can be had, if it is more than nothing."""
        try:
            return super().answer(request)
        except ChainFailure:
            entries = Request.FromString(request).signatures
            if len(entries) == 1:
                raise
            told = self.responses_of(entries, Deadline(self.publish_ms / 1000, "the verification"))
            return Response(responses=told).SerializeToString()


class WellFormedFirst(WalletVerification):
    """Has the well-formed entries of a request verified before it looks at the others."""

    def answer(self, request: bytes) -> bytes:
        """Verify them twice."""
        whole = [entry for entry in Request.FromString(request).signatures if self.is_whole(entry)]
        super().answer(Request(signatures=whole).SerializeToString())
        return super().answer(request)

    def is_whole(self, entry: Asked) -> bool:
        """Tell whether an entry would be accepted."""
        try:
            self.check(entry)
        except Failure:
            return False
        return True


class ConfusedByBoth(WellFormedFirst):
    """Fails in a way of its own on a malformed entry beside an outage."""

    def answer(self, request: bytes) -> bytes:
        """Change the code."""
        try:
            return super().answer(request)
        except ChainFailure as failure:
            if all(map(self.is_whole, Request.FromString(request).signatures)):
                raise
            raise Failure(Code.INTERNAL, "two things are wrong") from failure


class SaysWhy(WalletVerification):
    """Tells with an invalid signature what is wrong with it."""

    def response(self, entry: Asked, deadline: Deadline) -> Told:
        """Add a text."""
        told = super().response(entry, deadline)
        if not told.is_valid:
            told.error = "the chain says no"
        return told


def _faults() -> Iterator[Variant]:
    for name, says, numbers, part in (
        ("B203", "the latest block is not named", "271.a", BlockAsAsked),
        ("B203b", "the block named is always the latest", "271.a", LatestBlockTold),
        ("B203c", "block 0 is taken for the latest", "271.a", BlockZeroIsLatest),
        ("B204", "equal questions are answered once", "271.a", EachOnce),
        ("B494", "valid signatures are answered first", "271.a 271.b 271.d 271.e", ValidFirst),
        ("B205", "an invalid signature fails the request", "271.a 271.b 271.d 271.e", InvalidFailsAll),
        ("B206", "a hash of another length is not valid", "271.c", AnyHash),
        ("B206b", "a text that is no account is not valid", "271.c", AnyAccount),
        ("B495", "among others a verdict that cannot be had is a bad one", "271.d", OutageAmongOthers),
        ("B496", "verdicts are those of the latest block", "271.e", LatestVerdict),
        ("B497", "a malformed entry beside an outage is an internal error", "271.f", ConfusedByBoth),
    ):
        yield Variant(id=name, says=says, clauses=clauses(numbers), build=with_identity(verification_class=part))


VARIANTS: tuple[Variant, ...] = (
    *_faults(),
    Variant(
        id="V492",
        says="malformed entries are noticed last",
        clauses=clauses("271.c 271.d 271.f"),
        build=with_identity(verification_class=WellFormedFirst),
        kind="variation",
    ),
    Variant(
        id="V493",
        says="invalid signatures are explained",
        clauses=clauses("271.a 271.b 271.e"),
        build=with_identity(verification_class=SaysWhy),
        kind="variation",
    ),
)
