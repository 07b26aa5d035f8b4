"""`python -m conformance.faults backend B030` is an adapter program like any other; what it starts has that fault."""

from __future__ import annotations

import sys

from conformance.faults.registry import variants
from conformance.reference.backend.program import main

_USAGE = "usage: python -m conformance.faults backend ID"


def _run(arguments: list[str]) -> int:
    if len(arguments) < 2 or arguments[0] != "backend":  # noqa: PLR2004 - a role and an id
        print(_USAGE, file=sys.stderr)  # noqa: T201 - a program talks to its caller
        return 2
    known = variants()
    if arguments[1] not in known:
        print(f"there is no variant {arguments[1]}; the known ones are {', '.join(known)}", file=sys.stderr)  # noqa: T201
        return 2
    program = [sys.executable, "-m", "conformance.faults", "backend", arguments[1]]
    return main(arguments[2:], build=known[arguments[1]].build, program=program)


sys.exit(_run(sys.argv[1:]))
