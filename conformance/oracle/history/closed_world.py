"""Nothing is shown but what somebody sent and the backend took (API-211, 220, 223, 232; invariants H9 and H10)."""

from __future__ import annotations

from conformance.oracle.history.events import Outcome, Shown
from conformance.oracle.history.known import Known
from conformance.oracle.history.records import NOBODY, NOTHING, Envelope, Sighting, Value
from conformance.wire.transcript import Code


def visible(known: Known, envelope: Envelope, shown: Shown, number: int) -> None:
    """Judge the first sight of an envelope's payload, by read `number`: sent before, and not refused each time."""
    value = known.values.get(shown.digest or b"")
    if value is None:
        if envelope.claimed is None:  # otherwise its payload was changed, which is reported as such
            _report_stranger(known, shown, number)
        return
    if value.topic != shown.meta.topic:
        _report_elsewhere(known, value, shown, number)
    if value.visible is not NOTHING:
        return
    value.visible = Sighting(shown.meta.sequence_id, number)
    if len(value.refused) + len(value.running) < len(value.attempts):
        return
    # Only what was under way when it became visible can have stored it.
    value.suspects = value.running
    if not value.suspects:
        _report_refused(known, value)


def settle(known: Known, value: Value, outcome: Outcome, number: int) -> None:
    """Take note of how an attempt ended that was under way when its value became visible."""
    if value.suspects is None or number not in value.suspects:
        return
    if outcome is not Outcome.REFUSED:
        value.suspects = None
        return
    value.suspects = tuple(each for each in value.suspects if each != number)
    if not value.suspects:
        _report_refused(known, value)


def _report_stranger(known: Known, shown: Shown, number: int) -> None:
    known.report(
        "H9",
        ("API-211.a", "API-220.a"),
        "unknown-envelope",
        f"A read shows id {shown.meta.sequence_id}, an envelope that nobody has sent.",
        by=(number,),
        topic=shown.meta.topic,
        ids=(shown.meta.sequence_id,),
    )


def _report_elsewhere(known: Known, value: Value, shown: Shown, number: int) -> None:
    known.report(
        "H9",
        ("API-212.b",),
        "foreign-topic",
        f"A read shows id {shown.meta.sequence_id} on another topic than its payload belongs on.",
        by=(value.attempts[0], number),
        topic=shown.meta.topic,
        ids=(shown.meta.sequence_id,),
    )


def _report_refused(known: Known, value: Value) -> None:
    value.suspects = None
    refusals = {known.operation(each).status: each for each in value.refused}
    aborted = refusals.pop(Code.ABORTED, NOBODY)
    known.report(
        "H10",
        ["API-220.a"] if refusals else ["API-232.a"],
        "stored-despite-failure",
        f"A read shows id {value.visible.id}, which was only ever sent in publishes that were refused.",
        by=(min(refusals.values(), default=aborted), value.visible.by),
        topic=value.topic,
        ids=(value.visible.id,),
    )
