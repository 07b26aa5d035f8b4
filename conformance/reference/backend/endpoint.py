"""One endpoint process: a server over the shared store of a deployment."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from pathlib import Path

from conformance.reference.backend.backend import Build
from conformance.reference.backend.failure import Failure
from conformance.reference.backend.front.front import Front
from conformance.reference.backend.settings import Settings, SettingsError

LOOPBACK = "127.0.0.1"
LOOK_AGAIN_S = 0.1
BIND_PATIENCE_S = 5.0  # a restart takes the port of a process that has just ended


def run_endpoint(
    *, settings: Settings, folder: Path, address: str, build: Build, front: Front, until_stdin_ends: bool
) -> None:
    """Serve on HOST:PORT, print the address really bound, and end in order on SIGTERM, SIGINT or the end of input.

    Input that ends without a word means that the adapter is gone: nobody needs the data any more, so it goes too.
    Raises SettingsError, one sentence, when the folder or the address cannot be used. Otherwise it never returns: the
    process ends here, because a call that outlived the drain must not keep it alive.
    """
    stop, orphaned = threading.Event(), threading.Event()
    signals: list[int] = []  # not the event: a handler that runs while the event is waited for would lock itself out
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: signals.append(number))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        backend = build(settings, folder)
    except (OSError, Failure) as error:
        raise SettingsError(f"the data folder {folder} cannot be used: {error}") from error
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # grpc logs each request it refuses; statuses say it already
    server = backend.server()
    host = address.rpartition(":")[0]
    behind = f"{LOOPBACK}:{server.start(f'{LOOPBACK}:0')}"
    try:
        port = front.start(address, behind, backend.web_class, BIND_PATIENCE_S if until_stdin_ends else 0.0)
    except RuntimeError as error:
        raise SettingsError(f"{address} cannot be listened on: choose a port that is free") from error
    print(f"{host}:{port}", flush=True)  # noqa: T201 - the address is the output of this program
    if until_stdin_ends:
        threading.Thread(target=_wait_for_end_of_input, args=(stop, orphaned), daemon=True).start()
    while not signals and not stop.wait(LOOK_AGAIN_S):
        pass  # a signal that comes just before the wait does not interrupt it
    server.stop(settings.timers.drain_ms / 1000)
    front.stop()
    if orphaned.is_set():
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)  # the lock that vouches for open ranges falls with the process, not while a thread may still commit


def _wait_for_end_of_input(stop: threading.Event, orphaned: threading.Event) -> None:
    told = False
    while os.read(0, 4096):
        told = True
    if not told:
        orphaned.set()
    stop.set()
