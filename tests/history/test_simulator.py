"""The simulated backend really does what a conforming one may, or a checker that passes it would prove little."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

from conformance.oracle.history.events import Newest, Operation, Outcome, Publish, Query
from conformance.wire.transcript import Code
from tests.history.simulator import Setting, simulate


def test_lawful_histories_hold_every_odd_thing_a_backend_may_do() -> None:
    reached: Counter[str] = Counter()
    for seed in range(40):
        choice = random.Random(seed)  # noqa: S311 - choices of a simulation, not a secret
        retention_ms = choice.choice((0, 5))
        reached.update(
            oddities(simulate(choice, Setting(lost=0.3, repeats=0.3, failing=0.2, retention_ms=retention_ms)))
        )
    assert set(reached) == {
        "committed after its answer was lost",
        "retried under a new id",
        "given up for good",
        "refused and later stored",
        "stored anew after its expiry",
        "ids out of request order",
        "gap",
        "newest behind a receipt",
        "newest stepped back",
        "cut page",
        "cut by the limit below a receipt",
        "racing repeats",
    }


def oddities(history: Sequence[Operation]) -> Iterator[str]:
    publishes = [each for each in history if isinstance(each, Publish)]
    ids: dict[bytes, set[int]] = {}
    seen_at: dict[bytes, int] = {}
    for each in history:
        if isinstance(each, Query):
            for shown in each.page:
                ids.setdefault(shown.digest or b"", set()).add(shown.meta.sequence_id)
                seen_at[shown.digest or b""] = min(seen_at.get(shown.digest or b"", 1 << 62), each.completed_ns)
    for publish in publishes:
        yield from oddities_of(publish, publishes, ids, seen_at)
    if any(len(found) > 1 for found in ids.values()):
        yield "stored anew after its expiry"
    every = sorted(number for found in ids.values() for number in found)
    if every[-1] - every[0] >= len(every):
        yield "gap"
    yield from oddities_of_reads(history, publishes)


def oddities_of(
    publish: Publish, publishes: Sequence[Publish], ids: dict[bytes, set[int]], seen_at: dict[bytes, int]
) -> Iterator[str]:
    others = [each for each in publishes if each is not publish and set(each.sent) & set(publish.sent)]
    if publish.outcome is Outcome.UNKNOWN and not others:
        first = [seen_at.get(sent.digest) for sent in publish.sent]
        yield "given up for good" if None in first else "committed after its answer was lost"
    stored_later = any(o.outcome is Outcome.STORED and o.invoked_ns > publish.completed_ns for o in others)
    if publish.outcome is Outcome.UNKNOWN and stored_later:
        yield "retried under a new id"
    if publish.outcome is Outcome.REFUSED and stored_later:
        yield "refused and later stored"
    numbers = [meta.sequence_id for meta in publish.metas]
    if numbers != sorted(numbers):
        yield "ids out of request order"
    if any(o.invoked_ns < publish.completed_ns and publish.invoked_ns < o.completed_ns for o in others):
        yield "racing repeats"


def oddities_of_reads(history: Sequence[Operation], publishes: Sequence[Publish]) -> Iterator[str]:
    newest: dict[bytes, int] = {}
    for each in sorted(history, key=lambda each: each.completed_ns):
        held = [m for p in publishes if p.completed_ns < each.invoked_ns for m in p.metas]
        if isinstance(each, Newest):
            for shown in each.results:
                topic, number = shown.meta.topic, shown.meta.sequence_id
                if number < newest.get(topic, 0):
                    yield "newest stepped back"
                newest[topic] = number
                if any(meta.topic == topic and meta.sequence_id > number for meta in held):
                    yield "newest behind a receipt"
        elif isinstance(each, Query) and each.status is Code.OK and each.has_more:
            yield "cut page"
            cursors = {position.topic: position.cursor for position in each.positions}
            shown_ids = {shown.meta.sequence_id for shown in each.page}
            if any(m.sequence_id > cursors.get(m.topic, 1 << 62) and m.sequence_id not in shown_ids for m in held):
                yield "cut by the limit below a receipt"
