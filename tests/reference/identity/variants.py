"""Wrong identity parts, each a few lines: what the seams are for."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from conformance.pb.backend_pb2 import PublishError
from conformance.reference.backend.admission import Basis, Candidate, Key
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import CheckFailure, Code, Failure
from conformance.reference.backend.identity.admission import History, IdentityAdmission
from conformance.reference.backend.identity.association import Association
from conformance.reference.backend.identity.chain import ChainFailure
from conformance.reference.backend.identity.contract_wallets import ContractWallets
from conformance.reference.backend.identity.identifiers import refused
from conformance.reference.backend.identity.service import Identity
from conformance.reference.backend.identity.signatures import forged
from conformance.reference.backend.identity.update import Update
from conformance.reference.backend.identity.verification import Told, WalletVerification
from conformance.reference.backend.publisher import Publisher
from conformance.reference.backend.ranges import Span
from conformance.reference.backend.store import Stored, View


def backend(*, publisher: type[Publisher] = Publisher, **parts: type) -> type[Backend]:
    """Make a backend with these parts of `Identity`, named as there."""
    identity = type("WrongIdentity", (Identity,), parts)
    return type("Wrong", (Backend,), {"identity_class": identity, "publisher_class": publisher})


class AlwaysTheSignature(Association):
    def apply(self, *args, **kwargs):  # noqa: ANN002, ANN003, ANN201 - handed on as they are
        try:
            return super().apply(*args, **kwargs)
        except CheckFailure as failure:
            raise CheckFailure(PublishError.REASON_INVALID_SIGNATURE, failure.message) from failure


class OutageIsForged(ContractWallets):
    def verify(self, *args, **kwargs) -> None:  # noqa: ANN002, ANN003 - as above
        try:
            super().verify(*args, **kwargs)
        except ChainFailure as failure:
            raise forged("no verdict") from failure


class ForgedIsOutage(ContractWallets):
    def verify(self, *args, **kwargs) -> None:  # noqa: ANN002, ANN003 - as above
        try:
            super().verify(*args, **kwargs)
        except CheckFailure as failure:
            raise ChainFailure(failure.message) from failure


class OutageIsAnswered(WalletVerification):
    def response(self, entry, deadline: Deadline) -> Told:  # noqa: ANN001 - as above
        try:
            return super().response(entry, deadline)
        except ChainFailure as failure:
            return Told(is_valid=False, error=failure.message)


class BlockAsAsked(WalletVerification):
    def response(self, entry, deadline: Deadline) -> Told:  # noqa: ANN001 - as above
        told = super().response(entry, deadline)
        if not entry.HasField("block_number"):
            told.ClearField("block_number")
        return told


class InvalidFailsAll(WalletVerification):
    def response(self, entry, deadline: Deadline) -> Told:  # noqa: ANN001 - as above
        told = super().response(entry, deadline)
        if not told.is_valid:
            raise Failure(Code.INVALID_ARGUMENT, "a signature is not valid")
        return told


class AnyHash(WalletVerification):
    def check(self, entry) -> None:  # noqa: ANN001 - as above
        """Check nothing."""

    def response(self, entry, deadline: Deadline) -> Told:  # noqa: ANN001 - as above
        return super().response(entry, deadline) if len(entry.hash) == 32 else Told(is_valid=False)


class NeverMoved(IdentityAdmission):
    def is_unmoved(self, connection: sqlite3.Connection, topic: bytes, basis: Basis) -> bool:
        return True


class EmptyNeverMoved(IdentityAdmission):
    def is_unmoved(self, connection: sqlite3.Connection, topic: bytes, basis: Basis) -> bool:
        return basis.head == 0 or super().is_unmoved(connection, topic, basis)


class StoresTheRest(Publisher):
    def commit(self, connection: sqlite3.Connection, new: Sequence[Candidate], span: Span) -> dict[Key, Stored]:
        try:
            return super().commit(connection, new, span)
        except Failure:
            rest = [candidate for candidate in new if candidate.parsed.update is None]
            self.store.insert(connection, self.rows(rest, span))
            connection.execute("COMMIT")
            connection.execute("BEGIN IMMEDIATE")
            raise


class LaggingHistory(IdentityAdmission):
    lagging: sqlite3.Connection | None = None

    @contextmanager
    def view(self) -> Iterator[View]:
        if self.lagging is None:
            self.lagging = self.store.database.connect()
            self.lagging.execute("BEGIN")
        yield View(self.lagging)


class InSequence(IdentityAdmission):
    def check_alone(self, candidate: Candidate, before: Sequence[Candidate]) -> None:
        """Let any number through."""

    def log(self, history: History, candidate: Candidate, before: Sequence[Candidate]) -> list[Update]:
        earlier = [self.reader.read(other.parsed.update) for other in before if other.topic == candidate.topic]
        return super().log(history, candidate, before) + earlier


class EachPlace(IdentityAdmission):
    def distinct(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        return list(candidates)


class OneForAll(IdentityAdmission):
    def check_alone(self, candidate: Candidate, before: Sequence[Candidate]) -> None:
        if before:
            raise refused("the request has another update")


class OneTooMany(IdentityAdmission):
    def fill(self, history: History) -> int:
        return super().fill(history) - 1


class CountsActions(IdentityAdmission):
    def fill(self, history: History) -> int:
        return sum(len(entry.update.actions) for entry in history.entries)
