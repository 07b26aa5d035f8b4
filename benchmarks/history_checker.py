"""How long the history checker takes, and how much it keeps: `python benchmarks/history_checker.py [OPERATIONS]`.

Makes a lawful history of 8 writers and 4 readers on 24 topics (100,000 operations unless told otherwise), checks it,
and prints seconds and bytes per envelope. Nothing here is a test: the figures depend on the machine.
"""

from __future__ import annotations

import gc
import hashlib
import random
import sys
import time
import tracemalloc

from conformance.oracle.history.checker import Checker, check
from conformance.oracle.history.events import Newest, Operation, Outcome, Publish, Query, ReadFrom, Sent, Shown
from conformance.wire.transcript import Meta

TOPICS = [b"\x00" + hashlib.sha256(b"topic%d" % number).digest()[:16] for number in range(24)]
START_NS = 1_800_000_000_000_000_000
CALL_NS = 2_000_000
REPEATS = 0.15


class Traffic:
    """Makes operations one after the other; each lasts two milliseconds, so that about a dozen are under way."""

    def __init__(self, choice: random.Random) -> None:
        self.choice = choice
        self.stored: dict[bytes, list[Shown]] = {topic: [] for topic in TOPICS}
        self.receipts: dict[Sent, Meta] = {}
        self.cursors = [dict.fromkeys(TOPICS, 0) for _ in range(4)]
        self.last_id = 0

    def operation(self, number: int) -> Operation:
        """Make the operation that is invoked as number `number`: half publishes, a third Query, the rest newest."""
        invoked_ns = number * CALL_NS // 12
        kind = self.choice.random()
        if kind < 1 / 2:
            return self.publish(invoked_ns)
        return self.query(invoked_ns, number % 4) if kind < 5 / 6 else self.newest(invoked_ns)

    def publish(self, invoked_ns: int) -> Publish:
        """Publish 1 to 3 envelopes, 15 % of them repeats."""
        sent = tuple(self.envelope() for _ in range(self.choice.randint(1, 3)))
        for each in sent:
            self.store(each, invoked_ns)
        metas = tuple(self.receipts[each] for each in sent)
        return Publish(
            client="writer",
            endpoint=f"host:{self.choice.randrange(2)}",
            invoked_ns=invoked_ns,
            completed_ns=invoked_ns + CALL_NS,
            sent=sent,
            outcome=Outcome.STORED,
            metas=metas,
        )

    def envelope(self) -> Sent:
        """Make a new envelope, or repeat one of the last."""
        if self.receipts and self.choice.random() < REPEATS:
            topic = self.choice.choice([topic for topic in TOPICS if self.stored[topic]])
            row = self.stored[topic][-1]
            return Sent(topic=topic, digest=row.digest or b"")
        return Sent(topic=self.choice.choice(TOPICS), digest=self.choice.randbytes(16))

    def store(self, sent: Sent, at_ns: int) -> None:
        """Store an envelope unless it is stored."""
        if sent in self.receipts:
            return
        self.last_id += self.choice.choice((1, 1, 2, 10))
        meta = Meta(
            sequence_id=self.last_id,
            server_ns=START_NS + at_ns,
            message_hash=hashlib.sha256(sent.digest).digest(),
            topic=sent.topic,
            expiry_ns=START_NS + at_ns + 90 * 86_400 * 10**9,
            is_commit_or_proposal=False,
        )
        self.receipts[sent] = meta
        self.stored[sent.topic].append(Shown(meta=meta, digest=sent.digest))

    def query(self, invoked_ns: int, reader: int) -> Query:
        """Read two topics on from where this reader stands."""
        topics = self.choice.sample(TOPICS, 2)
        cursors = self.cursors[reader]
        rows = [row for topic in topics for row in self.above(topic, cursors[topic])]
        positions = tuple(ReadFrom(topic=topic, cursor=cursors[topic]) for topic in topics)
        for row in rows:
            cursors[row.meta.topic] = row.meta.sequence_id
        return Query(
            client=f"reader {reader}",
            endpoint="host:0",
            invoked_ns=invoked_ns,
            completed_ns=invoked_ns + CALL_NS,
            positions=positions,
            limit=1000,
            page=tuple(rows),
        )

    def above(self, topic: bytes, cursor: int) -> list[Shown]:
        """Give what stands above a cursor, found from the end."""
        rows = self.stored[topic]
        start = len(rows)
        while start and rows[start - 1].meta.sequence_id > cursor:
            start -= 1
        return rows[start:]

    def newest(self, invoked_ns: int) -> Newest:
        """Read the newest of four topics."""
        topics = self.choice.sample(TOPICS, 4)
        results = tuple(self.stored[topic][-1] for topic in topics if self.stored[topic])
        return Newest(
            client="newest",
            endpoint="host:1",
            invoked_ns=invoked_ns,
            completed_ns=invoked_ns + CALL_NS,
            topics=tuple(topics),
            full=True,
            results=results,
        )


def main() -> None:
    """Make, check, report."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    traffic = Traffic(random.Random(1))  # noqa: S311 - a benchmark repeats its choices
    history = [traffic.operation(number) for number in range(count)]
    shown = sum(len(o.page) for o in history if isinstance(o, Query))
    seconds = []
    gc.collect()
    gc.freeze()  # the history stays as it is; looking through it for garbage is no work of the checker
    for _ in range(3):
        gc.collect()
        start = time.process_time()
        found = check(history)
        seconds.append(time.process_time() - start)
    print(f"{count} operations, {len(traffic.receipts)} envelopes, {shown} shown by Query: {len(found)} findings")
    print("seconds of processor time: " + ", ".join(f"{each:.2f}" for each in seconds))
    tracemalloc.start()
    checker = Checker(history.__getitem__)
    instants = sorted(
        [(o.invoked_ns, 0, n) for n, o in enumerate(history)] + [(o.completed_ns, 1, n) for n, o in enumerate(history)]
    )
    before = tracemalloc.get_traced_memory()[0]
    for _, is_completion, number in instants:
        (checker.completed if is_completion else checker.invoked)(number, history[number])
    kept = tracemalloc.get_traced_memory()[0] - before
    print(f"kept by the checker: {kept / len(traffic.receipts):.0f} bytes per envelope, the entry itself not counted")


if __name__ == "__main__":
    main()
