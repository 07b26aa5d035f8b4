"""Runs a small suite through the plugin, in a process of its own, and reads what became of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conformance.verdict.results_file import read_results


@dataclass(frozen=True)
class Outcome:
    """What one run left behind."""

    code: int
    text: str
    out: Path

    @property
    def results(self) -> dict[str, Any]:
        return dict(read_results(self.out / "results.json"))

    @property
    def cases(self) -> dict[str, dict[str, Any]]:
        return {case["id"].split("::")[1]: case for case in self.results["cases"]}

    @property
    def events(self) -> list[dict[str, Any]]:
        lines = (self.out / "journal.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]


class SuiteRunner:
    """Writes a test module and runs pytest over it as a conformance run against the embedded backend."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self._pytester = pytester

    def run(self, body: str, *options: str) -> Outcome:
        self.write(body)
        out = self._pytester.path / "out"
        result = self._pytester.runpytest_subprocess(f"--conformance-out={out}", "-p", "no:cacheprovider", *options)
        return Outcome(code=int(result.ret), text=result.stdout.str() + result.stderr.str(), out=out)

    def write(self, body: str) -> None:
        self._pytester.makepyfile(test_small="import pytest\nfrom conformance.suite import covers, reaches\n" + body)


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> SuiteRunner:
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    return SuiteRunner(pytester)
