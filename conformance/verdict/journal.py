"""The journal of a run: one JSON line per event, flushed at once, readable after the writer was killed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Self

from conformance.verdict.errors import EventError, JournalError
from conformance.verdict.events import from_json, to_json

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from conformance.verdict.events import Event


class Journal:
    """Appends events to a file.

    One process writes. A line that an earlier writer left unfinished is cut off first. Raises JournalError when the
    file cannot be opened or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _cut_unfinished_line(path)
            self._file = path.open("ab")
        except OSError as error:
            raise JournalError(f"the journal {path} cannot be opened for writing: {error.strerror}") from error

    def append(self, event: Event) -> None:
        """Write one event so that it survives the end of this process."""
        try:
            # Escaped to ASCII: text from a target may hold lone surrogates, which UTF-8 cannot carry.
            line = json.dumps(to_json(event), allow_nan=False, separators=(",", ":"))
        except (TypeError, ValueError) as error:
            raise JournalError(f"an event cannot be written as JSON: {error}") from error
        try:
            self._file.write(line.encode("ascii") + b"\n")
            self._file.flush()
        except (OSError, ValueError) as error:
            raise JournalError(f"the journal {self._path} cannot be written: {error}") from error

    def close(self) -> None:
        """Close the file; nothing can be appended after."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_journal(path: Path) -> list[Event]:
    """Read the events of a journal in the order they were written.

    A last line without its line end was cut by the death of the writer and is left out. Any other line that is no
    event raises JournalError: a journal that was edited or damaged must not become a verdict.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise JournalError(f"the journal {path} cannot be read: {error.strerror}") from error
    return [_event(path, number, line) for number, line in enumerate(lines[:-1], start=1)]


def _event(path: Path, number: int, line: bytes) -> Event:
    try:
        return from_json(json.loads(line, parse_constant=_refuse))
    except (EventError, ValueError, OverflowError, RecursionError) as error:
        reason = error if isinstance(error, EventError) else "it is not JSON"
        raise JournalError(
            f"line {number} of the journal {path} is damaged ({reason}); run the suite again instead of repairing it"
        ) from error


def _refuse(constant: str) -> float:
    raise ValueError(constant)


def _cut_unfinished_line(path: Path) -> None:
    if not path.exists():
        return
    whole = path.read_bytes()
    end = whole.rfind(b"\n") + 1
    if end < len(whole):
        with path.open("r+b") as file:
            file.truncate(end)
