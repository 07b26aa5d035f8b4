"""`xmtp-conformance run` from the outside: exit codes, one-sentence errors, the reports it leaves."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "conformance", "run", "--out", "out", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
def http_port() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--target", "127.0.0.1:1"),
        ("--target", "nowhere"),
        ("--deployment", "absent.toml"),
        ("--only", "API-9"),
        ("--seed", "seven"),
        ("--profile", "heroic"),
        ("--handles-profile", "missing.toml"),
        ("--out", "/proc/self/status/out"),
    ],
    ids=[
        "dead port",
        "bad address",
        "no such file",
        "unknown requirement",
        "bad seed",
        "unknown profile",
        "no handles",
        "no folder",
    ],
)
def test_what_cannot_be_run_is_one_sentence_and_code_2(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    ended = run(tmp_path, *arguments)
    assert ended.returncode == 2
    said = ended.stdout + ended.stderr
    assert arguments[1] in said
    assert "Traceback" not in said
    assert not (tmp_path / "out" / "results.json").exists()


def test_reports_of_an_earlier_run_do_not_survive_a_run_that_cannot_start(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    for name in ("results.json", "journal.jsonl", "summary.md", "junit.xml"):
        (tmp_path / "out" / name).write_text("green", encoding="utf-8")
    assert run(tmp_path, "--seed", "seven").returncode == 2
    assert list((tmp_path / "out").iterdir()) == []


def test_a_port_that_speaks_http_is_one_sentence_and_code_2(tmp_path: Path, http_port: int) -> None:
    ended = run(tmp_path, "--target", f"127.0.0.1:{http_port}")
    assert ended.returncode == 2
    assert "HTTP/1" in ended.stdout + ended.stderr


def test_a_run_lists_every_requirement_and_writes_its_reports(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n", encoding="utf-8")
    ended = run(tmp_path, "--only", "API-241.c", "--profile", "smoke", "--seed", "7")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    for requirement in ("API-201", "API-299", "SEND-001", "SEND-026"):
        assert requirement in ended.stdout
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert len(results["requirements"]) == 81
    assert results["requirements"]["API-241"]["verdict"] in {"pass", "partial"}
    assert (tmp_path / "out" / "summary.md").exists()
    assert (tmp_path / "out" / "junit.xml").exists()


def test_require_full_turns_what_did_not_run_into_code_3(tmp_path: Path) -> None:
    assert run(tmp_path, "--only", "API-241.c", "--profile", "smoke", "--require-full").returncode == 3
