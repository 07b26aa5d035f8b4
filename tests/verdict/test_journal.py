"""The journal keeps what was appended, whenever the writer dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from conformance.verdict.errors import JournalError
from conformance.verdict.events import CaseFinished, Event, Note, Planned, RunFinished, RunStarted
from conformance.verdict.journal import Journal, read_journal
from conformance.verdict.outcomes import Outcome

if TYPE_CHECKING:
    from pathlib import Path

EVENTS: list[Event] = [
    RunStarted(seed=7, profile="smoke", started="t", suite_version="1", spec={}, subjects={}, workers=2),
    Planned(cases={"a.py::test_a": ("API-200.a",)}),
    CaseFinished(id="a.py::test_a", outcome=Outcome.FAILED, message="lost\nwitness \x1b[31m\ud800 \u2028 ü"),
    Note(text="odd", case="a.py::test_a"),
    RunFinished(complete=True, duration_s=1.5),
]


def written(path: Path, events: list[Event]) -> Path:
    with Journal(path) as journal:
        for event in events:
            journal.append(event)
    return path


def test_what_was_appended_is_read_in_order(tmp_path: Path) -> None:
    assert read_journal(written(tmp_path / "deep" / "journal.jsonl", EVENTS)) == EVENTS


def test_a_journal_cut_at_any_byte_gives_the_events_that_were_whole(tmp_path: Path) -> None:
    path = written(tmp_path / "journal.jsonl", EVENTS)
    whole = path.read_bytes()
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        assert read_journal(path) == EVENTS[: whole[:size].count(b"\n")]


def test_appending_to_a_cut_journal_damages_nothing(tmp_path: Path) -> None:
    path = written(tmp_path / "journal.jsonl", EVENTS[:2])
    path.write_bytes(path.read_bytes() + b'{"event":"no')
    assert read_journal(written(path, EVENTS[2:])) == EVENTS


DAMAGED = {
    "empty": b"",
    "half": b"{",
    "null": b"null",
    "unknown": b'{"event":"party"}',
    "binary": b"\xff\xfe",
    "no-json": b'{"event":"run-started","seed":1,"profile":"","started":"","suite_version":"","spec":{},'
    b'"subjects":{"backend":{"limits":NaN}},"workers":1,"selected":null}',
    "deep": b"[" * 99999,
    "huge": b'{"event":"run-finished","complete":true,"why":"","duration_s":1' + b"0" * 400 + b"}",
}


@pytest.mark.parametrize("line", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_line_before_the_end_is_an_error_that_names_it(tmp_path: Path, line: bytes) -> None:
    path = written(tmp_path / "journal.jsonl", EVENTS)
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([*lines[:2], line, *lines[3:]]))
    with pytest.raises(JournalError, match="line 3 of the journal") as caught:
        read_journal(path)
    assert "\n" not in str(caught.value)


def test_a_damaged_last_line_that_was_finished_is_an_error_too(tmp_path: Path) -> None:
    path = written(tmp_path / "journal.jsonl", EVENTS)
    path.write_bytes(path.read_bytes() + b"{}\n")
    with pytest.raises(JournalError, match="line 6"):
        read_journal(path)


def test_events_outlive_a_writer_that_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    program = (
        "import os, sys, signal; from pathlib import Path\n"
        "from conformance.verdict.events import Note; from conformance.verdict.journal import Journal\n"
        "journal = Journal(Path(sys.argv[1]))\n"
        "for number in range(100): journal.append(Note(text=str(number)))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, os.fspath(path)], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert read_journal(path) == [Note(text=str(number)) for number in range(100)]


def test_problems_with_the_file_are_told_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="cannot be read"):
        read_journal(tmp_path / "absent.jsonl")
    with pytest.raises(JournalError, match="cannot be opened for writing"):
        Journal(tmp_path)
    journal = Journal(tmp_path / "journal.jsonl")
    with pytest.raises(JournalError, match="cannot be written as JSON"):
        journal.append(
            RunStarted(seed=1, profile="", started="", suite_version="", spec={}, subjects={"x": b"bytes"}, workers=1)
        )
    journal.close()
    with pytest.raises(JournalError, match="cannot be written"):
        journal.append(Note(text="late"))
    assert read_journal(tmp_path / "journal.jsonl") == []
