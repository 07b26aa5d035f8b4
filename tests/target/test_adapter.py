"""An adapter program is spoken to by the protocol, and its bad manners end in one sentence, never in a hang."""

from __future__ import annotations

import json
import os
import select
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from conformance.target import adapter as adapter_module
from conformance.target.adapter import Adapter, Hello
from conformance.target.errors import Missing, TargetError

Argv = Callable[..., list[str]]


@pytest.fixture
def start(adapter_argv: Argv) -> Iterator[Callable[..., Adapter]]:
    started: list[Adapter] = []

    def make(*options: str, **keywords: object) -> Adapter:
        started.append(Adapter(adapter_argv(*options), **keywords))  # type: ignore[arg-type] # passed through
        return started[-1]

    yield make
    for adapter in started:
        adapter.close()


def test_it_says_hello_and_carries_out_commands(start: Callable[..., Adapter], tmp_path: Path) -> None:
    adapter = start("--controls", "limits,kill,magic", "--deployments", "3", "--log", str(tmp_path / "log"))
    assert adapter.hello == Hello(
        name="fake", version="1.2", controls=frozenset({"limits", "kill", "magic"}), deployments=3
    )
    started = adapter.start({"endpoints": 2})
    assert started.deployment == "d1"
    assert len(started.endpoints) == 2
    assert adapter.kill("d1", 0) == started.endpoints[0]
    assert adapter.restart("d1", 0, {"limits": {"max_query_limit": 9}}) == started.endpoints[0]
    assert adapter.store("d1", "hold") == {}
    assert adapter.store("d1", "release") == {"held": True}
    adapter.stop("d1")
    adapter.close()
    adapter.close()
    commands = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [command for command, _ in commands] == [
        "hello",
        "start",
        "kill",
        "restart",
        "store",
        "store",
        "stop",
        "end",
    ]
    assert commands[3][1] == {"deployment": "d1", "endpoint": 0, "limits": {"max_query_limit": 9}}


def test_commands_of_many_threads_get_their_own_replies(start: Callable[..., Adapter]) -> None:
    adapter = start("--deployments", "100")
    with ThreadPoolExecutor(8) as pool:
        names = list(pool.map(lambda _: adapter.start({}).deployment, range(16)))
    assert sorted(names) == sorted(f"d{number}" for number in range(1, 17))


def test_unsupported_is_a_missing_control_and_failed_is_a_sentence(start: Callable[..., Adapter]) -> None:
    adapter = start("--no-store", "--deployments", "1")
    with pytest.raises(Missing) as missing:
        adapter.store("d1", "hold")
    assert (missing.value.control, missing.value.why) == (
        "store-hold",
        "the adapter does not support it: no store here",
    )
    adapter.start({})
    with pytest.raises(TargetError, match=r"^The adapter \".*\" could not start \(failed\): too many deployments run$"):
        adapter.start({})


BAD_MANNERS = {
    "die": r'ended with exit code 3\. Its standard error ends: "\[31mpanic: disk is full\[0m, token <redacted>"$',
    "signal": r"ended with signal 9\.$",
    "chatter": r'wrote "starting up..." to standard output, which is no JSON; logs go to standard error\.$',
    "both": r"to standard output, which .* is valid under each of .*; logs go to standard error\.$",
    "stranger": r"answered request 99, which is not open\.$",
    "close": r"closed its standard output\.$",
    "wrong": r"answered start wrongly: endpoints: \[\] should be non-empty\.$",
}


@pytest.mark.parametrize("manner", BAD_MANNERS)
def test_bad_manners_end_in_a_sentence(
    start: Callable[..., Adapter], monkeypatch: pytest.MonkeyPatch, manner: str
) -> None:
    monkeypatch.setenv("FAKE_TOKEN", "my-secret-token")
    adapter = start("--on-start", manner, secret="my-secret-token")  # noqa: S106 - made up
    with pytest.raises(TargetError, match=r"^The adapter \".*\" " + BAD_MANNERS[manner]):
        adapter.start({})
    if manner != "wrong":
        with pytest.raises(TargetError, match=BAD_MANNERS[manner]):
            adapter.stop("d1")


def test_silence_beyond_the_deadline_is_told(start: Callable[..., Adapter]) -> None:
    adapter = start("--on-start", "silence", deadlines_s={"start": 0.1})
    with pytest.raises(TargetError, match=r"did not answer start within 0\.1 s\.$"):
        adapter.start({})
    assert adapter.store("d1", "hold") == {}


def test_a_reply_after_the_deadline_is_not_taken_for_another_one(start: Callable[..., Adapter]) -> None:
    adapter = start("--late", deadlines_s={"start": 0.1})
    with pytest.raises(TargetError, match=r"did not answer start within 0\.1 s"):
        adapter.start({})
    assert adapter.store("d1", "hold") == {}
    assert adapter.store("d1", "release") == {"held": True}


def test_a_program_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    with pytest.raises(TargetError) as raised:
        Adapter(["./no-such-program"], cwd=tmp_path)
    assert str(raised.value) == (
        'The adapter "./no-such-program" cannot be started '
        "([Errno 2] No such file or directory: './no-such-program'): check [adapter] command."
    )


def test_a_program_that_ends_at_once_is_told_with_its_last_words(adapter_argv: Argv) -> None:
    with pytest.raises(TargetError, match=r'ended with exit code 1\. Its standard error ends: "no configuration"$'):
        Adapter(adapter_argv("--die-at-once"))


def test_another_protocol_is_refused(adapter_argv: Argv) -> None:
    with pytest.raises(TargetError, match=r"speaks protocol 2; this suite speaks protocol 1\.$"):
        Adapter(adapter_argv("--protocol", "2"))


def test_a_program_that_does_not_end_is_killed_with_its_children(
    start: Callable[..., Adapter], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(adapter_module, "_CLOSE_S", 0.1)
    adapter = start("--stay", "--log", str(tmp_path / "pids"))
    pids = json.loads((tmp_path / "pids").read_text())
    with ExitStack() as opened:
        handles = []
        for pid in pids:
            # A pidfd stays tied to this very process, and becomes readable when it is gone.
            handles.append(os.pidfd_open(pid))
            opened.callback(os.close, handles[-1])
        adapter.close()
        for handle in handles:
            assert select.select([handle], [], [], 10)[0]
