"""What is recorded of a history: one operation per call, its instants by one monotonic clock, payloads as digests.

A stream will add one event per frame; a frame that shows a topic above a position is judged as a page that does.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from conformance.wire.transcript import Code, Meta


class Outcome(Enum):
    """What the end of a publish says about its new envelopes."""

    STORED = "stored"
    """It was answered OK: all are stored."""
    REFUSED = "refused"
    """INVALID_ARGUMENT or ABORTED was received: none is stored, now or later."""
    UNKNOWN = "unknown"
    """Anything else, a lost answer included: they may be stored, or may still come to be (API-224)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sent:
    """An envelope of a publish request: the topic its payload determines, and the digest of its value."""

    topic: bytes
    digest: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """An envelope in the answer of a read; `digest` is that of the value carried, None when none was."""

    meta: Meta
    digest: bytes | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadFrom:
    """A topic of a Query and the lowest cursor named for it; 0 reads from the start."""

    topic: bytes
    cursor: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Recorded:
    """What every operation has: who asked which endpoint, and when, in nanoseconds of one monotonic clock.

    `invoked_ns` is taken before the first byte is sent, `completed_ns` after the last one was received.
    """

    client: str
    endpoint: str
    invoked_ns: int
    completed_ns: int
    status: Code = Code.OK


@dataclass(frozen=True, kw_only=True, slots=True)
class Publish(Recorded):
    """One Publish; `metas` are the entries of an OK answer, at the index of their envelopes."""

    sent: tuple[Sent, ...]
    outcome: Outcome
    metas: tuple[Meta, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Query(Recorded):
    """One Query: each topic once with its position, the effective limit, and the page in the order received."""

    positions: tuple[ReadFrom, ...]
    limit: int
    page: tuple[Shown, ...] = ()
    has_more: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Newest(Recorded):
    """One QueryNewest and its results; a lagging copy may have answered it (V02)."""

    topics: tuple[bytes, ...]
    full: bool
    results: tuple[Shown, ...] = ()


Operation: TypeAlias = Publish | Query | Newest
