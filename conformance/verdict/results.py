"""The shape of results.json as types; `schema/results-1.json` says the same to other programs."""

from __future__ import annotations

from typing import NotRequired, TypedDict

SCHEMA_ID = "xmtp-conformance/results/1"
UNKNOWN_POWER = "unknown"


class SuiteInfo(TypedDict):
    """The suite that judged."""

    version: str


class RunInfo(TypedDict):
    """How the run was made; `duration_s` is in seconds, None when the run did not live to say it.

    `handles_profile` names the description of handles that was used, None when there was none; a file of an earlier
    suite does not say.
    """

    seed: int
    profile: str
    started: str
    duration_s: float | None
    workers: int
    complete: bool
    why: str
    selected: list[str] | None
    notes: list[str]
    handles_profile: NotRequired[str | None]


class CaseResult(TypedDict):
    """One case of the plan; see `events.CaseFinished` for the meaning of each key."""

    id: str
    clauses: list[str]
    outcome: str
    reason: str
    message: str
    duration_s: float
    examples: int
    classes: list[str]
    notes: list[str]
    missing: list[str]
    transcript: str | None
    repro: str
    attempts: int


class ClauseResult(TypedDict):
    """One clause of the ledger.

    `held` to `missing` count the cases with that outcome. `reason` says why the clause did not run, or not in full.
    `counted` is False for a clause that decides neither its requirement nor the exit code: one that another
    specification owns, or an opt-in clause that the run did not opt into.
    """

    requirement: str
    says: str
    party: str
    level: str
    sees: str
    owner: str | None
    counted: bool
    verdict: str
    held: int
    failed: int
    undecided: int
    missing: int
    missing_controls: list[str]
    reason: str
    cases: list[str]


class RequirementResult(TypedDict):
    """One requirement: `verdict` over all parties, `parties` per party, `reason` why it did not run in full."""

    title: str
    section: str
    verdict: str
    parties: dict[str, str]
    clauses: list[str]
    reason: str


class Summary(TypedDict):
    """Counts and the one sentence that may be quoted.

    `clauses_total` counts the clauses that count; `clauses_run` those of them with at least one case that held or
    failed; `other_clauses` gives the words of the clauses that do not count. `retries` counts attempts after the
    first.
    """

    requirements: dict[str, int]
    clauses: dict[str, int]
    other_clauses: dict[str, int]
    cases: dict[str, int]
    requirements_total: int
    clauses_total: int
    clauses_run: int
    cases_total: int
    retries: int
    sentence: str


class Power(TypedDict):
    """How many of the faults seeded against a clause its cases detected."""

    killed: int
    seeded: int


class Results(TypedDict):
    """All of results.json; `digest` is the SHA-256 of the canonical JSON of everything else."""

    schema: str
    suite: SuiteInfo
    spec: dict[str, str | None]
    subjects: dict[str, object]
    run: RunInfo
    plan: list[str]
    cases: list[CaseResult]
    clauses: dict[str, ClauseResult]
    requirements: dict[str, RequirementResult]
    summary: Summary
    power: str | dict[str, Power]
    digest: str
