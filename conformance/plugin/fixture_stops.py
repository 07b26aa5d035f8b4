"""Lets a fixture stop a case as a test can: pytest keeps its books only for exceptions that derive from Exception."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

import pytest

from conformance.oracle.violation import Undecidable
from conformance.target.errors import Missing, Undecided

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_TELLS = "tells_stops"
_STOPS = (Missing, Undecidable, Undecided)


class StoppedInFixtureError(Exception):
    """A fixture was stopped by `stop`, which says what the case comes to."""

    def __init__(self, stop: BaseException) -> None:
        super().__init__(str(stop))
        self.stop = stop


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> None:
    """Turn what stops a fixture into an exception that pytest remembers for every test that asks for it."""
    if not hasattr(fixturedef.func, _TELLS):
        # pytest declares the attribute final for its readers; it reads it anew for every set-up.
        setattr(fixturedef, "func", _telling(fixturedef.func))  # noqa: B010 - see above


def _telling(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def plain(*positional: object, **named: object) -> object:
        try:
            return function(*positional, **named)
        except _STOPS as stop:
            raise StoppedInFixtureError(stop) from stop

    @functools.wraps(function)
    def generating(*positional: object, **named: object) -> Iterator[object]:
        try:
            yield from function(*positional, **named)
        except _STOPS as stop:
            raise StoppedInFixtureError(stop) from stop

    told: Callable[..., Any] = generating if inspect.isgeneratorfunction(function) else plain
    setattr(told, _TELLS, True)
    return told
