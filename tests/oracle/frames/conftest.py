"""A simulated backend and client that talk lawfully on one stream, as oddly as the contract allows."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from conformance.oracle.frames import Known, Receipt
from conformance.pb import backend_pb2 as pb
from conformance.wire.transcript import Code, Frame, Meta, Status, StreamCall

Message = pb.SubscribeRequest | pb.SubscribeResponse | pb.SubscribeStaticRequest | pb.SubscribeStaticResponse
Step = tuple[bool, Message]

STEP_NS = 1_000_000


def meta_of(number: int, topic: bytes) -> Meta:
    return Meta(
        sequence_id=number,
        server_ns=number * 10,
        message_hash=number.to_bytes(32, "big"),
        topic=topic,
        expiry_ns=0,
        is_commit_or_proposal=number % 2 == 0,
    )


def enveloped(frame: pb.SubscribeResponse.Messages | pb.SubscribeStaticResponse.Messages, meta: Meta) -> None:
    out = frame.envelopes.add().meta
    out.cursor.sequence_id, out.server_ns, out.topic.topic = meta.sequence_id, meta.server_ns, meta.topic
    out.message_hash.sha256, out.is_commit_or_proposal = meta.message_hash, meta.is_commit_or_proposal


@dataclass
class Open:
    topic: bytes
    cursor: int
    target: int
    reached: int
    place: int
    turns: list[int] = field(default_factory=list)


@dataclass
class Simulation:
    """What was said, and what is known besides; `call` turns it into a record."""

    static: bool
    steps: list[Step] = field(default_factory=list)
    stored: dict[bytes, list[int]] = field(default_factory=dict)
    receipts: list[Receipt] = field(default_factory=list)
    status: Status | None = None
    half_closed_at: int | None = None
    cancelled_at: int | None = None
    lagging: bool = True

    @property
    def known(self) -> Known:
        return Known(receipts=tuple(self.receipts), closed=frozenset(self.stored), lagging=self.lagging)

    @property
    def call(self) -> StreamCall:
        frames = [
            Frame(sent=sent, at_ns=STEP_NS * (place + 1), data=message.SerializeToString())
            for place, (sent, message) in enumerate(self.steps)
        ]
        return StreamCall(
            number=1,
            endpoint="simulated:1",
            method="/xmtp.backend.v1.SubscriptionService/Subscribe" + ("Static" if self.static else ""),
            frames=tuple(frames),
            status=self.status,
            half_closed_at=self.half_closed_at,
            cancelled_at=self.cancelled_at,
            ended_ns=None if self.status is None else STEP_NS * (len(frames) + 1),
        )


class Simulator:
    def __init__(self, seed: int, *, static: bool) -> None:
        self.random = random.Random(seed)  # noqa: S311 - a simulation
        self.out = Simulation(static=static, lagging=self.random.random() < 0.5)
        kinds = (bytes([0]) + bytes(15), bytes([4]) + bytes(15), bytes([1]) + bytes(31))
        self.topics = [self.random.choice(kinds) + bytes([n]) for n in range(self.random.randint(1, 5))]
        self.out.stored = {topic: [] for topic in self.topics}
        self.next_id = self.random.randint(1, 5)
        self.open: dict[bytes, Open] = {}
        self.unread: list[pb.SubscribeRequest] = []
        self.unanswered: list[int] = []
        self.update_id = 0
        self.ping: int | None = None
        self.nonce = 0

    def run(self) -> Simulation:
        for _ in range(self.random.randint(0, 60)):
            self.publish()
        if self.out.static:
            self.begin_static()
        else:
            self.say(pb.SubscribeResponse(started=pb.SubscribeResponse.Started(keepalive_interval_ms=300)))
        acts: list[Callable[[], object]] = [self.publish, self.history, self.history, self.live, self.odd]
        if not self.out.static:
            acts += [self.update, self.serve, self.serve, self.ask, self.back_ping, self.pong, self.pongs]
        for _ in range(self.random.choice([0, 5, 30, 60, 90])):
            self.random.choice(acts)()
        self.end()
        return self.out

    def say(self, message: Message) -> None:
        self.out.steps.append((False, message))

    def send(self, message: pb.SubscribeRequest) -> None:
        self.out.steps.append((True, message))
        self.unread.append(message)

    def publish(self) -> None:
        topic = self.random.choice(self.topics)
        self.next_id += self.random.randint(1, 3)
        self.out.stored[topic].append(self.next_id)
        at_ns = STEP_NS * (len(self.out.steps) + 1) + 1
        self.out.receipts.append(Receipt(meta=meta_of(self.next_id, topic), received_ns=at_ns))

    def head(self, topic: bytes) -> int:
        """The target: anything visible, an older head too when a copy lags."""
        ids = self.out.stored[topic]
        if self.out.lagging and ids:
            return self.random.choice([0, *ids])
        return ids[-1] if ids else 0

    def cursor(self, topic: bytes) -> int:
        high = [self.next_id + 10, (1 << 63) - 1]
        return self.random.choice([0, 0, 0, self.random.choice([0, *self.out.stored[topic], *high])])

    def begin_static(self) -> None:
        chosen = self.random.sample(self.topics, self.random.randint(1, len(self.topics)))
        request, started = pb.SubscribeStaticRequest(), pb.SubscribeStaticResponse()
        started.started.keepalive_interval_ms = 300
        for topic in chosen:
            cursor = self.cursor(topic)
            query = request.topics.add()
            query.topic.topic, query.cursor.sequence_id = topic, cursor
        self.out.steps.append((True, request))
        self.out.half_closed_at = 1
        for query in request.topics:
            topic, cursor, target = query.topic.topic, query.cursor.sequence_id, self.head(query.topic.topic)
            self.open[topic] = Open(topic=topic, cursor=cursor, target=target, reached=cursor, place=1)
            listed = started.started.targets.add()
            listed.topic.topic, listed.through_sequence_id = topic, target
        self.say(started)

    def update(self) -> None:
        self.update_id += self.random.randint(1, 3)
        named = self.random.sample(self.topics, self.random.randint(0, len(self.topics)))
        cut = self.random.choice([len(named), self.random.randint(0, len(named))])
        message = pb.SubscribeRequest()
        message.update.id = self.update_id
        for topic in named[:cut]:
            query, cursor = message.update.adds.add(), self.cursor(topic)
            query.topic.topic = topic
            if cursor:
                query.cursor.sequence_id = cursor
        for topic in named[cut:]:
            message.update.removes.add().topic = topic
        self.send(message)

    def ask(self) -> None:
        message = pb.SubscribeRequest()
        message.ping.nonce = self.random.choice([0, 7, (1 << 64) - 1])
        self.send(message)

    def serve(self) -> None:
        if not self.unread:
            return
        message = self.unread.pop(0)
        if message.HasField("ping"):
            self.unanswered.append(message.ping.nonce)
        if not message.HasField("update"):
            return
        answer = pb.SubscribeResponse()
        answer.applied.id = message.update.id
        for topic in message.update.removes:
            self.open.pop(topic.topic, None)
        place = len(self.out.steps)
        for query in message.update.adds:
            topic = query.topic.topic
            if topic not in self.open:
                target, cursor = self.head(topic), query.cursor.sequence_id
                self.open[topic] = Open(topic=topic, cursor=cursor, target=target, reached=cursor, place=place)
                listed = answer.applied.added_targets.add()
                listed.topic.topic, listed.through_sequence_id = topic, target
        self.say(answer)

    def pongs(self) -> None:
        if self.unanswered:
            nonce = self.unanswered.pop(self.random.randrange(len(self.unanswered)))
            self.say(pb.SubscribeResponse(pong=pb.Pong(nonce=nonce)))

    def back_ping(self) -> None:
        if self.ping is None:
            self.nonce = self.ping = self.nonce + self.random.randint(0, 1)
            self.say(pb.SubscribeResponse(ping=pb.Ping(nonce=self.ping)))

    def pong(self) -> None:
        right = self.ping is not None and self.random.random() < 0.7
        nonce = self.ping if right and self.ping is not None else 999
        self.send(pb.SubscribeRequest(pong=pb.Pong(nonce=nonce)))
        if right:
            self.ping = None

    def odd(self) -> None:
        empty = pb.SubscribeStaticResponse() if self.out.static else pb.SubscribeResponse()
        empty.messages.SetInParent()
        self.say(empty)
        if self.out.static and self.random.random() < 0.5:
            self.say(pb.SubscribeStaticResponse(keepalive=pb.SubscribeStaticResponse.Keepalive()))

    def owed(self, each: Open) -> list[int]:
        return [i for i in self.out.stored[each.topic] if each.reached < i <= each.target]

    def history(self) -> None:
        """One frame of history for one or two registrations whose turn it may be (V20, V21)."""
        waiting = [each for each in self.open.values() if self.owed(each)]
        free = [
            each
            for each in waiting
            if not each.turns or all(other.turns or other.place > each.turns[0] for other in waiting)
        ]
        if free:
            self.deliver([(each, self.owed(each)) for each in self.random.sample(free, min(len(free), 2))])

    def live(self) -> None:
        ready = [each for each in self.open.values() if not self.owed(each)]
        self.deliver(
            [(each, [i for i in self.out.stored[each.topic] if i > max(each.reached, each.target)]) for each in ready]
        )

    def deliver(self, parts: list[tuple[Open, list[int]]]) -> None:
        message = pb.SubscribeStaticResponse() if self.out.static else pb.SubscribeResponse()
        for each, ids in parts:
            for number in ids[: self.random.randint(1, 3)]:
                enveloped(message.messages, meta_of(number, each.topic))
                each.reached = number
                if number <= each.target and each.turns[-1:] != [len(self.out.steps)]:
                    each.turns.append(len(self.out.steps))
        if message.messages.envelopes:
            self.say(message)

    def end(self) -> None:
        form = self.random.choice(["running", "failed", "cancelled", "closed"])
        if form == "failed":
            code = self.random.choice([Code.UNAVAILABLE, Code.RESOURCE_EXHAUSTED, Code.INTERNAL, Code.UNAUTHENTICATED])
            self.out.status = Status(code=code)
            kept = self.random.randint(1 if self.out.static else 0, len(self.out.steps))
            last_sent = max((n for n, (sent, _) in enumerate(self.out.steps) if sent), default=-1) + 1
            del self.out.steps[max(kept, last_sent) :]  # frames that waited are thrown away (V37)
        elif form == "cancelled":
            self.out.cancelled_at = len(self.out.steps)
            self.out.status = Status(code=Code.CANCELLED, local=True)
        elif form == "closed" and not self.out.static:
            self.out.half_closed_at = len(self.out.steps)
            while self.unread and self.random.random() < 0.7:
                self.serve()
            self.out.status = Status(code=Code.OK)


@pytest.fixture(scope="session")
def simulator() -> type[Simulator]:
    return Simulator


@pytest.fixture(scope="session")
def simulate() -> Callable[..., Simulation]:
    def run(seed: int, *, static: bool = False) -> Simulation:
        return Simulator(seed, static=static).run()

    return run
