"""The front of an endpoint, as the endpoint sees it."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

from conformance.reference.backend.front.program import PROGRAM

if TYPE_CHECKING:
    from conformance.reference.backend.front.web import Web

STOP_S = 2.0


class Front:
    """A front process, which waits until it is told what to do and ends with the process that started it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - ours

    def start(self, address: str, backend: str, web: type[Web], patience_s: float) -> int:
        """Listen on HOST:PORT before the gRPC server at `backend`, and return the port.

        Waits up to `patience_s` seconds for a port that is taken. Raises RuntimeError when it cannot be listened on.
        """
        orders, output = self._process.stdin, self._process.stdout
        if orders is None or output is None:
            raise RuntimeError("the front has no pipes")
        order = {
            "address": address,
            "backend": backend,
            "patience_s": patience_s,
            "web": f"{web.__module__}:{web.__name__}",
        }
        orders.write(json.dumps(order).encode() + b"\n")
        orders.flush()
        line = output.readline()
        if not line:
            raise RuntimeError(f"nothing can listen on {address}")
        return int(line)

    def stop(self) -> None:
        """Close the port and every connection."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
