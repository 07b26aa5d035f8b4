"""Envelopes of a real client: what it really sent, in its order, with what must become of each."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from conformance.craft.fixtures import FixtureError, fixture
from conformance.craft.topics import Kind

FILE = "real_client.jsonl"
_KINDS = {
    "group_message": Kind.GROUP_MESSAGE,
    "welcome": Kind.WELCOME,
    "identity_update": Kind.IDENTITY_UPDATE,
    "key_package": Kind.KEY_PACKAGE,
    "commit_log_entry": Kind.COMMIT_LOG,
}


@dataclass(frozen=True, kw_only=True)
class Line:
    """One envelope: its bytes, the topic and the flag it must be stored with, and when it was made (ns, Unix epoch).

    Lines of one `batch` left the client in one request. `duplicate_of` is the number of an earlier line with the same
    bytes.
    """

    number: int
    kind: Kind
    envelope: bytes
    topic: bytes
    is_commit_or_proposal: bool
    made_ns: int
    batch: int
    duplicate_of: int | None
    note: str

    def __str__(self) -> str:
        return f"line {self.number} ({self.note})"


def real_client_lines(*kinds: Kind) -> tuple[Line, ...]:
    """Read the envelopes of these kinds, of all kinds when none is named, in the order they were sent.

    Raises FixtureError when the vectors are missing or cannot be read.
    """
    wanted = kinds or tuple(Kind)
    path = fixture(FILE)
    try:
        lines = [_line(json.loads(text)) for text in path.read_text(encoding="utf-8").splitlines()]
    except (ValueError, KeyError, TypeError) as error:
        raise FixtureError(f"The golden vectors {path} cannot be read ({error!r}): restore the file.") from error
    return tuple(line for line in lines if line.kind in wanted)


def requests(lines: Iterable[Line]) -> Iterator[tuple[Line, ...]]:
    """Put the lines together again that left the client in one request."""
    for _, together in groupby(lines, key=lambda line: line.batch):
        yield tuple(together)


def _line(entry: object) -> Line:
    if not isinstance(entry, dict):
        raise TypeError("a line is no JSON object")
    duplicate_of = entry.get("duplicate_of")
    return Line(
        number=_number(entry["n"]),
        kind=_KINDS[str(entry["kind"])],
        envelope=base64.b64decode(str(entry["envelope_b64"]), validate=True),
        topic=bytes.fromhex(str(entry["topic_hex"])),
        is_commit_or_proposal=entry["is_commit_or_proposal"] is True,
        made_ns=_number(entry["made_ns"]),
        batch=_number(entry["batch"]),
        duplicate_of=None if duplicate_of is None else _number(duplicate_of),
        note=str(entry["note"]),
    )


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is no number")
    return value
