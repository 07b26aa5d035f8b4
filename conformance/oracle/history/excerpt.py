"""The operations of a finding as a person reads them: one line each, with what matters of a long answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from conformance.oracle.history.events import Newest, Operation, Outcome, Publish, Shown
from conformance.oracle.history.finding import Finding
from conformance.wire.transcript import Code, Meta

_AROUND = 2
_TOPIC_DIGITS = 12
_NS_PER_MS = 1e6


def lines(finding: Finding) -> tuple[str, ...]:
    """Write each operation of a finding on one line; instants in milliseconds since the first one was invoked."""
    start = min((operation.invoked_ns for operation in finding.operations), default=0)
    return tuple(
        f"{(operation.invoked_ns - start) / _NS_PER_MS:.3f} to {(operation.completed_ns - start) / _NS_PER_MS:.3f} ms, "
        f"{operation.client} at {operation.endpoint}: {_told(operation, finding)}"
        for operation in finding.operations
    )


def _told(operation: Operation, finding: Finding) -> str:
    if isinstance(operation, Publish):
        return f"Publish of {len(operation.sent)} on {_topics(operation)}: {_outcome(operation, finding)}"
    if operation.status is not Code.OK:
        return f"{type(operation).__name__}: {operation.status.name}"
    if isinstance(operation, Newest):
        return f"QueryNewest: {_window(_metas(operation.results, finding), finding)}"
    cursor = next((each.cursor for each in operation.positions if each.topic == finding.topic), 0)
    return (
        f"Query of {_short(finding.topic)} above {cursor}: {_window(_metas(operation.page, finding), finding)}; "
        f"{len(operation.page)} in all, limit {operation.limit}, has_more {str(operation.has_more).lower()}"
    )


def _topics(publish: Publish) -> str:
    names = list(dict.fromkeys(sent.topic for sent in publish.sent))
    return _short(names[0]) if len(names) == 1 else f"{len(names)} topics"


def _outcome(publish: Publish, finding: Finding) -> str:
    if publish.outcome is not Outcome.STORED:
        return publish.status.name if publish.outcome is Outcome.REFUSED else f"no answer ({publish.status.name})"
    return f"OK, {_window(list(publish.metas), finding)}"


def _metas(answer: Iterable[Shown], finding: Finding) -> list[Meta]:
    of_topic = [shown.meta for shown in answer if shown.meta.topic == finding.topic]
    return of_topic or [shown.meta for shown in answer if shown.meta.sequence_id in finding.ids]


def _window(metas: Sequence[Meta], finding: Finding) -> str:
    """Name the ids of an answer; of a long one only those around the ids that matter."""
    ids = [meta.sequence_id for meta in metas]
    if not ids:
        return "nothing"
    low, high = min(finding.ids, default=0), max(finding.ids, default=0)
    near = [place for place, each in enumerate(ids) if low <= each <= high]
    start = max((near[0] if near else len(ids)) - _AROUND, 0)
    end = min((near[-1] if near else len(ids)) + _AROUND + 1, start + 2 * (_AROUND + 1))
    shown = " ".join(f"#{each}" for each in ids[start:end])
    return ("... " if start else "") + shown + (" ..." if end < len(ids) else "")


def _short(topic: bytes) -> str:
    digits = topic.hex()
    return digits if len(digits) <= _TOPIC_DIGITS else f"{digits[:_TOPIC_DIGITS]}.."
