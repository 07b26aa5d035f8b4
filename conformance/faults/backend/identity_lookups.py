"""Faults and variations of GetInboxIds: what members are found, and under which text (API-270)."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager

from conformance.faults.backend.identity_admission_parts import with_identity
from conformance.faults.backend.publish_parts import clauses
from conformance.faults.backend.visibility import LaggingCopy
from conformance.faults.registry import Variant
from conformance.pb.association_pb2 import IdentifierKind
from conformance.reference.backend.admission import Candidate
from conformance.reference.backend.identity.admission import IdentityAdmission
from conformance.reference.backend.identity.identifiers import Identifier, MemberKind
from conformance.reference.backend.identity.index import IdentityIndex, LiveAssociation
from conformance.reference.backend.identity.lookups import Asked, Found, InboxIds
from conformance.reference.backend.store import Stored, View


class OmitsUnknown(InboxIds):
    """Leaves out entries that find nothing."""

    def responses(self, view: View, asked: Sequence[Asked]) -> list[Found]:
        """Answer what is found."""
        return [answer for answer in super().responses(view, asked) if answer.HasField("inbox_id")]


class EchoesFolded(InboxIds):
    """Repeats identifiers in the form it compares them in."""

    def response(self, entry: Asked, topic: bytes | None) -> Found:
        """Answer in lower case."""
        answer = super().response(entry, topic)
        answer.identifier = self.policy.folded(answer.identifier)
        return answer


class StatesKinds(InboxIds):
    """Repeats no stated kind as the kind that it takes it for."""

    def response(self, entry: Asked, topic: bytes | None) -> Found:
        """Answer with a kind."""
        answer = super().response(entry, topic)
        answer.identifier_kind = entry.identifier_kind or IdentifierKind.IDENTIFIER_KIND_ETHEREUM
        return answer


class OldestWins(InboxIds):
    """Stays with the first of several inboxes."""

    def winner(self, live: Sequence[LiveAssociation]) -> LiveAssociation:
        """Choose the earliest."""
        return min(live, key=lambda association: association.sequence_id)


class WalletsAsWritten(InboxIds):
    """Compares addresses letter for letter."""

    def wallet(self, identifier: str) -> str:
        """Fold nothing."""
        return identifier


class PasskeysAsWritten(InboxIds):
    """Compares passkeys by their text."""

    def passkey(self, identifier: str) -> str:
        """Keep the letter case."""
        super().passkey(identifier)
        return identifier


class FindsInstallations(InboxIds):
    """Takes the key of an installation for that of a passkey."""

    def member(self, view: View, kind: MemberKind, text: str) -> bytes | None:
        """Look among installations too."""
        found = super().member(view, kind, text)
        return super().member(view, MemberKind.INSTALLATION, text) if found is None else found


class NothingIsRevoked(IdentityIndex):
    """Finds members that have left."""

    def revoke(self, connection: sqlite3.Connection, identifier: Identifier, topic: bytes) -> None:
        """Forget nothing."""


class RevokedForGood(IdentityIndex):
    """Never finds a member where it was revoked once."""

    def __init__(self) -> None:
        self.marks: set[tuple[Identifier, bytes]] = set()

    def revoke(self, connection: sqlite3.Connection, identifier: Identifier, topic: bytes) -> None:
        """Mark the member."""
        self.marks.add((identifier, topic))
        super().revoke(connection, identifier, topic)

    def associate(self, connection: sqlite3.Connection, identifier: Identifier, topic: bytes, sequence_id: int) -> None:
        """Associate whom no mark keeps out."""
        if (identifier, topic) not in self.marks:
            super().associate(connection, identifier, topic, sequence_id)


class FirstAssociationCounts(IdentityIndex):
    """Leaves a member that is revoked and added by one update where it was."""

    def associate(self, connection: sqlite3.Connection, identifier: Identifier, topic: bytes, sequence_id: int) -> None:
        """Keep the older sequence id."""
        known = self.associations(connection, identifier.kind, identifier.text)
        if all(association.topic != topic for association in known):
            super().associate(connection, identifier, topic, sequence_id)


class OneAssociationEach(IdentityIndex):
    """Forgets an older inbox as soon as there is a newer one."""

    def associate(self, connection: sqlite3.Connection, identifier: Identifier, topic: bytes, sequence_id: int) -> None:
        """Keep nothing beside it."""
        for association in self.associations(connection, identifier.kind, identifier.text):
            super().revoke(connection, identifier, association.topic)
        super().associate(connection, identifier, topic, sequence_id)


class KindlessIndex(IdentityIndex):
    """Compares texts and no kinds."""

    def associations(self, connection: sqlite3.Connection, kind: int, text: str) -> list[LiveAssociation]:
        """Look among all kinds."""
        return [
            found for each in MemberKind for found in super(KindlessIndex, self).associations(connection, each, text)
        ]


class IndexesTheFirst(IdentityAdmission):
    """Indexes the first update of a request only."""

    def record(self, connection: sqlite3.Connection, candidates: Sequence[Candidate], rows: Sequence[Stored]) -> None:
        """Index the members of one, and the handles of all."""
        updates = [candidate for candidate in candidates if candidate.basis is not None]
        super().record(connection, updates[:1], rows)
        sequence_ids = {row.key: row.sequence_id for row in rows}
        for other in updates[1:]:
            if other.basis is not None and other.key in sequence_ids:
                self.index.record(connection, other.topic, sequence_ids[other.key], (), other.basis.handles)


class LookupsLag(InboxIds):
    """Answers from either of two copies that lag by different times (V02)."""

    copies = (LaggingCopy(lag_s=0.02), LaggingCopy(lag_s=0.05))

    def view(self) -> AbstractContextManager[View]:
        """Open one of the copies."""
        return random.choice(self.copies).view(self.store)  # noqa: S311 - no secret


class CapitalPrefixUnknown(InboxIds):
    """Finds no address with a capital prefix."""

    def wallet(self, identifier: str) -> str:
        """Fold an address with a small prefix only."""
        return super().wallet(identifier) if identifier.startswith("0x") else identifier


def _faults() -> Iterator[Variant]:
    for name, says, numbers, parts in (
        (
            "B190",
            "unknown identifiers are left out",
            "270.a 270.b 270.d 299.e 299.f",
            {"inbox_ids_class": OmitsUnknown},
        ),
        ("B191", "identifiers come back in lower case", "270.a 299.b", {"inbox_ids_class": EchoesFolded}),
        ("B191b", "no stated kind comes back as a kind", "270.a", {"inbox_ids_class": StatesKinds}),
        ("B192", "the oldest association wins", "270.b 270.c 270.g", {"inbox_ids_class": OldestWins}),
        ("B193", "who was revoked is found", "270.b 270.g", {"index_class": NothingIsRevoked}),
        ("B194", "a newer association ends the older ones", "270.b 270.g", {"index_class": OneAssociationEach}),
        ("B195", "who was revoked once is never found", "270.c 270.g", {"index_class": RevokedForGood}),
        ("B195b", "an association keeps its first place", "270.c 270.g", {"index_class": FirstAssociationCounts}),
        ("B196", "kinds are not kept apart", "270.d", {"index_class": KindlessIndex}),
        ("B196b", "installations are found", "270.d", {"inbox_ids_class": FindsInstallations}),
        ("B197", "addresses are compared letter for letter", "270.e", {"inbox_ids_class": WalletsAsWritten}),
        ("B197b", "passkeys are compared letter for letter", "270.f", {"inbox_ids_class": PasskeysAsWritten}),
        ("B198", "only the first update of a request is indexed", "270.g", {"admission_class": IndexesTheFirst}),
    ):
        yield Variant(id=name, says=says, clauses=clauses(numbers), build=with_identity(**parts))


_LOOKUPS = clauses("270.a 270.b 270.c 270.d 270.e 270.f 270.g")

VARIANTS: tuple[Variant, ...] = (
    *_faults(),
    Variant(
        id="V490",
        says="lookups are answered from either of two copies that lag",
        clauses=(*_LOOKUPS, *clauses("299.a 299.a1 299.b 299.e")),
        build=with_identity(inbox_ids_class=LookupsLag),
        kind="variation",
    ),
    Variant(
        id="V491",
        says="an address with a capital prefix is not found",
        clauses=clauses("270.e"),
        build=with_identity(inbox_ids_class=CapitalPrefixUnknown),
        kind="variation",
    ),
)
