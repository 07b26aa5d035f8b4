"""The command line of the embedded backend: the adapter program, one endpoint process, or a server to keep."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from conformance.reference.backend.adapter import Adapter
from conformance.reference.backend.backend import Build, build_backend
from conformance.reference.backend.deployment import HOST
from conformance.reference.backend.endpoint import run_endpoint
from conformance.reference.backend.front.front import Front
from conformance.reference.backend.settings import Settings, SettingsError, UnsupportedError

PROGRAM = (sys.executable, "-m", "conformance.reference.backend")
EXIT_USAGE = 2
END_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def main(argv: Sequence[str], build: Build = build_backend, program: Sequence[str] = PROGRAM) -> int:
    """Run what `argv` asks for and return the exit code: 0, or 2 with one sentence on stderr.

    Without arguments this is the adapter program. `build` makes the backend of each endpoint process, and `program` is
    the command that runs `main` again with the same `build`: a variant passes its own command, so that the endpoint
    processes it starts are variants too.
    """
    try:
        options = _parser().parse_args(argv)
        if options.command is None:
            _run_adapter(program, _settings(options.defaults, "--defaults"))
        elif options.command == "endpoint":
            _run_ordered_endpoint(build)
        else:
            run_endpoint(
                settings=_settings(options.settings),
                folder=options.data,
                address=f"{options.host}:{options.port}",
                build=build,
                front=Front(),
                until_stdin_ends=False,
            )
    except (SettingsError, UnsupportedError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - the sentence a user reads
        return EXIT_USAGE
    return 0


def _run_adapter(program: Sequence[str], defaults: Settings) -> None:
    """Serve the adapter protocol until the input ends or a signal asks for the end; nothing started is left behind."""
    adapter = Adapter(program, defaults)
    for number in END_SIGNALS:
        signal.signal(number, _end)
    try:
        try:
            adapter.serve(sys.stdin.buffer, sys.stdout.buffer)
        except BrokenPipeError:
            sys.stdout = None  # nobody reads the replies any more, so there is nothing to flush at exit
        finally:
            _ignore_end_signals()  # a signal must not cut the clean-up short
    finally:
        adapter.close()


def _run_ordered_endpoint(build: Build) -> None:
    """Wait for one line that says what to serve, and serve it; input that ends before means that nobody needs it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the adapter gets it as well, and ends the input
    front = Front()
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(0, 1)  # not a byte further: what comes behind the line tells when to stop
        if not byte:
            return
        line += byte
    order = json.loads(line)
    run_endpoint(
        settings=_settings(order["settings"]),
        folder=Path(order["data"]),
        address=f"{HOST}:{order['port']}",
        build=build,
        front=front,
        until_stdin_ends=True,
    )


def _end(_number: int, _frame: object) -> NoReturn:
    _ignore_end_signals()
    raise SystemExit(0)


def _ignore_end_signals() -> None:
    for number in END_SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m conformance.reference.backend",
        description="The embedded backend. Without a command: its adapter program, JSON Lines on stdin and stdout.",
    )
    parser.add_argument("--defaults", default="{}", help="JSON object of settings that start and its arguments change")
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("endpoint", help="what the adapter starts: one endpoint, told on standard input what to serve")
    explanation = "serve one endpoint over a data folder that stays; prints its address"
    command = commands.add_parser("serve", help=explanation, description=explanation)
    command.add_argument("--data", type=Path, required=True, help="data folder, made when it is not there")
    command.add_argument("--host", default=HOST, help=f"address to listen on (default {HOST})")
    command.add_argument("--port", type=int, default=0, help="port to listen on (default: any free one)")
    command.add_argument("--settings", default="{}", help="JSON object of settings, as in start")
    return parser


def _settings(text: str, option: str = "--settings") -> Settings:
    try:
        args = json.loads(text)
    except ValueError as error:
        raise SettingsError(f"{option} is not JSON: {error}") from error
    if not isinstance(args, dict):
        raise SettingsError(option + ' must be a JSON object, such as {"limits": {"max_query_limit": 7}}')
    return Settings().changed(args)
