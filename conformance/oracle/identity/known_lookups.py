"""Lookups whose answers are known beforehand, from a log that another implementation has written."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.oracle.violation import Violation
from conformance.pb import backend_pb2


def as_known(known: Sequence[str | None], response: backend_pb2.GetInboxIdsResponse) -> None:
    """Judge that each entry is answered with the inbox id known for it, None for none (API-270).

    Reasons: `entry-count`, `wrong-inbox`.
    """
    if len(known) != len(response.responses):
        raise Violation("entry-count", f"A lookup of {len(known)} entries was answered with {len(response.responses)}.")
    for index, (expected, answer) in enumerate(zip(known, response.responses, strict=True)):
        found = answer.inbox_id if answer.HasField("inbox_id") else None
        if found != expected:
            raise Violation(
                "wrong-inbox",
                f"The entry at index {index} resolves to another inbox than the updates of a real client lead to.",
                witness={"identifier": answer.identifier, "answered": found, "expected": expected},
            )
