"""How a stream ended (API-251, 259, 281): only the client ends a healthy one, and a failure has a code of the table."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.oracle.frames.facts import Finding, Known
from conformance.oracle.frames.reading import Reading
from conformance.oracle.frames.registrations import Walked
from conformance.oracle.frames.validity import names_key_packages
from conformance.oracle.violation import shown
from conformance.wire.transcript import Code

# The table of section 7 names no condition for which a stream ends with one of these. Credentials are not its matter.
_NEVER = frozenset(
    {
        Code.CANCELLED,
        Code.UNKNOWN,
        Code.NOT_FOUND,
        Code.ALREADY_EXISTS,
        Code.FAILED_PRECONDITION,
        Code.ABORTED,
        Code.UNIMPLEMENTED,
        Code.DATA_LOSS,
    }
)


def ending(reading: Reading, walked: Walked, known: Known) -> Iterator[Finding]:
    """Find an end that nothing in the stream explains; an end that this side made proves nothing.

    Reasons: `ended-healthy`, `wrong-code`, `refused-valid`, `frame-behind-end`.
    """
    call = reading.call
    status = call.status
    if status is None or status.local or call.cancelled_at is not None:
        return
    late = [each.place for each in reading.responses if call.ended_ns is not None and each.at_ns > call.ended_ns]
    if late:
        yield Finding(
            about=("API-259",),
            reason="frame-behind-end",
            sentence="A frame came behind the end of its stream.",
            places=tuple(late[:1]),
        )
    last = tuple(each.place for each in reading.events[-1:])
    told = f'{status.code.name} "{shown(status.message)}"' if status.message else status.code.name
    if status.code is Code.OK and (reading.static or call.half_closed_at is None):
        yield Finding(
            about=("API-259.d",) if reading.static else ("API-259.a",),
            reason="ended-healthy",
            sentence="The backend ended a healthy stream with OK although its client had not.",
            places=last,
        )
    elif status.code in _NEVER:
        yield Finding(
            about=("API-281.a", "API-259"),
            reason="wrong-code",
            sentence=f"The stream ended with {told}, which the status table has no condition for.",
            places=last,
        )
    elif status.code is Code.INVALID_ARGUMENT and _all_valid(reading, walked, known):
        yield Finding(
            about=("API-281.b", "API-251", "API-260", "API-253.b"),
            reason="refused-valid",
            sentence=f"The stream ended with {told}, but every request frame of it is valid.",
            places=tuple(each.place for each in reading.requests[-1:]),
        )


def _all_valid(reading: Reading, walked: Walked, known: Known) -> bool:
    return known.within_limits and not walked.problems and not any(map(names_key_packages, reading.requests))
