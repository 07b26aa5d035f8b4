"""The recorded facts of a run: every call as it went over the wire, and what was seen of every stored envelope.

These types carry no opinion. Oracles judge them; reports show them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum


class Code(IntEnum):
    """The status codes of gRPC."""

    OK = 0
    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16


@dataclass(frozen=True, kw_only=True)
class PublishFailure:
    """A PublishError detail as received: `index` is None when the field is absent on the wire."""

    index: int | None
    reason: int
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class Status:
    """How a call ended.

    `local` is True when this side made the status up: its own deadline, a connection that was refused or broke, a
    reset stream. Such a status proves nothing about what the target would have answered.
    """

    code: Code
    message: str = ""
    local: bool = False
    details_bin: bytes | None = None


@dataclass(frozen=True, kw_only=True)
class Call:
    """One unary call: exact bytes both ways, metadata with credentials redacted, monotonic nanoseconds."""

    number: int
    endpoint: str
    method: str
    request: bytes = field(repr=False)
    response: bytes | None = field(repr=False)
    status: Status
    request_metadata: tuple[tuple[str, str], ...] = ()
    initial_metadata: tuple[tuple[str, str], ...] = ()
    trailing_metadata: tuple[tuple[str, str], ...] = ()
    started_ns: int = 0
    ended_ns: int = 0

    @property
    def rpc(self) -> str:
        """The bare method name, such as `Publish`."""
        return self.method.rsplit("/", 1)[-1]


@dataclass(frozen=True, kw_only=True)
class Frame:
    """One message of a stream. `at_ns`: before it was handed over when `sent` by this side, after it came otherwise.

    `whole` is the length and SHA-256 of a message of which `data` keeps the first bytes only.
    """

    sent: bool
    at_ns: int
    data: bytes = field(repr=False)
    whole: tuple[int, str] | None = None


@dataclass(frozen=True, kw_only=True)
class StreamCall:
    """One streaming call: the messages of both directions in the order this side saw them, monotonic nanoseconds.

    A message sent stands before everything that came after it was handed over; one received stands behind everything
    handed over before it came. `half_closed_at` and `cancelled_at` are how many frames stood here when this side ended
    its requests or gave the call up, None when it did not. `status` is None as long as the call runs. `how` says in
    what form it ended, where that is known.
    """

    number: int
    endpoint: str
    method: str
    frames: tuple[Frame, ...] = ()
    status: Status | None = None
    how: str = ""
    half_closed_at: int | None = None
    cancelled_at: int | None = None
    request_metadata: tuple[tuple[str, str], ...] = ()
    initial_metadata: tuple[tuple[str, str], ...] = ()
    trailing_metadata: tuple[tuple[str, str], ...] = ()
    started_ns: int = 0
    half_closed_ns: int | None = None
    cancelled_ns: int | None = None
    ended_ns: int | None = None

    @property
    def rpc(self) -> str:
        """The bare method name, such as `Subscribe`."""
        return self.method.rsplit("/", 1)[-1]

    @property
    def received(self) -> tuple[Frame, ...]:
        """The messages that came from the target."""
        return tuple(frame for frame in self.frames if not frame.sent)


@dataclass(frozen=True, kw_only=True)
class Meta:
    """The metadata of one stored envelope as one answer showed it.

    `absent` names the submessages (`cursor`, `message_hash`, `topic`) that were not on the wire.
    """

    sequence_id: int
    server_ns: int
    message_hash: bytes
    topic: bytes
    expiry_ns: int
    is_commit_or_proposal: bool
    absent: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return f"#{self.sequence_id} on {self.topic.hex()} hash {self.message_hash.hex()[:16]}"


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One envelope in one answer: where it was seen, its metadata, and the encoded payload (None when not carried)."""

    source: str
    meta: Meta
    envelope: bytes | None = field(default=None, repr=False)
    result_topic: bytes | None = None
