"""Faults of the bound on the updates of an inbox (API-234)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from conformance.faults.backend.identity_admission_parts import with_identity
from conformance.faults.backend.publish_parts import clauses
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import PublishError
from conformance.reference.backend.admission import Basis, Candidate, Judgement
from conformance.reference.backend.admission import Stored as StoredKeys
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import CheckFailure, PublishFailure
from conformance.reference.backend.identity.admission import History, IdentityAdmission, Snapshot
from conformance.reference.backend.identity.identifiers import refused


class OneTooMany(IdentityAdmission):
    """Takes one update more than the bound."""

    def fill(self, history: History) -> int:
        """Count one less."""
        return super().fill(history) - 1


class OneTooFew(IdentityAdmission):
    """Refuses the update that reaches the bound."""

    def fill(self, history: History) -> int:
        """Count one more."""
        return super().fill(history) + 1


class CountsActions(IdentityAdmission):
    """Bounds the actions of an inbox."""

    def fill(self, history: History) -> int:
        """Count them."""
        return sum(len(entry.update.actions) for entry in history.entries)


class CountsEveryInbox(IdentityAdmission):
    """Bounds the updates of the whole deployment."""

    def fill(self, history: History) -> int:
        """Count them."""
        with self.view() as view:
            found = view.connection.execute("SELECT COUNT(*) FROM envelope WHERE substr(topic, 1, 1) = x'02'")
            return int(found.fetchone()[0])


class CountsTries(IdentityAdmission):
    """Bounds how often updates of an inbox are published."""

    def __init__(self, **parts: Any) -> None:  # noqa: ANN401 - handed on as they are
        super().__init__(**parts)
        self.tries: Counter[bytes] = Counter()

    def judge(self, candidates: Sequence[Candidate], stored: StoredKeys) -> Judgement:
        """Count repeats and refused ones too."""
        judgement = super().judge(candidates, stored)
        self.tries.update(candidate.topic for candidate in candidates)
        return judgement

    def examine(
        self, candidate: Candidate, before: Sequence[Candidate], snapshot: Snapshot, deadline: Deadline
    ) -> Basis:
        """Refuse when there have been enough."""
        if self.tries[candidate.topic] >= self.limits.max_identity_entries:
            raise refused("the log of its inbox is full")
        return super().examine(candidate, before, snapshot, deadline)


class FullIsTooLarge(IdentityAdmission):
    """Gives the reason of the bounds on bytes."""

    def check_room(self, history: History) -> None:
        """Give another reason."""
        try:
            super().check_room(history)
        except CheckFailure as failure:
            raise CheckFailure(PublishError.REASON_TOO_LARGE, failure.message) from failure


class FullBeforeStored(IdentityAdmission):
    """Looks whether an inbox is full before it looks for duplicates."""

    def judge(self, candidates: Sequence[Candidate], stored: StoredKeys) -> Judgement:
        """Look at every update."""
        failures = []
        for candidate in candidates:
            try:
                if candidate.parsed.update is not None:
                    with self.view() as view:
                        self.check_room(self.history(view, candidate.topic))
            except CheckFailure as failure:
                failures.append(PublishFailure(failure.reason, failure.message, index=candidate.index))
        return Judgement(failures=failures, bases={}) if failures else super().judge(candidates, stored)


def _faults() -> Iterator[Variant]:
    for name, says, numbers, build in (
        ("B104", "an inbox takes one update too many", "234.a", with_identity(admission_class=OneTooMany)),
        ("B456", "an inbox takes one update too few", "234.a 234.b", with_identity(admission_class=OneTooFew)),
        ("B105", "the bound counts actions", "234.a", with_identity(admission_class=CountsActions)),
        ("B457", "the bound counts all inboxes", "234.a", with_identity(admission_class=CountsEveryInbox)),
        ("B458", "the bound counts tries", "234.a", with_identity(admission_class=CountsTries)),
        ("B459", "a full inbox is too large", "234.a", with_identity(admission_class=FullIsTooLarge)),
        (
            "B059",
            "a full inbox refuses what it holds",
            "234.b 222.e",
            with_identity(admission_class=FullBeforeStored),
        ),
    ):
        yield Variant(id=name, says=says, clauses=clauses(numbers), build=build)


VARIANTS: tuple[Variant, ...] = tuple(_faults())
