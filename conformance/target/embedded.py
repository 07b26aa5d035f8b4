"""The backend that comes with this package, used like any other: through its adapter program."""

from __future__ import annotations

import sys


def embedded() -> list[str]:
    """Return the argv of the adapter program of the embedded backend."""
    return [sys.executable, "-m", "conformance.reference.backend"]
