"""The events of a run, as typed values and as the JSON objects of the journal.

A run writes one `run-started`, one `planned` before its first case, one `case-finished` per case (after the last
attempt at it), any number of notes, and one `run-finished`. Whoever makes an event redacts secrets before.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from conformance.verdict.errors import EventError
from conformance.verdict.outcomes import Outcome
from conformance.verdict.reading import Reader


@dataclass(frozen=True, kw_only=True)
class RunStarted:
    """The start of a run.

    `started` is a UTC time in RFC 3339 form. `spec` maps "api" and "send" to the digest of the contract judged, None
    when it is unknown. `subjects` maps "backend" and "client" to what is known of each subject under test. `selected`
    holds the clause ids the run was asked to decide, None when it was asked for all of them. `handles_profile` names
    the description of handles that was used, None when there was none.
    """

    seed: int
    profile: str
    started: str
    suite_version: str
    spec: Mapping[str, str | None]
    subjects: Mapping[str, object]
    workers: int
    selected: tuple[str, ...] | None = None
    handles_profile: str | None = None


@dataclass(frozen=True, kw_only=True)
class Planned:
    """Every case the run is about to run, with the clauses it decides."""

    cases: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class CaseFinished:
    """The end of one case.

    `reason` is a stable class such as "wrong-code". The first line of `message` is the diagnosis in one sentence, the
    others are witness lines. `missing` names the controls or capabilities that were not there, and is empty unless
    the outcome is missing. `duration_s` is in seconds; `examples` counts generated inputs and `classes` names the
    classes of input they reached. `attempts` is above 1 when an undecided case was tried again.
    """

    id: str
    outcome: Outcome
    message: str = ""
    reason: str = ""
    duration_s: float = 0.0
    examples: int = 0
    classes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    transcript: str | None = None
    repro: str = ""
    attempts: int = 1

    def __post_init__(self) -> None:
        if (self.outcome is Outcome.MISSING) != bool(self.missing):
            raise EventError(f"case {self.id} must name what is missing if, and only if, its outcome is missing")
        _check_duration(f"case {self.id}", self.duration_s)
        if self.attempts < 1 or self.examples < 0:
            raise EventError(f"case {self.id} counts {self.attempts} attempts and {self.examples} examples")


@dataclass(frozen=True, kw_only=True)
class Note:
    """A finding that decides nothing. With `case` it belongs to that case and, if the case is lost, explains why."""

    text: str
    case: str | None = None


@dataclass(frozen=True, kw_only=True)
class RunFinished:
    """The end of a run. `why` says what cut it short when `complete` is False."""

    complete: bool
    why: str = ""
    duration_s: float | None = None

    def __post_init__(self) -> None:
        if self.duration_s is not None:
            _check_duration("the run", self.duration_s)


Event = RunStarted | Planned | CaseFinished | Note | RunFinished

_NAMES: dict[type[Event], str] = {
    RunStarted: "run-started",
    Planned: "planned",
    CaseFinished: "case-finished",
    Note: "note",
    RunFinished: "run-finished",
}


def to_json(event: Event) -> dict[str, object]:
    """Turn an event into a JSON-simple object whose key `event` names its kind."""
    values = {name: _simple(value) for name, value in vars(event).items()}
    return {"event": _NAMES[type(event)], **values}


def from_json(value: object) -> Event:
    """Read an event; raises EventError when a key is absent, unknown or of the wrong type."""
    reader = Reader(value)
    kind = reader.text("event")
    make = {
        "run-started": _run_started,
        "planned": _planned,
        "case-finished": _case_finished,
        "note": _note,
        "run-finished": _run_finished,
    }.get(kind)
    if make is None:
        raise EventError(f"{kind!r} is no kind of event")
    event = make(reader)
    reader.end()
    return event


def _check_duration(what: str, seconds: float) -> None:
    if not math.isfinite(seconds) or seconds < 0:
        raise EventError(f"{what} has the impossible duration {seconds} s")


def _simple(value: object) -> object:
    if isinstance(value, tuple):
        return [_simple(member) for member in value]
    if isinstance(value, Mapping):
        return {str(key): _simple(member) for key, member in value.items()}
    return value


def _run_started(reader: Reader) -> Event:
    spec = reader.inside("spec")
    return RunStarted(
        seed=reader.integer("seed"),
        profile=reader.text("profile"),
        started=reader.text("started"),
        suite_version=reader.text("suite_version"),
        spec={name: spec.optional_text(name) for name in spec.keys()},  # noqa: SIM118 - a Reader is no mapping
        subjects=reader.mapping("subjects"),
        workers=reader.integer("workers"),
        selected=reader.optional_texts("selected"),
        handles_profile=reader.optional_text("handles_profile"),
    )


def _planned(reader: Reader) -> Event:
    cases = reader.inside("cases")
    return Planned(cases={case: cases.texts(case) for case in cases.keys()})  # noqa: SIM118 - a Reader is no mapping


def _case_finished(reader: Reader) -> Event:
    outcome = reader.text("outcome")
    if outcome not in set(Outcome):
        raise EventError(f"{outcome!r} is no outcome of a case")
    return CaseFinished(
        id=reader.text("id"),
        outcome=Outcome(outcome),
        message=reader.text("message"),
        reason=reader.text("reason"),
        duration_s=reader.number("duration_s"),
        examples=reader.integer("examples"),
        classes=reader.texts("classes"),
        notes=reader.texts("notes"),
        missing=reader.texts("missing"),
        transcript=reader.optional_text("transcript"),
        repro=reader.text("repro"),
        attempts=reader.integer("attempts"),
    )


def _note(reader: Reader) -> Event:
    return Note(text=reader.text("text"), case=reader.optional_text("case"))


def _run_finished(reader: Reader) -> Event:
    return RunFinished(
        complete=reader.boolean("complete"),
        why=reader.text("why"),
        duration_s=reader.optional_number("duration_s"),
    )
