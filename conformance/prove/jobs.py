"""What has to be run to prove that the suite can fail: one job per variant and seed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from conformance.faults.registry import Variant

CLEAN = "clean"


@dataclass(frozen=True, kw_only=True)
class Job:
    """One run of the suite: against `subject` (a variant id, or `clean`), deciding `clauses`, with `seed`."""

    subject: str
    clauses: tuple[str, ...]
    seed: int
    profile: str = "standard"

    @property
    def key(self) -> str:
        """What tells this job from every other one of the same suite."""
        return f"{self.subject}/{self.seed}/{self.profile}/{','.join(self.clauses)}"


def plan_jobs(
    variants: Mapping[str, Variant], selected: frozenset[str], *, seeds: int, profile: str = "standard"
) -> list[Job]:
    """The jobs that prove `selected` clauses: the clean backend over `seeds` seeds, every variant that concerns them.

    A fault that does not depend on a race shows on the first seed or never; a racy one and a variation get all seeds.
    """
    wanted = tuple(sorted(selected))
    jobs = [Job(subject=CLEAN, clauses=wanted, seed=seed) for seed in range(1, seeds + 1)]
    for variant in variants.values():
        clauses = wanted if variant.kind == "peer" else tuple(c for c in variant.clauses if c in selected)
        many = variant.racy or variant.kind == "variation"
        if clauses:
            jobs += [
                Job(subject=variant.id, clauses=clauses, seed=seed) for seed in range(1, (seeds if many else 1) + 1)
            ]
    return [replace(job, profile=profile) for job in jobs]


def sample(jobs: Iterable[Job], part: int, parts: int) -> list[Job]:
    """Every `parts`-th job, beginning with number `part` (1-based), so that machines can share the work."""
    return [job for number, job in enumerate(jobs) if number % parts == part - 1]
