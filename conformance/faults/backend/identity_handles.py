"""Faults of the lookup of handles (API-299)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformance.faults.backend.identity_admission_parts import with_identity
from conformance.faults.backend.publish_parts import clauses
from conformance.faults.registry import Variant
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.identity.handles import HandlePolicy
from conformance.reference.backend.identity.lookups import Asked, Found, InboxIds
from conformance.reference.backend.store import View


def _no_handle() -> Failure:
    return Failure(Code.INVALID_ARGUMENT, "a handle does not match the grammar")


class HandlesUnknown(InboxIds):
    """Finds no handle."""

    def holder(self, view: View, handle: str) -> bytes | None:
        """Find nobody."""
        return None


class NewestHandleOnly(InboxIds):
    """Finds an inbox by the handle it has claimed last."""

    def holder(self, view: View, handle: str) -> bytes | None:
        """Forget what was claimed before."""
        topic = super().holder(view, handle)
        rows = view.connection.execute("SELECT handle FROM claim WHERE topic = ? ORDER BY sequence_id DESC", (topic,))
        return topic if rows.fetchone() == (handle,) else None


class HandlesAsWritten(InboxIds):
    """Compares handles letter for letter."""

    def handle(self, identifier: str) -> str:
        """Fold nothing."""
        if self.policy.name(identifier) is None:
            raise _no_handle()
        return identifier


class EchoesFoldedHandles(InboxIds):
    """Repeats handles in lower case."""

    def response(self, entry: Asked, topic: bytes | None) -> Found:
        """Answer in lower case."""
        answer = super().response(entry, topic)
        if entry.identifier_kind == self.table.identifier_kind:
            answer.identifier = self.policy.folded(answer.identifier)
        return answer


class UnicodeCase(HandlePolicy):
    """Folds the capitals of all scripts."""

    def folded(self, handle: str) -> str:
        """Turn all of it into lower case."""
        return handle.lower()


class CaseFolded(HandlePolicy):
    """Folds as texts are folded to compare them."""

    def folded(self, handle: str) -> str:
        """Fold all of it."""
        return handle.casefold()


class BadHandleIsAbsent(InboxIds):
    """Takes an entry that is no handle for one that nobody claimed."""

    def resolve(self, view: View, entry: Asked) -> bytes | None:
        """Find nothing where nothing can be found."""
        try:
            return super().resolve(view, entry)
        except Failure:
            return None


class LineOfGrammar(InboxIds):
    """Lets a handle end with a newline."""

    def handle(self, identifier: str) -> str:
        """Look at the line."""
        return super().handle(re.sub(r"\n\Z", "", identifier))


class UnclaimedIsNotFound(InboxIds):
    """Fails a lookup of a handle that nobody claimed."""

    def holder(self, view: View, handle: str) -> bytes | None:
        """Miss it."""
        topic = super().holder(view, handle)
        if topic is None:
            raise Failure(Code.NOT_FOUND, "nobody has claimed the handle")
        return topic


class ShortIsNoHandle(InboxIds):
    """Refuses in a lookup what is too short for a claim."""

    def handle(self, identifier: str) -> str:
        """Count the characters."""
        handle = super().handle(identifier)
        if len(self.policy.name(handle) or "") < self.policy.settings.min_name_length:
            raise _no_handle()
        return handle


class ReservedIsNoHandle(InboxIds):
    """Refuses in a lookup what is reserved."""

    def handle(self, identifier: str) -> str:
        """Look at the list."""
        handle = super().handle(identifier)
        if self.policy.is_reserved(self.policy.name(handle) or ""):
            raise _no_handle()
        return handle


def _faults() -> Iterator[Variant]:
    for name, says, numbers, parts in (
        ("B490", "no handle is found", "299.a 299.a1 299.b", {"inbox_ids_class": HandlesUnknown}),
        ("B199", "only the newest handle of an inbox is found", "299.a1", {"inbox_ids_class": NewestHandleOnly}),
        ("B200", "handles are compared letter for letter", "299.b", {"inbox_ids_class": HandlesAsWritten}),
        ("B200b", "handles come back in lower case", "299.b", {"inbox_ids_class": EchoesFoldedHandles}),
        ("B201", "all capitals of Unicode are folded", "299.c", {"policy_class": UnicodeCase}),
        ("B201b", "handles are folded by Unicode's case folding", "299.c", {"policy_class": CaseFolded}),
        ("B202", "what is no handle is absent", "299.c 299.d", {"inbox_ids_class": BadHandleIsAbsent}),
        ("B202b", "a handle may end with a newline", "299.d", {"inbox_ids_class": LineOfGrammar}),
        ("B491", "an unclaimed handle fails the lookup", "299.e 299.f", {"inbox_ids_class": UnclaimedIsNotFound}),
        ("B492", "a name too short fails the lookup", "299.f", {"inbox_ids_class": ShortIsNoHandle}),
        ("B493", "a reserved name fails the lookup", "299.f", {"inbox_ids_class": ReservedIsNoHandle}),
    ):
        yield Variant(id=name, says=says, clauses=clauses(numbers), build=with_identity(**parts))


VARIANTS: tuple[Variant, ...] = tuple(_faults())
