"""Runs the suite on the clean embedded backend again and again beside a busy core, until one run is not clean.

Each run adds a line to reports/soak-clean.jsonl, and a later call with the same suite goes on where the last one
stopped. Options behind `--` go to `xmtp-conformance run`, such as `--only API-24*`.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.digest import suite_digest

LOG = Path(__file__).resolve().parent.parent / "reports" / "soak-clean.jsonl"
CLEAN_WORDS = {"pass", "partial", "not-run", "not-observable"}


def main() -> int:
    """Run until there are as many clean runs in a row as asked for; 1 at the first that is not clean."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("-n", "--runs", type=int, default=50)
    options.add_argument("rest", nargs="*", help="options of xmtp-conformance run")
    given = options.parse_args()
    key = {"digest": suite_digest(), "options": given.rest}
    done = clean_runs(key)
    print(f"{done} of {given.runs} runs were clean before")
    with busy_core():
        for seed in range(done + 1, given.runs + 1):
            entry = {**key, "seed": seed, **one_run(seed, given.rest)}
            with LOG.open("a", encoding="utf-8") as log:
                log.write("\n" * _is_cut() + json.dumps(entry) + "\n")
            print(f"seed {seed}: code {entry['code']} in {entry['seconds']} s {entry['not_clean'] or ''}", flush=True)
            if entry["code"] != 0 or entry["not_clean"]:
                return 1
    return 0


def clean_runs(key: dict[str, object]) -> int:
    """How many runs in a row, the last ones of this suite and these options, were clean."""
    if not LOG.exists():
        LOG.parent.mkdir(parents=True, exist_ok=True)
        return 0
    count = 0
    for line in LOG.read_text(encoding="utf-8").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:  # cut short when a run was killed
            continue
        if all(entry[name] == value for name, value in key.items()):
            count = count + 1 if entry["code"] == 0 and not entry["not_clean"] else 0
    return count


def _is_cut() -> bool:
    """Whether the last line was cut short."""
    text = LOG.read_bytes() if LOG.exists() else b""
    return bool(text) and not text.endswith(b"\n")


def one_run(seed: int, rest: list[str]) -> dict[str, object]:
    """Run the suite once; `not_clean` maps every clause with another word than a clean run may have to that word."""
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "conformance", "run", "--seed", str(seed), "--out", out, *rest]
        began = time.monotonic()
        ended = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
        seconds = round(time.monotonic() - began, 1)
        results = Path(out) / "results.json"
        clauses = json.loads(results.read_text(encoding="utf-8"))["clauses"] if results.exists() else {}
    words = {clause: entry["verdict"] for clause, entry in clauses.items() if entry["verdict"] not in CLEAN_WORDS}
    return {"code": ended.returncode, "not_clean": words, "seconds": seconds}


@contextmanager
def busy_core() -> Iterator[None]:
    """Keep one core busy in a process of its own."""
    worker = multiprocessing.get_context("spawn").Process(target=spin, daemon=True)
    worker.start()
    try:
        yield
    finally:
        worker.kill()
        worker.join()


def spin() -> None:
    """Count for ever."""
    number = 0
    while True:
        number += 1


if __name__ == "__main__":
    sys.exit(main())
