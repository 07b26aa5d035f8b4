"""How a stream must end, or that it must not, judged beside a second stream.

A status such as UNAVAILABLE may tell of the environment. It cannot where another stream of the same endpoint lives on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from conformance.oracle.violation import Undecidable, Violation
from conformance.target.errors import Undecided
from conformance.target.streams import Subscription
from conformance.wire.transcript import Code

if TYPE_CHECKING:
    from conformance.target.streams import Stream
    from conformance.wire.transcript import Status

_Found = TypeVar("_Found")

_CREDENTIALS = frozenset({Code.UNAUTHENTICATED, Code.PERMISSION_DENIED})
_OF_EVERY_STREAM = frozenset({Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED})
# What ends every stream of an endpoint does so at once; seconds.
_LOOK_S = 0.2
_ATTEMPTS = 3
# Reasons that a starved client could bring about by itself.
_OF_TIME = frozenset({"silent", "too-late", "wrong-interval"})


class ForItsPong(Violation):
    """A stream whose client sent its Pongs ended for want of one, or because the machine was slow."""


def ended(stream: Stream, beside: Stream, *lawful: Code) -> None:
    """Wait for the end of a stream and judge its status.

    Raises Undecidable for a status that `beside` ended with as well, and what waiting for the end raises. Reason:
    `wrong-code`.
    """
    status = stream.end()
    if status.code not in lawful:
        expected = " or ".join(code.name for code in lawful)
        raise _finding(stream, status, beside, "wrong-code", f"but must end {expected}")


def lives(stream: Stream, beside: Stream, wait: Callable[[], _Found]) -> _Found:
    """Wait for something on a stream that must go on until it comes; return that.

    Raises what the wait raises, and a Violation of reason `ended-healthy` where an end of the stream explains nothing
    else, because `beside` lives on.
    """
    try:
        return wait()
    except Undecided:
        status = stream.call.status
        if status is None or status.local:
            raise
        raise _finding(stream, status, beside, "ended-healthy", "although its client did all it must") from None


def reproduced(check: Callable[[], None]) -> None:
    """Carry out a check of something that must happen in time; blame the target when it always fails.

    A machine that is too busy for a Pong, or for the look at a clock, would fail it by itself, but not every time.
    Raises Undecidable when the check fails for the time it took and then does not.
    """
    failed: list[Violation] = []
    while len(failed) < _ATTEMPTS:
        try:
            check()
        except Violation as violation:
            if not isinstance(violation, ForItsPong) and violation.reason not in _OF_TIME:
                raise
            failed.append(violation)
        else:
            break
    if len(failed) == _ATTEMPTS:
        raise failed[-1]
    if failed:
        raise Undecidable(f"This was seen {len(failed)} times and then not again: {failed[0].sentence}")


def _finding(stream: Stream, status: Status, beside: Stream, reason: str, why: str) -> Violation:
    """Make the Violation of an end; raise Undecidable unless the contract alone explains it."""
    _blame(stream, status, beside)
    for_its_pong = isinstance(stream, Subscription) and status.code is Code.DEADLINE_EXCEEDED
    return (ForItsPong if for_its_pong else Violation)(
        reason,
        f"{stream.call.rpc} ended {status.code.name}, {why}.",
        witness={"stream": stream.call.number, "endpoint": stream.call.endpoint, "message": status.message},
    )


def _blame(stream: Stream, status: Status, beside: Stream) -> None:
    """Raise Undecidable unless the contract alone explains the status of a stream."""
    shared = status.code in _OF_EVERY_STREAM and not beside.watch(_LOOK_S)
    if status.code in _CREDENTIALS or shared:
        raise Undecidable(
            f"{stream.call.rpc} ended {status.code.name}, which says nothing about the contract here"
            + (": every other stream has ended, too" if shared else "")
        )
