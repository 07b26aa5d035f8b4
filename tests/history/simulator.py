"""A lawful backend and its clients, played on a clock of their own: every history it gives must pass the checker.

It does what a conforming backend may: gaps, ids in any order within a request, topics of one publish that become
visible one after the other, publishes that are given up or commit long after their answer was lost, lagging newest
reads, pages cut anywhere, envelopes that vanish at some time after their expiry and may then be stored anew.
"""

from __future__ import annotations

import hashlib
import heapq
import random
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field

from conformance.oracle.history.events import Newest, Operation, Outcome, Publish, Query, ReadFrom, Sent, Shown
from conformance.wire.transcript import Code, Meta

MS = 1_000_000
CLOCK_OFFSET = 1_800_000_000_000_000_000
CLOCK_STEP = 1_000
SETTLE_NS = 20 * MS  # longer than any publish of a simulation takes
LOST = (Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED, Code.INTERNAL, Code.CANCELLED, Code.OUT_OF_RANGE)

# A process waits for so many nanoseconds, or until the condition holds.
Process = Generator["int | Callable[[], bool]", None, None]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """How many of everything, and what may go wrong."""

    writers: int = 4
    requests: int = 12
    topics: int = 3
    readers: int = 3
    endpoints: int = 2
    repeats: float = 0.15
    failing: float = 0.05
    lost: float = 0.1
    largest: int = 4
    retention_ms: int = 0


@dataclass(kw_only=True)
class Row:
    meta: Meta
    digest: bytes
    visible_ns: int
    gone_ns: int | None = None


@dataclass(kw_only=True, eq=False)
class Range:
    low: int
    topics: frozenset[bytes]


@dataclass
class Simulator:
    """One run. `history` grows as operations complete."""

    choice: random.Random
    setting: Setting = field(default_factory=Setting)
    history: list[Operation] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.now = 1_000_000_000
        self.topics = [bytes([index % 3]) + b"topic%d" % index for index in range(self.setting.topics)]
        self.rows: dict[bytes, list[Row]] = {topic: [] for topic in self.topics}
        self.open: list[Range] = []
        self.last_id = self.choice.randint(0, 1000)
        self.made: list[Sent] = []
        self.writing = self.setting.writers
        self._heap: list[tuple[int, int, Process]] = []
        self._waiting: list[tuple[Callable[[], bool], Process]] = []
        self._turn = 0

    def run(self) -> list[Operation]:
        for number in range(self.setting.writers):
            self._start(self._writer(f"writer {number}", self._endpoint(number)))
        for number in range(self.setting.readers):
            self._start(self._reader(f"reader {number}", self._endpoint(number)))
        self._until_quiet()
        self.now += SETTLE_NS
        for number in range(self.setting.endpoints):
            self._start(self._sweep(f"sweep {number}", self._endpoint(number)))
        self._until_quiet()
        return self.history

    # the clock

    def _start(self, process: Process) -> None:
        self._turn += 1
        heapq.heappush(self._heap, (self.now, self._turn, process))

    def _until_quiet(self) -> None:
        while self._heap:
            self.now, _, process = heapq.heappop(self._heap)
            try:
                wanted = next(process)
            except StopIteration:
                pass
            else:
                if callable(wanted):
                    self._waiting.append((wanted, process))
                else:
                    self._turn += 1
                    heapq.heappush(self._heap, (self.now + wanted, self._turn, process))
            ready = [process for condition, process in self._waiting if condition()]
            self._waiting = [entry for entry in self._waiting if entry[1] not in ready]
            for waiting in ready:
                self._start(waiting)

    def _while(self, most_ms: float = 1.0) -> int:
        return self.choice.randint(0, int(most_ms * MS))

    def _endpoint(self, number: int) -> str:
        return f"host:{number % self.setting.endpoints}"

    def _chance(self, probability: float) -> bool:
        return self.choice.random() < probability

    # the clients

    def _writer(self, client: str, endpoint: str) -> Process:
        for _ in range(self.setting.requests):
            sent = self._request()
            bad = self._chance(self.setting.failing)
            if bad:
                broken = Sent(topic=b"", digest=b"broken%d" % len(self.made))
                sent.insert(self.choice.randint(0, len(sent)), broken)
            retries = self.choice.choice((0, 1, 2))
            while True:
                lost = not bad and self._chance(self.setting.lost)
                outcome = yield from self._publish(client, endpoint, tuple(sent), bad=bad, lost=lost)
                if outcome is not Outcome.UNKNOWN or not retries:
                    break
                retries -= 1
            yield self._while()
        self.writing -= 1

    def _request(self) -> list[Sent]:
        sent: list[Sent] = []
        for _ in range(self.choice.randint(1, self.setting.largest)):
            if self.made and self._chance(self.setting.repeats):
                sent.append(self.choice.choice(self.made))
            else:
                sent.append(Sent(topic=self.choice.choice(self.topics), digest=b"value%d" % len(self.made)))
                self.made.append(sent[-1])
        return sent

    def _reader(self, client: str, endpoint: str) -> Process:
        cursors = dict.fromkeys(self.topics, 0)
        style = self.choice.choice(("follow", "whole", "newest", "mixed"))
        while self.writing:
            if style == "newest" or (style == "mixed" and self._chance(0.5)):
                yield from self._newest(client, endpoint)
            else:
                topics = self.choice.sample(self.topics, self.choice.randint(1, len(self.topics)))
                follow = style == "follow" or self._chance(0.5)
                asked = {
                    topic: cursors[topic] if follow else self.choice.choice((0, cursors[topic])) for topic in topics
                }
                page = yield from self._query(client, endpoint, asked, self.choice.randint(1, 6))
                for shown in page:
                    cursors[shown.meta.topic] = max(cursors[shown.meta.topic], shown.meta.sequence_id)
            yield self._while(0.5)

    def _sweep(self, client: str, endpoint: str) -> Process:
        for topic in self.topics:
            cursor = 0
            while True:
                page = yield from self._query(client, endpoint, {topic: cursor}, 10)
                if not page:
                    break
                cursor = page[-1].meta.sequence_id
        yield from self._newest(client, endpoint)

    # the backend

    def _publish(
        self, client: str, endpoint: str, sent: tuple[Sent, ...], *, bad: bool, lost: bool
    ) -> Generator[int | Callable[[], bool], None, Outcome]:
        invoked = self.now
        done: list[tuple[Meta, ...] | None] = []
        if bad:
            yield self._while()
            outcome, status = Outcome.REFUSED, self.choice.choice((Code.INVALID_ARGUMENT, Code.ABORTED))
        else:
            self._start(self._store(sent, done, given_up=lost and self._chance(0.4)))
            if lost:
                yield self._while(3)
                outcome, status = Outcome.UNKNOWN, self.choice.choice(LOST)
            else:
                yield lambda: bool(done)
                yield self._while(0.3)
                outcome, status = Outcome.STORED, Code.OK
        metas = done[0] or () if outcome is Outcome.STORED else ()
        self.history.append(
            Publish(
                client=client,
                endpoint=endpoint,
                invoked_ns=invoked,
                completed_ns=self.now,
                status=status,
                sent=sent,
                outcome=outcome,
                metas=metas,
            )
        )
        return outcome

    def _store(self, sent: Sequence[Sent], done: list[tuple[Meta, ...] | None], *, given_up: bool) -> Process:
        yield self._while(0.5)
        new = [each for each in dict.fromkeys(sent) if self._stored(each) is None]
        if new:
            ids = self._allocate(len(new))
            mine = Range(low=min(ids), topics=frozenset(each.topic for each in new))
            self.open.append(mine)
            yield self._while(self.choice.choice((0.1, 1, 5)))
            if given_up:
                self.open.remove(mine)
                return
            yield lambda: not any(other.low < mine.low and other.topics & mine.topics for other in self.open)
            server_ns = (self.now + CLOCK_OFFSET) // CLOCK_STEP * CLOCK_STEP
            fresh = [each for each in new if self._stored(each) is None]
            rows = {each: self._row(each, number, server_ns) for each, number in zip(fresh, ids, strict=False)}
            topics = sorted(mine.topics)
            self.choice.shuffle(topics)
            for topic in topics:
                yield self._while(0.2)
                self._show(topic, [row for row in rows.values() if row.meta.topic == topic])
            self.open.remove(mine)
        receipts = [self._stored(each) for each in sent]
        done.append(tuple(row.meta for row in receipts if row is not None))
        # a copy that expired and vanished in this very moment has no receipt to give: as if the answer were lost
        assert len(done[0] or ()) == len(sent)

    def _allocate(self, count: int) -> list[int]:
        ids = []
        for _ in range(count):
            self.last_id += self.choice.choice((1, 1, 1, 2, 50))
            ids.append(self.last_id)
        self.choice.shuffle(ids)
        return ids

    def _row(self, sent: Sent, number: int, server_ns: int) -> Row:
        retention = self.setting.retention_ms * MS if sent.topic[0] == 0 else 0
        meta = Meta(
            sequence_id=number,
            server_ns=server_ns,
            message_hash=hashlib.sha256(sent.topic + sent.digest).digest(),
            topic=sent.topic,
            expiry_ns=server_ns + retention if retention else 0,
            is_commit_or_proposal=False,
        )
        return Row(meta=meta, digest=sent.digest, visible_ns=self.now)

    def _show(self, topic: bytes, rows: list[Row]) -> None:
        for row in sorted(rows, key=lambda row: row.meta.sequence_id):
            row.visible_ns = self.now
            self.rows[topic].append(row)

    def _stored(self, sent: Sent) -> Row | None:
        rows = [row for row in self.rows[sent.topic] if row.digest == sent.digest and row.gone_ns is None]
        return rows[-1] if rows else None

    def _prune(self) -> None:
        """Let some of what has expired vanish; not within a publish, whose receipts would name what is gone."""
        for rows in self.rows.values():
            for row in rows:
                expired = row.meta.expiry_ns and row.meta.expiry_ns <= self.now + CLOCK_OFFSET
                if expired and row.gone_ns is None and not self.open and self._chance(0.2):
                    row.gone_ns = self.now

    def _visible(self, topic: bytes, at_ns: int) -> list[Row]:
        return [
            row for row in self.rows[topic] if row.visible_ns <= at_ns and (row.gone_ns is None or row.gone_ns > at_ns)
        ]

    def _query(
        self, client: str, endpoint: str, asked: dict[bytes, int], limit: int
    ) -> Generator[int | Callable[[], bool], None, tuple[Shown, ...]]:
        invoked = self.now
        yield self._while(0.3)
        self._prune()
        eligible = {
            topic: [row for row in self._visible(topic, self.now) if row.meta.sequence_id > cursor]
            for topic, cursor in asked.items()
        }
        picked = self._fill(eligible, limit)
        has_more = sum(map(len, eligible.values())) > limit
        yield self._while(0.3)
        fails = self._chance(0.03)
        page = () if fails else tuple(Shown(meta=row.meta, digest=row.digest) for row in picked)
        self.history.append(
            Query(
                client=client,
                endpoint=endpoint,
                invoked_ns=invoked,
                completed_ns=self.now,
                status=Code.UNAVAILABLE if fails else Code.OK,
                positions=tuple(ReadFrom(topic=topic, cursor=cursor) for topic, cursor in asked.items()),
                limit=limit,
                page=page,
                has_more=has_more and not fails,
            )
        )
        return page

    def _fill(self, eligible: dict[bytes, list[Row]], limit: int) -> list[Row]:
        """Pick a page: by id over all topics, topic by topic, or from any topic next."""
        style = self.choice.choice(("id", "topic", "any"))
        if style == "id":
            every = [row for rows in eligible.values() for row in rows]
            return sorted(every, key=lambda row: row.meta.sequence_id)[:limit]
        left = {topic: list(rows) for topic, rows in eligible.items()}
        picked: list[Row] = []
        topics = list(left)
        self.choice.shuffle(topics)
        while len(picked) < limit and any(left.values()):
            holding = [topic for topic in topics if left[topic]]
            picked.append(left[holding[0] if style == "topic" else self.choice.choice(holding)].pop(0))
        return picked

    def _newest(self, client: str, endpoint: str) -> Process:
        invoked, full = self.now, self._chance(0.5)
        topics = self.choice.sample(self.topics, self.choice.randint(1, len(self.topics)))
        yield self._while(0.3)
        self._prune()
        results = []
        for topic in topics:
            lag = self.choice.choice((0, 0, 1, 30)) * MS
            rows = self._visible(topic, self.now - self.choice.randint(0, lag))
            if rows:
                results.append(Shown(meta=rows[-1].meta, digest=rows[-1].digest if full else None))
        self.choice.shuffle(results)
        yield self._while(0.3)
        self.history.append(
            Newest(
                client=client,
                endpoint=endpoint,
                invoked_ns=invoked,
                completed_ns=self.now,
                topics=tuple(topics),
                full=full,
                results=tuple(results),
            )
        )


def simulate(choice: random.Random, setting: Setting | None = None) -> list[Operation]:
    """Play one lawful history."""
    return Simulator(choice, setting or Setting()).run()
