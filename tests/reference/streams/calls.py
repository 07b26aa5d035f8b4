"""Stream calls of a plain grpcio client, in raw bytes."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Protocol, TypeVar

import grpc
import pytest

from conformance.pb import backend_pb2 as pb
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.server import Server
from tests.reference.harness import OverWire, running

SUBSCRIBE = "/xmtp.backend.v1.SubscriptionService/Subscribe"
STATIC = "/xmtp.backend.v1.SubscriptionService/SubscribeStatic"
TOO_HIGH = 2**63

Code = grpc.StatusCode
Ids = dict[bytes, list[int]]
Frame = TypeVar("Frame", pb.SubscribeResponse, pb.SubscribeStaticResponse)


class Endpoint:
    """A server in this process and a connection to it."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.server: Server = backend.server()
        self.address = f"127.0.0.1:{self.server.start('127.0.0.1:0')}"
        self.wire = OverWire(self.address)

    def close(self) -> None:
        self.server.stop(5)
        self.wire.close()


@contextmanager
def endpoint(folder: Path, build: type[Backend] = Backend, **args: object) -> Iterator[Endpoint]:
    with running(folder, build, **args) as backend:
        served = Endpoint(backend)
        try:
            yield served
        finally:
            served.close()


def query_of(topic: bytes, cursor: int = 0) -> pb.TopicQuery:
    return pb.TopicQuery(topic=pb.Topic(topic=topic), cursor=pb.Cursor(sequence_id=cursor))


def update(
    number: int, adds: Mapping[bytes, int] | Sequence[pb.TopicQuery] = (), removes: Sequence[bytes] = ()
) -> bytes:
    queries = [query_of(*item) for item in adds.items()] if isinstance(adds, Mapping) else adds
    message = pb.SubscribeRequest.Update(id=number, adds=queries, removes=[pb.Topic(topic=topic) for topic in removes])
    return pb.SubscribeRequest(update=message).SerializeToString()


def ping(nonce: int) -> bytes:
    return pb.SubscribeRequest(ping=pb.Ping(nonce=nonce)).SerializeToString()


def pong(nonce: int) -> bytes:
    return pb.SubscribeRequest(pong=pb.Pong(nonce=nonce)).SerializeToString()


class Call(Protocol):
    """What grpcio returns for a stream, in raw bytes; its own types do not say so."""

    def __iter__(self) -> Iterator[bytes]: ...

    def __next__(self) -> bytes: ...

    def code(self) -> grpc.StatusCode: ...

    def details(self) -> str: ...

    def cancel(self) -> bool: ...


def open_subscribe(
    wire: OverWire, requests: Iterator[bytes], *, timeout: float, compression: grpc.Compression | None = None
) -> Call:
    method: Callable[..., Call] = wire.channel.stream_stream(SUBSCRIBE)
    return method(requests, timeout=timeout, compression=compression)


def open_static(wire: OverWire, request: bytes, *, timeout: float = 10) -> Call:
    method: Callable[..., Call] = wire.channel.unary_stream(STATIC)
    return method(request, timeout=timeout)


class Subscribe:
    """One Subscribe call, past its Started."""

    def __init__(self, wire: OverWire, *, timeout: float = 30) -> None:
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.call = open_subscribe(wire, iter(self._requests.get, None), timeout=timeout)
        first = self.frame()
        assert first.WhichOneof("response") == "started"
        self.interval_ms = first.started.keepalive_interval_ms

    def send(self, *frames: bytes) -> None:
        for frame in frames:
            self._requests.put(frame)

    def half_close(self) -> None:
        self._requests.put(None)

    def frame(self) -> pb.SubscribeResponse:
        return pb.SubscribeResponse.FromString(next(self.call))

    def applied(self) -> tuple[int, dict[bytes, int]]:
        """Read the next frame as an Applied: its id and its targets."""
        frame = self.frame()
        assert frame.WhichOneof("response") == "applied", frame
        return frame.applied.id, targets_of(frame.applied.added_targets)

    def update(
        self, number: int, adds: Mapping[bytes, int] | Sequence[pb.TopicQuery] = (), removes: Sequence[bytes] = ()
    ) -> dict[bytes, int]:
        """Send an update and read its Applied as the next frame; its targets."""
        self.send(update(number, adds, removes))
        answered, targets = self.applied()
        assert answered == number
        return targets

    def collect(self, count: int, into: Ids | None = None) -> Ids:
        """Read Messages frames until `count` envelopes came; their ids by topic."""
        found: Ids = {} if into is None else into
        left = count
        while left > 0:
            frame = self.frame()
            assert frame.WhichOneof("response") == "messages", frame
            left -= note(found, frame.messages.envelopes)
        assert left == 0
        return found

    def settle(self, nonce: int) -> Ids:
        """Ping, and read until the Pong; the ids that came before it."""
        self.send(ping(nonce))
        found: Ids = {}
        while (frame := self.frame()).WhichOneof("response") == "messages":
            note(found, frame.messages.envelopes)
        assert frame.WhichOneof("response") == "pong", frame
        assert frame.pong.nonce == nonce
        return found

    def end(self) -> tuple[grpc.StatusCode, list[pb.SubscribeResponse]]:
        """Read to the end: the status, and the frames before it."""
        return end_of(self.call, pb.SubscribeResponse)

    def cancel(self) -> None:
        self.half_close()
        self.call.cancel()


class Static:
    """One SubscribeStatic call, past its Started."""

    def __init__(self, wire: OverWire, adds: Mapping[bytes, int], *, timeout: float = 30) -> None:
        request = static_request([query_of(*item) for item in adds.items()])
        self.call = open_static(wire, request, timeout=timeout)
        first = self.frame()
        assert first.WhichOneof("response") == "started"
        self.started = first.started
        self.targets = targets_of(first.started.targets)

    def frame(self) -> pb.SubscribeStaticResponse:
        return pb.SubscribeStaticResponse.FromString(next(self.call))

    def collect(self, count: int) -> Ids:
        found: Ids = {}
        while sum(map(len, found.values())) < count:
            frame = self.frame()
            assert frame.WhichOneof("response") == "messages", frame
            note(found, frame.messages.envelopes)
        return found

    def end(self) -> tuple[grpc.StatusCode, list[pb.SubscribeStaticResponse]]:
        return end_of(self.call, pb.SubscribeStaticResponse)

    def cancel(self) -> None:
        self.call.cancel()


def static_request(queries: Sequence[pb.TopicQuery]) -> bytes:
    return pb.SubscribeStaticRequest(topics=queries).SerializeToString()


def note(found: Ids, envelopes: Sequence[pb.ServerEnvelope]) -> int:
    for envelope in envelopes:
        found.setdefault(envelope.meta.topic.topic, []).append(envelope.meta.cursor.sequence_id)
    return len(envelopes)


def targets_of(targets: Sequence[pb.CatchupTarget]) -> dict[bytes, int]:
    """Read targets; a dict keeps their order."""
    found = {target.topic.topic: target.through_sequence_id for target in targets}
    assert len(found) == len(targets)
    return found


def end_of(call: Call, kind: type[Frame]) -> tuple[grpc.StatusCode, list[Frame]]:
    frames: list[Frame] = []
    with suppress(grpc.RpcError):
        frames.extend(kind.FromString(raw) for raw in call)
    assert "Stream removed" not in (call.details() or ""), "the server sent no status"
    return call.code(), frames


def refused(call: Call) -> grpc.StatusCode:
    """Return the status of a call that ends before any frame."""
    with pytest.raises(grpc.RpcError) as caught:
        next(call)
    return caught.value.code()


def in_order(found: Ids) -> list[int]:
    """Return ids of all topics, the lowest first."""
    return sorted(chain(*found.values()))
