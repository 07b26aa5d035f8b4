"""Faults of identity updates that are published again (API-222)."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.faults.backend.identity_admission_parts import with_identity
from conformance.faults.backend.publish_parts import clauses
from conformance.faults.registry import Variant
from conformance.reference.backend.admission import Candidate, Judgement
from conformance.reference.backend.admission import Stored as StoredKeys
from conformance.reference.backend.failure import CheckFailure, PublishFailure
from conformance.reference.backend.identity.admission import IdentityAdmission


class JudgedByToday(IdentityAdmission):
    """Judges an update that is stored by what has become of its inbox."""

    def judge(self, candidates: Sequence[Candidate], stored: StoredKeys) -> Judgement:
        """Take every update for a new one."""
        del stored
        return super().judge(candidates, lambda _candidates: {})


class PauseForRepeats(IdentityAdmission):
    """Makes a claim that is stored wait like a new one."""

    def judge(self, candidates: Sequence[Candidate], stored: StoredKeys) -> Judgement:
        """Look at the time of each claim."""
        judgement = super().judge(candidates, stored)
        failures = list(judgement.failures)
        for candidate in candidates:
            with self.view() as view:
                claimed_ns = self.history(view, candidate.topic).claimed_ns if self.handles(candidate) else ()
            for handle in self.handles(candidate):
                try:
                    self.policy.check_pause(self.policy.folded(handle), claimed_ns, self.clock.now_ns())
                except CheckFailure as failure:
                    failures.append(PublishFailure(failure.reason, failure.message, index=candidate.index))
        return Judgement(failures=failures, bases=judgement.bases)


_FAULTS = (
    ("B059b", "a stored update is judged by what its inbox is by now", JudgedByToday),
    ("B059c", "a stored claim has to wait like a new one", PauseForRepeats),
)

VARIANTS: tuple[Variant, ...] = tuple(
    Variant(id=name, says=says, clauses=clauses("222.e"), build=with_identity(admission_class=admission))
    for name, says, admission in _FAULTS
)
