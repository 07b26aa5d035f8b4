"""Where the people of the real client's updates are found once all of them are stored."""

from __future__ import annotations

import json
from dataclasses import dataclass

from conformance.craft.fixtures import FixtureError, fixture
from conformance.pb import association_pb2

FILE = "identity_lookups.json"


@dataclass(frozen=True, kw_only=True)
class Lookup:
    """One entry of a lookup, the number of its kind, and the inbox it resolves to, None for none."""

    identifier: str
    kind: int
    inbox_id: str | None


def real_client_lookups() -> tuple[Lookup, ...]:
    """Read the lookups. Raises FixtureError when the vectors are missing or cannot be read."""
    path = fixture(FILE)
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["lookups"]
        return tuple(
            Lookup(
                identifier=str(entry["identifier"]),
                kind=int(association_pb2.IdentifierKind.Value(entry["kind"])),
                inbox_id=None if entry["inbox_id"] is None else str(entry["inbox_id"]),
            )
            for entry in entries
        )
    except (ValueError, KeyError, TypeError) as error:
        raise FixtureError(f"The golden vectors {path} cannot be read ({error!r}): restore the file.") from error
