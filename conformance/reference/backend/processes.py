"""Endpoint processes that are loaded before they are needed."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress

SPARES = 2  # a deployment of two endpoints starts as quickly as one of one


class Processes:
    """Starts endpoint processes, and keeps a few that have loaded the program and wait for their order.

    Loading takes longer than all else in starting a backend, and it goes on while the tests use the deployments there
    are. `program` is the command line of the embedded backend or of one of its variants.
    """

    def __init__(self, program: Sequence[str]) -> None:
        self._command = [*program, "endpoint"]
        self._spares: list[subprocess.Popen[bytes]] = []

    def begin(self, order: bytes) -> subprocess.Popen[bytes]:
        """Give a process its order, one line that names its data folder, port and settings."""
        process = self._spares.pop(0) if self._spares else self._load()
        with suppress(BrokenPipeError):  # whoever waits for the address sees how it ended
            self._hand_over(process, order)
        return process

    def refill(self) -> None:
        """Have as many processes waiting as a deployment may take at once."""
        while len(self._spares) < SPARES:
            self._spares.append(self._load())

    def close(self) -> None:
        """End the processes that never got an order."""
        for process in self._spares:
            end_group(process)
            process.communicate()
        self._spares.clear()

    def _load(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - this program again
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )

    def _hand_over(self, process: subprocess.Popen[bytes], order: bytes) -> None:
        if process.stdin is not None:
            process.stdin.write(order)
            process.stdin.flush()


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End a process and its front at once, as a crash would."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
