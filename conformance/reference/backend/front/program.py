"""The front as a process: started by an endpoint, and ended with it."""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import threading

from conformance.reference.backend.front.listener import Listener
from conformance.reference.backend.front.web import Web

PROGRAM = (sys.executable, "-m", "conformance.reference.backend.front.program")


def main() -> int:
    """Wait for a line on standard input that says what to do, and do it until the input ends.

    The line is a JSON object: `address` to listen on (HOST:PORT) and `backend`, the gRPC server; `patience_s`, how long
    to wait for a port that is taken; `web`, the class that bridges gRPC-Web (MODULE:NAME). Prints the port, or nothing
    if it cannot be had.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the endpoint gets it as well, and ends the input
    line = sys.stdin.buffer.readline()
    if not line:
        return 0
    order = json.loads(line)
    module, _, name = order["web"].partition(":")
    web: Web = getattr(importlib.import_module(module), name)(order["backend"])
    listener = Listener(_pair(order["backend"]), web)
    try:
        port = listener.open(_pair(order["address"]), order["patience_s"])
    except OSError:
        return 1
    print(port, flush=True)  # noqa: T201 - the port is the output of this program
    threading.Thread(target=listener.serve, daemon=True).start()
    while os.read(0, 1):
        pass
    listener.close()
    os._exit(0)  # connections that are still open end with the endpoint


def _pair(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


if __name__ == "__main__":
    sys.exit(main())
