"""Endpoint processes that wait for their order."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from conformance.reference.backend.processes import SPARES, Processes
from conformance.reference.backend.program import PROGRAM


def _order(folder: Path) -> bytes:
    return json.dumps({"data": str(folder), "port": 0, "settings": "{}"}).encode() + b"\n"


def _address(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout is not None
    return process.stdout.readline()


def test_a_process_that_waited_serves_as_one_started_for_the_order(tmp_path: Path) -> None:
    processes = Processes(PROGRAM)
    processes.refill()
    begun = [processes.begin(_order(tmp_path / str(number))) for number in range(SPARES + 1)]
    try:
        assert all(_address(process).startswith(b"127.0.0.1:") for process in begun)
        assert len({process.pid for process in begun}) == len(begun)
    finally:
        for process in begun:
            process.kill()
            process.communicate()
        processes.close()


def test_processes_that_never_got_an_order_end_when_their_input_does() -> None:
    waiting = subprocess.run([*PROGRAM, "endpoint"], input=b"", capture_output=True, check=False)
    assert (waiting.returncode, waiting.stdout, waiting.stderr) == (0, b"", b"")


def test_closing_leaves_no_process_behind() -> None:
    processes = Processes(PROGRAM)
    processes.refill()
    spares = list(processes._spares)
    processes.close()
    assert all(process.poll() is not None for process in spares)
