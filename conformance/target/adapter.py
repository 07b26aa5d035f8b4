"""The client of a deployment adapter: a program that starts, stops and disturbs deployments, over JSON Lines."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.target.errors import Missing, TargetError
from conformance.target.messages import PROTOCOL, BadReply, check_ok, read_reply, request_line
from conformance.target.program import Program
from conformance.wire.secrets import masked_text
from conformance.wire.text import printable

# Patience per command in seconds: starting may mean containers and a database.
_DEADLINES_S = {"hello": 20.0, "start": 60.0, "stop": 30.0, "kill": 30.0, "restart": 60.0, "store": 20.0, "clock": 20.0}
_CLOSE_S = 5.0

# The control behind a command, for an adapter that answers `unsupported`.
_CONTROLS = {"kill": "kill", "restart": "restart", "store": "store-hold", "clock": "clock"}


@dataclass(frozen=True, kw_only=True)
class Hello:
    """What an adapter says of itself; `deployments` is how many it can run at once."""

    name: str
    version: str
    controls: frozenset[str]
    deployments: int


@dataclass(frozen=True, kw_only=True)
class Started:
    """A deployment that an adapter has started: its name there, and the addresses of its endpoints as given."""

    deployment: str
    endpoints: tuple[str, ...]


class Adapter:
    """A running adapter program. Safe to use from several threads.

    Starting it and every command raise TargetError with one sentence (and the end of the program's standard error)
    when the program is missing, dead, silent beyond its deadline, breaks the protocol or reports a failure, and
    Missing when it answers `unsupported`. `deadlines_s` overrides the patience per command, in seconds; `secret` is
    masked in whatever is shown.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | None = None,
        secret: str | None = None,
        deadlines_s: Mapping[str, float] | None = None,
    ) -> None:
        self._shown = f'"{printable(" ".join(argv), limit=120)}"'
        self._secret = secret
        self._deadlines_s = {**_DEADLINES_S, **(deadlines_s or {})}
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._waiting: dict[int, Future[dict[str, Any]]] = {}
        self._given_up: set[int] = set()
        self._broken: str | None = None
        try:
            self._program = Program(argv, cwd=cwd, secret=secret, on_line=self._on_line, on_end=self._on_end)
        except (OSError, ValueError) as error:
            raise TargetError(
                f"The adapter {self._shown} cannot be started ({printable(str(error))}): check [adapter] command."
            ) from None
        self._program.listen()
        try:
            self.hello = self._hello()
        except BaseException:
            self.close()
            raise

    def _hello(self) -> Hello:
        told = self.command("hello")
        if told["protocol"] != PROTOCOL:
            raise TargetError(
                f"The adapter {self._shown} speaks protocol {told['protocol']}; this suite speaks protocol {PROTOCOL}."
            )
        return Hello(
            name=self._safe(told["name"]),
            version=self._safe(told["version"]),
            controls=frozenset(told["controls"]),
            deployments=told["deployments"],
        )

    def start(self, arguments: Mapping[str, object]) -> Started:
        """Start a deployment with the `start` arguments given."""
        told = self.command("start", arguments)
        return Started(deployment=told["deployment"], endpoints=tuple(told["endpoints"]))

    def stop(self, deployment: str) -> None:
        """Stop a deployment."""
        self.command("stop", {"deployment": deployment})

    def kill(self, deployment: str, endpoint: int) -> str:
        """Kill one endpoint without warning; return its address."""
        return str(self.command("kill", {"deployment": deployment, "endpoint": endpoint})["endpoint"])

    def restart(self, deployment: str, endpoint: int, settings: Mapping[str, object]) -> str:
        """Restart one endpoint, with changed `settings` (limits, retention, timers) if any; return its address."""
        arguments = {"deployment": deployment, "endpoint": endpoint, **settings}
        return str(self.command("restart", arguments)["endpoint"])

    def store(self, deployment: str, action: str) -> Mapping[str, Any]:
        """Send a `store` command, `hold`, `status` or `release`, and return what was said."""
        return self.command("store", {"deployment": deployment, "action": action})

    def clock(self, deployment: str, offset_ms: int) -> None:
        """Set a deployment's clock `offset_ms` milliseconds ahead of what it is unmoved, behind when negative."""
        self.command("clock", {"deployment": deployment, "offset_ms": offset_ms})

    def command(self, command: str, arguments: Mapping[str, object] | None = None) -> dict[str, Any]:
        """Send one command and return the `ok` value of its reply, checked against the schema."""
        reply = self._exchange(command, arguments or {}, self._deadlines_s[command])
        error = reply.get("err")
        if error is None:
            ok: dict[str, Any] = reply["ok"]
            try:
                check_ok(command, ok)
            except BadReply as problem:
                sentence = f"The adapter {self._shown} answered {command} wrongly: {self._safe(str(problem))}."
                raise TargetError(sentence) from None
            return ok
        message = self._safe(error["message"])
        if error["kind"] == "unsupported":
            raise Missing(_CONTROLS.get(command, command), f"the adapter does not support it: {message}")
        raise TargetError(f"The adapter {self._shown} could not {command} ({error['kind']}): {message}")

    def close(self) -> None:
        """End the program: close its input, wait 5 s, then kill its process group. May be called again."""
        self._program.close(grace_s=_CLOSE_S)

    def _exchange(self, command: str, arguments: Mapping[str, object], deadline_s: float) -> dict[str, Any]:
        future: Future[dict[str, Any]] = Future()
        with self._lock:
            if self._broken is not None:
                raise TargetError(self._broken)
            number = next(self._numbers)
            self._waiting[number] = future
            self._program.write(request_line(number, command, arguments, deadline_s=deadline_s))
        try:
            return future.result(timeout=deadline_s)
        except TimeoutError:
            with self._lock:
                self._waiting.pop(number, None)
                self._given_up.add(number)
            sentence = f"The adapter {self._shown} did not answer {command} within {deadline_s:g} s."
            raise TargetError(sentence + self._program.tail()) from None

    def _on_line(self, line: bytes) -> None:
        try:
            reply = read_reply(line)
        except BadReply as problem:
            shown = self._safe(line.decode(errors="replace"), limit=80)
            what = f'wrote "{shown}" to standard output, which {self._safe(str(problem))}; logs go to standard error'
            self._break(what)
            return
        number = reply["id"]
        with self._lock:
            future = self._waiting.pop(number, None)
            late = number in self._given_up
            self._given_up.discard(number)
        if future is not None:
            future.set_result(reply)
        elif not late:
            self._break(f"answered request {number}, which is not open")

    def _on_end(self, how: str) -> None:
        self._break(how)

    def _break(self, what: str) -> None:
        with self._lock:
            if self._broken is None:
                self._broken = f"The adapter {self._shown} {what}.{self._program.tail()}"
            waiting = list(self._waiting.values())
            self._waiting.clear()
        for future in waiting:
            future.set_exception(TargetError(self._broken))

    def _safe(self, text: str, *, limit: int = 200) -> str:
        return printable(masked_text(text, self._secret), limit=limit)
