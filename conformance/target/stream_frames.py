"""The frames of a stream as a test asks for them: indexed as they come, so that a wait never reads one twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from google.protobuf.message import DecodeError

from conformance.pb import backend_pb2
from conformance.target.answers import meta_of
from conformance.wire.transcript import Frame, Seen
from conformance.wire.walk import WireError, submessages


@dataclass(frozen=True, kw_only=True)
class Target:
    """Through which id the history of a topic runs; 0 when it is empty."""

    topic: bytes
    through: int


@dataclass(frozen=True, kw_only=True)
class Started:
    """The first frame; `targets` are those of SubscribeStatic. Monotonic nanoseconds."""

    at_ns: int
    interval_ms: int
    targets: tuple[Target, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Applied:
    """The acknowledgement of an Update. Monotonic nanoseconds."""

    at_ns: int
    id: int
    targets: tuple[Target, ...]


@dataclass(frozen=True, kw_only=True)
class Sign:
    """A Ping (with its nonce) or a Keepalive. Monotonic nanoseconds."""

    at_ns: int
    nonce: int = 0


@dataclass(kw_only=True)
class Index:
    """What came so far on one stream."""

    static: bool
    started: Started | None = None
    applied: dict[int, Applied] = field(default_factory=dict)
    rows: list[Seen] = field(default_factory=list)
    times: Counter[tuple[bytes, int]] = field(default_factory=Counter)
    signs: list[Sign] = field(default_factory=list)
    pongs: Counter[int] = field(default_factory=Counter)

    def take(self, frame: Frame) -> None:
        """Index one frame. Raises ValueError with the reason when it is no message of the stream."""
        kind = backend_pb2.SubscribeStaticResponse if self.static else backend_pb2.SubscribeResponse
        try:
            response = kind.FromString(frame.data)
        except DecodeError:
            raise ValueError(f"{len(frame.data)} bytes of no {kind.DESCRIPTOR.name}") from None
        if response.WhichOneof("response") == "messages":
            self._take_rows(frame, response.messages)
        elif isinstance(response, backend_pb2.SubscribeResponse):
            self._take_answer(frame, response)
        elif response.HasField("started"):
            self._take_started(frame, response.started.keepalive_interval_ms, _targets(response.started.targets))
        elif response.HasField("keepalive"):
            self.signs.append(Sign(at_ns=frame.at_ns))

    def _take_started(self, frame: Frame, interval_ms: int, targets: tuple[Target, ...] = ()) -> None:
        if self.started is None:
            self.started = Started(at_ns=frame.at_ns, interval_ms=interval_ms, targets=targets)

    def _take_answer(self, frame: Frame, response: backend_pb2.SubscribeResponse) -> None:
        if response.HasField("started"):
            self._take_started(frame, response.started.keepalive_interval_ms)
        elif response.HasField("applied"):
            targets = _targets(response.applied.added_targets)
            applied = Applied(at_ns=frame.at_ns, id=response.applied.id, targets=targets)
            self.applied.setdefault(applied.id, applied)
        elif response.HasField("ping"):
            self.signs.append(Sign(at_ns=frame.at_ns, nonce=response.ping.nonce))
        elif response.HasField("pong"):
            self.pongs[response.pong.nonce] += 1

    def _take_rows(
        self,
        frame: Frame,
        messages: backend_pb2.SubscribeResponse.Messages | backend_pb2.SubscribeStaticResponse.Messages,
    ) -> None:
        number = 2 if self.static else 3
        try:
            envelopes = [part for body in submessages(frame.data, number) for part in submessages(body, 1)]
            rows = [
                Seen(
                    source="SubscribeStatic" if self.static else "Subscribe",
                    meta=meta_of(entry.meta),
                    envelope=b"".join(submessages(data, 2)) if entry.HasField("envelope") else None,
                )
                for entry, data in zip(messages.envelopes, envelopes, strict=True)
            ]
        except WireError as error:
            raise ValueError(f"bytes that are no lawful protobuf message ({error})") from None
        self.rows.extend(rows)
        self.times.update((row.meta.topic, row.meta.sequence_id) for row in rows)


def ping_nonce(data: bytes) -> int | None:
    """Return the nonce when a frame of Subscribe is a Ping of the backend, else None."""
    try:
        response = backend_pb2.SubscribeResponse.FromString(data)
    except DecodeError:
        return None
    return response.ping.nonce if response.HasField("ping") else None


def _targets(targets: Iterable[backend_pb2.CatchupTarget]) -> tuple[Target, ...]:
    return tuple(Target(topic=each.topic.topic, through=each.through_sequence_id) for each in targets)
