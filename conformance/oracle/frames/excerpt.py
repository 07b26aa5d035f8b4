"""The frames of a finding as a person reads them, one line each."""

from __future__ import annotations

from conformance.oracle.frames.facts import Finding
from conformance.oracle.frames.reading import (
    Applied,
    Messages,
    NothingSent,
    Ping,
    PingSent,
    Pong,
    PongSent,
    Reading,
    Request,
    Response,
    Started,
    Update,
)
from conformance.oracle.violation import Violation, shown

_TOPIC_DIGITS = 12
_MOST = 6


def violation(finding: Finding, reading: Reading, *, alike: int = 1) -> Violation:
    """Make the Violation of a finding; its witness is the excerpt of the stream and what else the finding names."""
    call = reading.call
    lines = {f"frame {place}": line(reading.events[place], call.started_ns) for place in sorted(set(finding.places))}
    ended = {} if call.status is None else {"ended with": call.status.code.name}
    counted = {"findings of this kind": alike} if alike > 1 else {}
    return Violation(
        finding.reason,
        finding.sentence,
        witness={"clauses": ", ".join(finding.about), **lines, **finding.facts, **ended, **counted},
    )


def line(event: Request | Response, started_ns: int) -> str:
    """Write one frame on one line, its instant in milliseconds since the stream was opened."""
    sent = isinstance(event, Update | PingSent | PongSent | NothingSent)
    return f"{(event.at_ns - started_ns) / 1e6:.3f} ms {'sent' if sent else 'received'} {_told(event)}"


def _told(event: Request | Response) -> str:
    name = type(event).__name__
    if isinstance(event, Update):
        adds = [f"{_short(add.topic)} above {add.cursor}" for add in event.adds]
        return f"Update {event.id}: adds {_some(adds)}, removes {_some([_short(topic) for topic in event.removes])}"
    if isinstance(event, Started):
        targets = "" if event.targets is None else f", {len(event.targets)} targets"
        return f"Started, interval {event.interval_ms} ms{targets}"
    if isinstance(event, Applied):
        return (
            f"Applied {event.id}: {_some([f'{_short(each.topic)} through {each.through}' for each in event.targets])}"
        )
    if isinstance(event, Messages):
        return f"Messages: {_some([f'#{meta.sequence_id} on {_short(meta.topic)}' for meta in event.metas])}"
    if isinstance(event, PingSent | PongSent | Ping | Pong):
        return f"{name.removesuffix('Sent')} {event.nonce}"
    return name


def _some(items: list[str]) -> str:
    if not items:
        return "none"
    more = f" ... ({len(items)} in all)" if len(items) > _MOST else ""
    return ", ".join(items[:_MOST]) + more


def _short(topic: bytes | None) -> str:
    digits = shown(topic)
    return digits if len(digits) <= _TOPIC_DIGITS else f"{digits[:_TOPIC_DIGITS]}.."
