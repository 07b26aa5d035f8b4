"""How long a whole run takes, per profile and number of workers, against the embedded backend.

Prints the median and the range of a few runs, start of the interpreter and of the backend included.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time

RUNS = 3
SETTINGS = (("smoke", 1), ("standard", 1), ("standard", 2))


def seconds(profile: str, workers: int) -> float:
    """Run the suite once and give its wall time in seconds; SystemExit when the run is not clean."""
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "conformance", "run", "--profile", profile, "-n", str(workers), "--out", out]
        began = time.monotonic()
        ended = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
        took = time.monotonic() - began
    if ended.returncode != 0:
        raise SystemExit(f"the run was not clean, so its time means nothing:\n{ended.stdout}{ended.stderr}")
    return took


def main() -> None:
    """Print one line per setting."""
    print(f"{'profile':<12}{'workers':<10}{'median':>8}{'min':>8}{'max':>8}   seconds, {RUNS} runs")
    for profile, workers in SETTINGS:
        times = [seconds(profile, workers) for _ in range(RUNS)]
        print(f"{profile:<12}{workers:<10}{statistics.median(times):>8.1f}{min(times):>8.1f}{max(times):>8.1f}")


if __name__ == "__main__":
    main()
