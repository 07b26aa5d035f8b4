"""The state of the suite as one digest: what a proof was made for, and whether it still belongs to the code at hand."""

from __future__ import annotations

import hashlib
from pathlib import Path

_PACKAGE = Path(__file__).parent
_SHIPPED, _CHECKED_OUT = _PACKAGE / "_shipped" / "fixtures", _PACKAGE.parent / "fixtures"
_FIXTURES = _SHIPPED if _SHIPPED.is_dir() else _CHECKED_OUT
# The rooms whose change makes an old proof worthless.
_ROOMS = (
    "craft",
    "faults",
    "ledger",
    "oracle",
    "pb",
    "plugin",
    "prove",
    "proxy",
    "reference",
    "suite",
    "target",
    "verdict",
    "wire",
)


def suite_digest() -> str:
    """SHA-256 over everything a proof depends on: the suite, its machinery, the references and the faults."""
    digest = hashlib.sha256()
    for room in _ROOMS:
        for path in sorted((_PACKAGE / room).rglob("*")):
            if path.suffix in {".py", ".toml", ".json"} and path.name != "power.json":
                digest.update(str(path.relative_to(_PACKAGE)).encode() + b"\0" + path.read_bytes())
    for path in sorted(_FIXTURES.iterdir()) if _FIXTURES.is_dir() else ():
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
