"""The processes of one deployment: endpoints over a data folder of their own."""

from __future__ import annotations

import json
import os
import selectors
import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from conformance.reference.backend.clock import Clock
from conformance.reference.backend.database import Database
from conformance.reference.backend.failure import Failure
from conformance.reference.backend.hold import Hold
from conformance.reference.backend.processes import Processes, end_group
from conformance.reference.backend.settings import Settings

HOST = "127.0.0.1"
STOP_MARGIN_S = 5.0
STOP = b"stop\n"  # told to an endpoint process before its input ends
MEMORY = Path("/dev/shm")  # noqa: S108 - mkdtemp makes a private folder in it
MEMORY_BYTES = 4 << 30


def scratch_folder() -> Path:
    """Choose where deployments keep their data: in memory when there is room, or where TMPDIR says.

    The data goes with the deployment and outlives its processes either way; in memory a sync costs nothing.
    """
    usable = "TMPDIR" not in os.environ and MEMORY.is_dir() and os.access(MEMORY, os.W_OK)
    if usable and shutil.disk_usage(MEMORY).free >= MEMORY_BYTES:
        return MEMORY
    return Path(tempfile.gettempdir())


class DeploymentError(Exception):
    """A process did not do what was asked of it; the message is one sentence."""


class Endpoint:
    """One endpoint process and the address it keeps over restarts."""

    def __init__(self, processes: Processes, folder: Path, settings: Settings) -> None:
        self.settings = settings
        self.port = 0
        self._processes = processes
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """HOST:PORT; the port is 0 until the process is ready for the first time."""
        return f"{HOST}:{self.port}"

    def spawn(self) -> None:
        """Start the process; `wait_ready` tells when it serves."""
        order = {"data": str(self._folder), "port": self.port, "settings": self.settings.to_json()}
        self._process = self._processes.begin(json.dumps(order).encode() + b"\n")

    def wait_ready(self, deadline: float) -> None:
        """Wait for the address the process prints; `deadline` is an instant of the monotonic clock."""
        process = self._process
        if process is None or process.stdout is None:
            raise DeploymentError("the endpoint was not started")
        line = b""
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    self.kill()
                    raise DeploymentError("the endpoint process did not become ready in time")
                chunk = os.read(process.stdout.fileno(), 4096)
                if not chunk:
                    code = process.wait()
                    self._reap(process)
                    raise DeploymentError(
                        f"the endpoint process ended with exit code {code} before it served; its stderr says why"
                    )
                line += chunk
        self.port = int(line.rpartition(b":")[2])

    def kill(self) -> None:
        """End the process at once, as a crash would."""
        if self._process is not None:
            end_group(self._process)
            self._reap(self._process)

    def stop(self) -> None:
        """End the process in order: refuse new calls, drain the running ones."""
        process = self._process
        if process is None or process.stdin is None:
            return
        with suppress(BrokenPipeError):  # it has ended already
            process.stdin.write(STOP)
            process.stdin.close()
        try:
            process.wait(self.settings.timers.drain_ms / 1000 + STOP_MARGIN_S)
        except subprocess.TimeoutExpired:
            end_group(process)
        self._reap(process)

    def _reap(self, process: subprocess.Popen[bytes]) -> None:
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
        self._process = None


class Deployment:
    """One or more endpoints over one store, in a temporary folder that goes when it stops."""

    def __init__(self, processes: Processes, settings: Settings, count: int, deadline: float) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="xmtp-conformance-backend-", dir=scratch_folder()))
        self._database: Database | None = None
        self.endpoints = [Endpoint(processes, self._folder, settings) for _ in range(count)]
        try:
            for endpoint in self.endpoints:
                endpoint.spawn()
            for endpoint in self.endpoints:
                endpoint.wait_ready(deadline)
        except BaseException:
            self.stop()
            raise

    def addresses(self) -> list[str]:
        """Return the address of each endpoint, HOST:PORT."""
        return [endpoint.address for endpoint in self.endpoints]

    def restart(self, endpoint: Endpoint, settings: Settings, deadline: float) -> None:
        """Stop an endpoint in order unless it was killed, and start it again on the same port."""
        endpoint.stop()
        endpoint.settings = settings
        endpoint.spawn()
        endpoint.wait_ready(deadline)

    def hold(self) -> Hold:
        """Return the store hold of this deployment."""
        if self._database is None:
            store_ms = self.endpoints[0].settings.timers.store_ms
            try:
                self._database = Database(self._folder, schema=(), store_ms=store_ms)
            except Failure as failure:
                raise DeploymentError(f"the store cannot be reached: {failure.message}") from failure
        return Hold(self._database, self._folder)

    def clock(self) -> Clock:
        """Return the clock of this deployment, to be moved."""
        return Clock(self._folder)

    def stop(self) -> None:
        """End every process and remove the data: nothing of it is needed again."""
        for endpoint in self.endpoints:
            endpoint.kill()
        if self._database is not None:
            self._database.close()
            self._database = None
        shutil.rmtree(self._folder, ignore_errors=True)
