"""From the findings about a history to a Violation a test can raise."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.oracle.history.atomicity import DEFAULT_SETTLE_NS
from conformance.oracle.history.checker import check
from conformance.oracle.history.events import Operation
from conformance.oracle.history.excerpt import lines
from conformance.oracle.history.finding import Finding
from conformance.oracle.violation import Violation


def judge(history: Sequence[Operation], *about: str, settle_ns: int = DEFAULT_SETTLE_NS) -> None:
    """Judge a recorded history by the invariants (`H4`) and clauses (`API-201.a`) named; by all when none is.

    `settle_ns` as in `check`. Raises a Violation with the reason, the clauses and the shortest excerpt of a finding.
    """
    findings = [finding for finding in check(history, settle_ns=settle_ns) if finding.concerns(*about)]
    if not findings:
        return
    finding = min(findings, key=_length)
    raise Violation(
        finding.reason,
        finding.sentence,
        witness={
            "invariant": finding.invariant,
            "clauses": ", ".join(finding.clauses),
            "topic": finding.topic,
            **{f"event {number}": line for number, line in enumerate(lines(finding), start=1)},
            "findings of this kind": len(findings),
        },
    )


def _length(finding: Finding) -> tuple[int, int]:
    """Measure an excerpt: fewer operations, then a shorter time, are easier to see through."""
    span = max(each.completed_ns for each in finding.operations) - min(each.invoked_ns for each in finding.operations)
    return len(finding.operations), span
