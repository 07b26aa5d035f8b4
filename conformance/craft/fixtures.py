"""Where the golden vectors are: shipped inside the package, or beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

import conformance

_PACKAGE = Path(conformance.__file__).parent
_PLACES = (_PACKAGE / "_shipped" / "fixtures", _PACKAGE.parent / "fixtures")


class FixtureError(Exception):
    """A file of golden vectors is missing or not what it should be; one sentence that names it and the fix."""


def fixture(name: str) -> Path:
    """Find a file of golden vectors by its name. Raises FixtureError."""
    for place in _PLACES:
        if (place / name).is_file():
            return place / name
    raise FixtureError(f"The golden vectors {name} are missing: install the package again, or use a whole checkout.")
