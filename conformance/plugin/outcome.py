"""From what happened in one phase of a test to what it says about the clauses the test covers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, TypeVar

import hypothesis.errors
import pytest

from conformance.oracle.violation import Undecidable, Violation
from conformance.plugin.fixture_stops import StoppedInFixtureError
from conformance.target.errors import Missing, TargetError, Undecided
from conformance.target.findings import TargetFinding

if TYPE_CHECKING:
    from collections.abc import Iterable

_E = TypeVar("_E", bound=BaseException)

HELD, FAILED, UNDECIDED, MISSING = "held", "failed", "undecided", "missing"
_FINDINGS = (Violation, TargetFinding)
_WORST_LAST = (HELD, MISSING, UNDECIDED, FAILED)


@dataclass(frozen=True, kw_only=True)
class PhaseOutcome:
    """What one phase (setup, call, teardown) says; `reason` is a stable class, `message` is for people."""

    outcome: str
    reason: str = ""
    message: str = ""
    controls: tuple[str, ...] = field(default=())

    def to_json(self) -> dict[str, object]:
        """The phase as it travels from a worker to the controller."""
        return {**asdict(self), "controls": list(self.controls)}


def worst(phases: Iterable[PhaseOutcome]) -> PhaseOutcome:
    """The phase that decides: a violation beats doubt, doubt beats a missing control, and that beats success."""
    return max(phases, key=lambda phase: _WORST_LAST.index(phase.outcome))


def judge(when: str, error: BaseException | None) -> PhaseOutcome:
    """Judge one phase by the exception that ended it.

    Only an assertion in the test itself is a violation, or a finding about the target on the way to it. Everything
    else that stops a test, a hang, a skip or a mistake of the suite included, leaves its clauses undecided: nothing
    that did not run may look green or red.
    """
    if error is None:
        return PhaseOutcome(outcome=HELD)
    if isinstance(error, StoppedInFixtureError):
        error = error.stop
    violation = _first(error, AssertionError)
    if violation is not None and (when == "call" or (when == "setup" and isinstance(violation, _FINDINGS))):
        return violated(violation)
    missing = _first(error, Missing)
    if missing is not None:
        return PhaseOutcome(
            outcome=MISSING, reason="missing-control", message=str(missing), controls=(missing.control,)
        )
    return _doubt(when, error)


def violated(violation: AssertionError) -> PhaseOutcome:
    """What a violation says: it is final, whatever else happened."""
    reason = str(getattr(violation, "reason", "") or "assertion")
    return PhaseOutcome(outcome=FAILED, reason=reason, message=_sentence(violation))


def _doubt(when: str, error: BaseException) -> PhaseOutcome:
    for kind in (Undecided, Undecidable):
        undecided = _first(error, kind)
        if undecided is not None:
            return PhaseOutcome(outcome=UNDECIDED, reason="undecided", message=str(undecided))
    if isinstance(error, pytest.skip.Exception):
        return PhaseOutcome(outcome=UNDECIDED, reason="skipped", message=f"skipped: {error}")
    if isinstance(error, pytest.fail.Exception):
        reason = "hung" if str(error).startswith("Timeout") else "stopped"
        return PhaseOutcome(outcome=UNDECIDED, reason=reason, message=str(error))
    if isinstance(error, TargetError):
        return PhaseOutcome(outcome=UNDECIDED, reason="set-up", message=str(error))
    if isinstance(error, hypothesis.errors.HypothesisException):
        return PhaseOutcome(outcome=UNDECIDED, reason="generator", message=_sentence(error))
    return PhaseOutcome(
        outcome=UNDECIDED,
        reason="suite-error",
        message=f"the suite itself failed in {when}: {type(error).__name__}: {_sentence(error)}",
    )


def _first(error: BaseException, kind: type[_E]) -> _E | None:
    """The error itself, or the first of that kind in a group: hypothesis reports a flaky failure as a group."""
    if isinstance(error, kind):
        return error
    if isinstance(error, BaseExceptionGroup):
        found = (_first(member, kind) for member in error.exceptions)
        return next((member for member in found if member is not None), None)
    return None


def _sentence(error: BaseException) -> str:
    text = str(error).strip()
    notes = getattr(error, "__notes__", [])
    return "\n".join([text or type(error).__name__, *notes])
