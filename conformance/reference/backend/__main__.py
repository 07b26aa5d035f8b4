"""`python -m conformance.reference.backend`: the adapter program of the embedded backend."""

from __future__ import annotations

import sys

from conformance.reference.backend.program import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
