"""Started: first, once, and on a static stream with its targets (API-250.a, c; 260.a to d)."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.oracle.frames.facts import Finding
from conformance.oracle.frames.reading import Messages, Reading, Started, Strange
from conformance.oracle.frames.registrations import Walked
from conformance.wire.transcript import Code


def opening(reading: Reading, walked: Walked) -> Iterator[Finding]:
    """Find what is wrong with Started.

    Reasons: `not-started-first`, `started-twice`, `no-started`, `invalid-accepted`, `wrong-targets`. A stream that
    failed may have dropped it with whatever else it had to send (V37).
    """
    answers = [each for each in reading.responses if not isinstance(each, Strange)]
    started = [each for each in answers if isinstance(each, Started)]
    first = "API-260.b" if reading.static else "API-250.a"
    if answers and not isinstance(answers[0], Started):
        about = (first, "API-260.c") if reading.static and isinstance(answers[0], Messages) else (first,)
        name = type(answers[0]).__name__
        yield Finding(
            about=about,
            reason="not-started-first",
            sentence=f"The first frame of a stream is Started, but {name} came first.",
            places=(answers[0].place, *(each.place for each in started[:1])),
        )
    if len(started) > 1:
        yield Finding(
            about=("API-260.b" if reading.static else "API-250.c",),
            reason="started-twice",
            sentence="A stream has one Started, but a second one came.",
            places=(started[0].place, started[1].place),
        )
    if not answers and _ended_ok(reading):
        yield Finding(
            about=(first,),
            reason="no-started",
            sentence="A stream ended with status OK and had no Started.",
            places=(),
        )
    if reading.static and started:
        yield from _static_targets(reading, walked, started[0])


def _static_targets(reading: Reading, walked: Walked, started: Started) -> Iterator[Finding]:
    request = next(iter(reading.requests), None)
    if request is None:
        return
    problem = walked.problems.get(request.place)
    if problem is not None:
        yield Finding(
            about=problem.about,
            reason="invalid-accepted",
            sentence=f"SubscribeStatic must refuse a request when {problem.why}, but Started came.",
            places=(request.place, started.place),
        )
        return
    asked = [add.topic for update in reading.updates for add in update.adds]
    listed = [target.topic for target in started.targets or ()]
    if asked != listed:
        yield Finding(
            about=("API-260.b",),
            reason="wrong-targets",
            sentence="Started lists one target for each topic of the request, in its order; this one does not.",
            places=(request.place, started.place),
            facts={"asked for": asked, "listed": listed},
        )


def _ended_ok(reading: Reading) -> bool:
    status = reading.call.status
    return status is not None and status.code is Code.OK and reading.call.cancelled_at is None
