"""Metadata is the backend's alone to assign (API-212.g): nothing in an envelope but its kind and content decides it."""

from __future__ import annotations

from conformance.oracle.violation import Violation
from conformance.wire.transcript import Meta

# The clock may be read for each of the two, wrongly (API-212.c) but by the backend; a claim is years away from it.
HOUR_NS = 3600 * 1_000_000_000


def unmoved(plain: Meta, claiming: Meta) -> None:
    """Judge that an envelope that claims metadata got the metadata of a plain one beside it (API-212.g).

    Both are of one kind and content type, on one topic, and were stored by one publish; so they have their topic, flag
    and time to live in common, and their server_ns but for an hour. Reason: `influenced`.
    """
    for name, expected, found in (
        ("topic", plain.topic, claiming.topic),
        ("is_commit_or_proposal", plain.is_commit_or_proposal, claiming.is_commit_or_proposal),
        ("expiry_ns", _lifetime_ns(plain), _lifetime_ns(claiming)),
    ):
        if expected != found:
            raise _influenced(name, plain, claiming)
    if abs(plain.server_ns - claiming.server_ns) > HOUR_NS:
        raise _influenced("server_ns", plain, claiming)


def _lifetime_ns(meta: Meta) -> int | None:
    return meta.expiry_ns - meta.server_ns if meta.expiry_ns else None


def _influenced(name: str, plain: Meta, claiming: Meta) -> Violation:
    return Violation(
        "influenced",
        f"What a client wrote into an envelope has changed its {name}.",
        witness={
            "plain envelope": getattr(plain, name),
            "claiming envelope": getattr(claiming, name),
            "envelope": claiming,
        },
    )
