"""A child program in a process group of its own: lines out, lines in, the end of its standard error, a clean stop."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from conformance.wire.secrets import masked_text
from conformance.wire.text import printable

LARGEST_LINE_BYTES = 1024 * 1024

_TAIL_LINES = 20
_TAIL_CHARACTERS = 600
_LONGEST_STDERR_LINE_BYTES = 4096
_LAST_WORDS_S = 1.0


class Program:
    """A running program. `on_line` gets each line of its standard output; `on_end` one clause on how that ended.

    Both are called from a thread of this object, once `listen` has been called. Raises OSError when the program
    cannot be started. `secret` is masked wherever its standard error is shown.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | None,
        secret: str | None,
        on_line: Callable[[bytes], None],
        on_end: Callable[[str], None],
    ) -> None:
        self._secret = secret
        self._on_line = on_line
        self._on_end = on_end
        self._tail: deque[str] = deque(maxlen=_TAIL_LINES)
        self._exited = threading.Event()
        self._exit = "ended"
        self._process = subprocess.Popen(  # noqa: S603 - the user names this program, and no shell reads it
            tuple(argv),
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # it can be ended with everything it started, and Ctrl-C leaves the end to us
        )
        self._stdin, stdout, stderr = _pipes(self._process)
        self._watcher = threading.Thread(target=self._watch, name="program-exit", daemon=True)
        self._error_reader = threading.Thread(target=self._read_stderr, args=(stderr,), name="program-err", daemon=True)
        self._line_reader = threading.Thread(target=self._read_stdout, args=(stdout,), name="program-out", daemon=True)
        self._watcher.start()
        self._error_reader.start()

    def listen(self) -> None:
        """Begin to deliver: from here on `on_line` and `on_end` are called. Call it once."""
        self._line_reader.start()

    def write(self, line: bytes) -> None:
        """Write to its standard input. A program that is gone does not raise here: `on_end` tells of it."""
        with suppress(OSError, ValueError):
            self._stdin.write(line)
            self._stdin.flush()

    def tail(self) -> str:
        """Return a sentence with the end of its standard error, behind a space; empty when there was nothing."""
        text = masked_text(" | ".join(self._tail.copy()), self._secret)
        shown = printable(text[-_TAIL_CHARACTERS:], limit=_TAIL_CHARACTERS)
        return f' Its standard error ends: "{shown}"' if shown else ""

    def close(self, *, grace_s: float) -> None:
        """Close its standard input, wait `grace_s` seconds for it to end, then kill it and whatever it left behind."""
        with suppress(OSError):
            self._stdin.close()
        self._exited.wait(grace_s)
        # Not reaped yet, so the group id cannot have passed to a stranger.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._watcher.join()
        self._process.wait()
        for thread in (self._error_reader, self._line_reader):
            if thread.is_alive() and thread is not threading.current_thread():
                thread.join(_LAST_WORDS_S)

    def _watch(self) -> None:
        result = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        if result is not None:
            how = "exit code" if result.si_code == os.CLD_EXITED else "signal"
            self._exit = f"ended with {how} {result.si_status}"
        self._exited.set()

    def _read_stderr(self, stream: IO[bytes]) -> None:
        with stream:
            while line := stream.readline(_LONGEST_STDERR_LINE_BYTES):
                self._tail.append(line.decode(errors="replace").strip())

    def _read_stdout(self, stream: IO[bytes]) -> None:
        with stream:
            while line := stream.readline(LARGEST_LINE_BYTES):
                self._on_line(line)
        if self._exited.wait(_LAST_WORDS_S):
            self._error_reader.join(_LAST_WORDS_S)
            self._on_end(self._exit)
        else:
            self._on_end("closed its standard output")


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise OSError("no pipes to the program")
    return process.stdin, process.stdout, process.stderr
