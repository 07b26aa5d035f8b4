"""`python -m conformance` is the command `xmtp-conformance`."""

from __future__ import annotations

from conformance.cli import main

main()
