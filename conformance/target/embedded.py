"""The backend that comes with this package, used like any other: through its adapter program."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def embedded(defaults: Mapping[str, object] | None = None) -> list[str]:
    """Return the argv of the adapter program of the embedded backend.

    `defaults` are arguments of the adapter's `start` for every deployment, unless a start itself says otherwise.
    """
    program = [sys.executable, "-m", "conformance.reference.backend"]
    return [*program, "--defaults", json.dumps(defaults)] if defaults else program
