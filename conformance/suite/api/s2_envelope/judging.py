"""Values that judgements of this section need from the target."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.craft.group_message import content_type_of
from conformance.oracle.metadata import Retention, complete, expiry, flag, server_ns_unit
from conformance.pb import backend_pb2
from conformance.target.answers import Published
from conformance.target.errors import Missing
from conformance.target.limits import Limits
from conformance.target.own_clock import now_ns
from conformance.wire.transcript import Code, Meta


def retention_of(limits: Limits) -> Retention:
    """Give the retention that the target publishes."""
    return Retention(
        group_message_seconds=limits.group_message_seconds,
        welcome_seconds=limits.welcome_seconds,
        key_package_seconds=limits.key_package_seconds,
    )


def unless_refused(answer: Published, form: str) -> None:
    """Raise Missing when a publish was refused: then the parser of the target does not take this encoding."""
    if answer.status.code is Code.INVALID_ARGUMENT:
        raise Missing(f"encoding {form}", "the backend refuses what it cannot parse")


def means_what_it_says(
    metas: Iterable[Meta], envelope: backend_pb2.ClientEnvelope, limits: Limits, *, where: str
) -> None:
    """Judge that each field of an envelope's metadata holds what the contract puts under its number."""
    content_type = content_type_of(envelope)
    for meta in metas:
        complete(meta, where=where)
        server_ns_unit(meta, now_ns=now_ns())
        expiry(meta, content_type=content_type, retention=retention_of(limits))
        flag(meta, content_type=content_type)
