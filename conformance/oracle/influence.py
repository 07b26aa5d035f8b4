"""Metadata is the backend's alone to assign (API-212.g): nothing in an envelope but its kind and content decides it."""

from __future__ import annotations

from conformance.oracle.violation import Violation
from conformance.wire.transcript import Meta

_ASSIGNED_ALIKE = ("server_ns", "topic", "expiry_ns", "is_commit_or_proposal")


def unmoved(plain: Meta, claiming: Meta) -> None:
    """Judge that an envelope that claims metadata got the metadata of a plain one beside it (API-212.g).

    Both are of one kind and content type, on one topic, and were stored by one publish; so all but their ids and
    hashes is equal. Reason: `influenced`.
    """
    for name in _ASSIGNED_ALIKE:
        expected, found = getattr(plain, name), getattr(claiming, name)
        if expected != found:
            raise Violation(
                "influenced",
                f"What a client wrote into an envelope has changed its {name}.",
                witness={"plain envelope": expected, "claiming envelope": found, "envelope": claiming},
            )
